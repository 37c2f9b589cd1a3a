"""Make copies of the course for places without JupyterLab.

    python -m publish reading   a website to read, with search
    python -m publish slides    each notebook as slides
    python -m publish lite      JupyterLab whose kernel runs in the browser

All are written to _site/ and need `requirements-publish.txt` to be made. The
first two need nothing but a browser to be used: no kernel, no network, no
server. The third needs a web server for plain files; LAUNCHING.md says more.
"""

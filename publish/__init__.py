"""Make copies of the course for places where no kernel runs.

    python -m publish reading   a website to read, with search
    python -m publish slides    each notebook as slides

Both are written to _site/, need `requirements-publish.txt` to be made, and
nothing but a browser to be used: no kernel, no network, no server.
"""

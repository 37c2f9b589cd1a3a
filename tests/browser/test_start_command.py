"""The README's first command opens the course, with helpers/ in sight."""

import json
import re
import shlex
import time

from tests.browser.lab import Lab
from tests.house_rules import commands_in
from tests.tools import ROOT


def opened(folder, seconds=20):
    """Return the page that Jupyter hands to the browser."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        for page in folder.glob("jupyter_runtime_dir/*file-to-run*.html"):
            text = page.read_text(encoding="utf-8")
            if text.rstrip().endswith("</html>"):
                return text
        time.sleep(0.05)
    raise AssertionError("Jupyter opened no notebook")


def test_the_first_command_opens_the_start_page(tmp_path):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    line = commands_in(page)["bash"][0]
    started = re.search(r"-m jupyterlab (.+)$", line)[1]
    server = Lab(tmp_path, shlex.split(started))
    try:
        server.wait_until_ready()
        listed = json.loads(server.ask("/api/contents/"))["content"]
        assert {"helpers", "notebooks"} <= {entry["name"] for entry in listed}
        assert "/lab/tree/notebooks/00_start_here.ipynb?" in opened(tmp_path)
    finally:
        server.stop()

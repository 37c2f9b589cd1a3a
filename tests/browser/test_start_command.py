"""The README's first command opens the course, with helpers/ in sight."""

import json
import re
import shlex

from tests.browser.lab import Lab
from tests.house_rules import commands_in
from tests.tools import ROOT


def test_the_first_command_opens_the_start_page(tmp_path):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    line = commands_in(page)["bash"][0]
    started = re.search(r"-m jupyterlab (.+)$", line)[1]
    server = Lab(tmp_path, shlex.split(started))
    try:
        server.wait_until_ready()
        listed = json.loads(server.ask("/api/contents/"))["content"]
        assert {"helpers", "notebooks"} <= {entry["name"] for entry in listed}
        log = server.log.read_text(encoding="utf-8")
        assert "/lab/tree/notebooks/00_start_here.ipynb" in log
    finally:
        server.stop()

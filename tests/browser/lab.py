"""A JupyterLab server of our own, and what a reader does in its pages."""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.tools import ROOT

SCREENSHOTS = Path(__file__).parent / "screenshots"
COPIED = ("docs", "helpers", "notebooks")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# What makes the JupyterLite site is no part of a reader's JupyterLab, and
# complains there that it is not at home.
FOREIGN = "/extensions/@jupyterlite/pyodide-kernel-extension/"
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
LOCAL = re.compile(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|data:|blob:")


class Lab:
    """A JupyterLab server on a copy of the collection.

    Parameters
    ----------
    folder : Path
        An empty folder: the copy and all of Jupyter's settings live there.
    arguments : sequence of str
        What follows `python -m jupyterlab`, besides the settings for tests.
    """

    def __init__(self, folder, arguments=("--ServerApp.root_dir=.",)):
        self.root = folder / "collection"
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name,
                    self.root / name,
                    ignore=shutil.ignore_patterns("__pycache__", ".*"),
                )
        for page in ROOT.glob("*.md"):  # notebooks link to them
            shutil.copy(page, self.root)
        places = {
            name: folder / name.lower()
            for name in (
                "IPYTHONDIR",
                "JUPYTERLAB_SETTINGS_DIR",
                "JUPYTERLAB_WORKSPACES_DIR",
                "JUPYTER_CONFIG_DIR",
                "JUPYTER_DATA_DIR",
                "JUPYTER_RUNTIME_DIR",
                "MPLCONFIGDIR",
            )
        }
        for place in places.values():
            place.mkdir()
        config = places["JUPYTER_CONFIG_DIR"] / "labconfig"
        config.mkdir()
        (config / "default_setting_overrides.json").write_text(
            json.dumps(SETTINGS), encoding="utf-8"
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.token = secrets.token_hex(16)
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyterlab", "--no-browser"),
                    *("--allow-root", "--ip=127.0.0.1", f"--port={port}"),
                    "--ServerApp.port_retries=0",
                    *arguments,
                    f"--IdentityProvider.token={self.token}",
                    "--LabApp.news_url=None",
                    "--LabApp.check_for_updates_class"
                    "=jupyterlab.NeverCheckForUpdate",
                    "--LabApp.extension_manager=readonly",
                ],
                cwd=self.root,
                env=os.environ | {k: str(v) for k, v in places.items()},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def ask(self, path, method="GET", body=None):
        """Send a request to the server's API; return its answer's text."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode()

    def wait_until_ready(self, seconds=60):
        """Return when the server answers; raise with its log if it ends."""
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if self.process.poll() is not None:
                break
            try:
                self.ask("/api/status")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        log = self.log.read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"JupyterLab did not start:\n{log}")

    def use_theme(self, name):
        """Choose the theme of the pages opened from now on."""
        self.ask(
            "/lab/api/settings/@jupyterlab/apputils-extension:themes",
            method="PUT",
            body={"raw": json.dumps({"theme": name})},
        )

    def end_kernels(self):
        """End every kernel: a notebook that is opened again gets its own."""
        for session in json.loads(self.ask("/api/sessions")):
            self.ask(f"/api/sessions/{session['id']}", method="DELETE")

    def stop(self):
        """End the server, and with it its kernels."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class NotebookPage:
    """One notebook, open in a JupyterLab page.

    Parameters
    ----------
    page : playwright Page
        A fresh page.
    lab : Lab
        The running server.
    path : str
        The notebook, relative to the collection's root.
    """

    def __init__(self, page, lab, path):
        self.page = page
        self.problems = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._request)
        page.goto(f"{lab.url}/lab/tree/{path}?reset&token={lab.token}")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.panel.wait_for()
        page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()

    def _console(self, message):
        if message.type == "error" and FOREIGN not in message.text:
            self.problems.append(f"console: {message.text}")

    def _request(self, request):
        if not LOCAL.match(request.url):
            self.problems.append(f"a request to {request.url}")

    # --- the notebook ---------------------------------------------------

    def start_all(self):
        """Choose Run → Run All Cells from the menu."""
        self.page.locator(".lm-MenuBar-item", has_text="Run").click()
        self.page.locator(
            '.lm-Menu-item[data-command="runmenu:run-all"]'
        ).click()

    def run_all(self, seconds=60):
        """Run all cells and wait until each of them has run."""
        self.start_all()
        self.page.wait_for_function(
            """() => {
                const panel = '.jp-NotebookPanel:not(.lm-mod-hidden) ';
                const all = [...document.querySelectorAll(
                    panel + '.jp-CodeCell .jp-InputPrompt')];
                return all.length && all.every(
                    p => /^\\[\\d+\\]:$/.test(p.textContent.trim()));
            }""",
            timeout=1000 * seconds,
        )

    def errors(self):
        """Return the text of each error and stderr output in the page."""
        return self.panel.locator(
            '.jp-OutputArea-output[data-mime-type*="error"],'
            '.jp-OutputArea-output[data-mime-type*="stderr"]'
        ).all_inner_texts()

    def screenshot(self, name, what=None):
        """Keep a picture of the page, scrolled to a locator, as evidence."""
        SCREENSHOTS.mkdir(exist_ok=True)
        if what:
            what.evaluate("item => item.scrollIntoView({block: 'start'})")
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    # --- what explorers have --------------------------------------------

    def picture(self, label):
        """Return the picture whose aria-label begins with `label`."""
        return self.panel.locator(f'[role="img"][aria-label^="{label}"]')

    def slider(self, description):
        """Return the slider that carries this description."""
        return Slider(self, description)

    def cell_of(self, description):
        """Return the output area that holds the slider described so."""
        return self.panel.locator(".jp-Cell-outputArea").filter(
            has=self.page.locator(f'.widget-label:text-is("{description}")')
        )

    def toggle(self, group, name):
        """Press a button of the toggle buttons with this description."""
        box = self.panel.locator(".widget-toggle-buttons").filter(
            has=self.page.locator(f'.widget-label:text-is("{group}")')
        )
        box.get_by_role("button", name=name, exact=True).click()

    def checkbox(self, description):
        """Return the check box with this description."""
        return (
            self.panel.locator(".widget-checkbox")
            .filter(has_text=description)
            .locator("input")
        )

    def wait_for_text(self, text):
        """Wait until some output in the notebook shows `text`."""
        self.panel.locator(".jp-OutputArea-output").filter(
            has_text=text
        ).first.wait_for()


class Slider:
    """A slider of ipywidgets, moved as a reader would."""

    def __init__(self, notebook, description):
        self.page = notebook.page
        self.box = (
            notebook.panel.locator(".widget-slider")
            .filter(
                has=self.page.locator(
                    f'.widget-label:text-is("{description}")'
                )
            )
            .first
        )
        self.handle = self.box.locator("[role=slider]")

    @property
    def shown(self):
        """Return the value that stands beside the slider."""
        return self.box.locator(".widget-readout").inner_text().strip()

    def wait_until(self, shown):
        """Wait until the value beside the slider reads `shown`."""
        self.box.locator(f'.widget-readout:text-is("{shown}")').wait_for()

    def press(self, key, times=1):
        """Focus the handle and press a key."""
        self.handle.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def press_until(self, key, shown):
        """Press a key until the value reads `shown`, at most 60 times."""
        self.handle.focus()
        for _ in range(60):
            if self.shown == shown:
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"{key} never led to {shown}: {self.shown}")

    def drag_to(self, shown):
        """Hold the handle with the mouse, move it along until `shown`."""
        self.box.scroll_into_view_if_needed()
        track = self.box.locator(".noUi-target").bounding_box()
        grip = self.handle.bounding_box()
        y = grip["y"] + grip["height"] / 2
        self.page.mouse.move(grip["x"] + grip["width"] / 2, y)
        self.page.mouse.down()
        last = int(float(self.handle.get_attribute("aria-valuemax")))
        for step in range(last + 1):
            x = track["x"] + track["width"] * step / max(last, 1)
            self.page.mouse.move(x, y)
            if self.shown == shown:
                break
        self.page.mouse.up()
        if self.shown != shown:
            raise AssertionError(f"no place reads {shown}: {self.shown}")

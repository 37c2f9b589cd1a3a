"""One JupyterLab, an explorer of each kind, an hour of random use.

    python -m tests.browser.long_session --minutes 60

Every explorer has a notebook and a kernel of its own; all are open in one
page, which is never loaded anew. A round visits each: moves at random, then
back to the setting it began with, where it must be as high as at first,
show what the kernel drew, and have hidden no failure. After each visit the
kernels and the page are measured. What is measured may not grow from the
second quarter of the visits to the last.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from playwright.sync_api import Error, sync_playwright

from tests.browser.lab import CHROMIUM, CHROMIUM_FLAGS, Lab, NotebookPage
from tests.browser.stressed import ASK, HEIGHT, Stressed, notebook_with
from tests.explorers import ONE_OF_EACH_KIND
from tests.tools import require_tool

GROWTH = 1.1  # of the last quarter's median over the second quarter's
ROOM = {"kernels MB": 40, "page MB": 15, "nodes": 3000, "widgets": 200}
EXPOSED = "--ServerApp.root_dir=.", "--LabApp.expose_app_in_browser=True"
MORE = ("press", "button", "button", "again")
SLIDES = ("drag", "corner")  # what a slider does: nothing below may jump
# Asked past the page: JupyterLab keeps 810 listeners, 260 nodes and 0.1 MB of
# its cell toolbar each time that another cell becomes the active one, also in
# a notebook of "1+1". What grows here shall be ours.
RUN = """async code => {
    const {session} = window.jupyterapp.shell.currentWidget.sessionContext;
    const run = session.kernel.requestExecute({code});
    let text = '';
    run.onIOPub = ({header, content}) =>
        text += header.msg_type === 'stream' ? content.text : '';
    await run.done;
    return text;
}"""
OPEN = "path => window.jupyterapp.commands.execute('docmanager:open', {path})"


class Visited(Stressed):
    """An explorer in one tab of many."""

    def __init__(self, notebook, name, seed):
        self.name, self.path = name, f"{name.removesuffix('.svg')}.ipynb"
        notebook.page.evaluate(OPEN, self.path)
        notebook.panel.filter(has_text=name).wait_for()
        self.page = notebook.page
        self.settle()
        notebook.run_all()
        super().__init__(notebook, seed)
        self.settle()
        self.first = self.require_sound()
        self.height = self.box.evaluate(HEIGHT)

    def ask(self):
        """Return what the kernel holds; no cell is touched for it."""
        said = self.page.evaluate(RUN, ASK)
        return json.loads(said.partition("ASKED ")[2])

    def again(self):
        """Run the explorer's cell again."""
        self.run(0)

    def visit(self, moves):
        """Use it at random; return what the kernel holds at the end."""
        self.page.evaluate(OPEN, self.path)
        self.notebook.panel.filter(has_text=self.name).wait_for()
        self.done = []
        for _ in range(moves):
            before = self.box.evaluate(HEIGHT)
            self.done.append(self.move(MORE))
            self.settle()
            after = self.box.evaluate(HEIGHT)
            if self.done[-1] in SLIDES:
                assert abs(after - before) <= 2, f"jumps {before}, {after}"
        self.rest()
        self.require_sound()
        if self.first["code"]:
            self.type_code(self.first["code"])
        else:
            self.again()
        asked = self.require_sound()
        assert asked["code"] == self.first["code"]
        height = self.box.evaluate(HEIGHT)
        assert abs(height - self.height) <= 2, f"{self.height}: now {height}"
        return asked


class Session:
    """A page with all explorers, and what was measured and found in it."""

    def __init__(self, notebook, names, seed, minutes):
        self.began = time.monotonic()
        self.end = self.began + 60 * minutes
        self.notebook = notebook
        self.devtools = notebook.page.context.new_cdp_session(notebook.page)
        self.devtools.send("Performance.enable")
        self.readers = [
            Visited(notebook, name, f"{seed} {name}") for name in names
        ]
        self.asked = {one.name: one.first for one in self.readers}
        self.rows, self.found = [], []

    @property
    def over(self):
        """True when the time is up, and there is enough to compare."""
        return len(self.rows) >= 8 and time.monotonic() >= self.end

    def go_round(self, moves):
        """Visit each explorer once; measure, and print a row, after each."""
        for reader in self.readers:
            if self.over:
                break
            try:
                self.asked[reader.name] = reader.visit(moves)
            except (AssertionError, Error) as error:
                first = str(error).partition("\n")[0]
                self.note(f"{reader.name} after {reader.done}: {first}")
                self.begin_anew(reader)
            self.measure(reader.name)

    def begin_anew(self, reader):
        """Make an explorer anew after a finding, for the rounds to come."""
        self.notebook.problems.clear()
        try:
            reader.page.keyboard.press("Escape")
            reader.again()
        except Error as error:
            self.note(f"{reader.name}, made anew: {error}")

    def note(self, finding):
        """Keep a finding, and print it at once."""
        self.found.append(finding)
        print(f"FOUND in visit {len(self.rows) + 1}: {finding}", flush=True)

    def measure(self, visited):
        """Add a row: what kernels and page hold, garbage left out."""
        self.devtools.send("HeapProfiler.collectGarbage")
        page = {
            one["name"]: one["value"]
            for one in self.devtools.send("Performance.getMetrics")["metrics"]
        }
        row = {
            "minutes": (time.monotonic() - self.began) / 60,
            "kernels MB": sum(one["mb"] for one in self.asked.values()),
            "largest MB": max(one["mb"] for one in self.asked.values()),
            "widgets": sum(one["widgets"] for one in self.asked.values()),
            "page MB": page["JSHeapUsedSize"] / 2**20,
            "nodes": page["Nodes"],
            "listeners": page["JSEventListeners"],
        }
        if not self.rows:
            print("visit " + " ".join(f"{name:>11}" for name in row))
        self.rows.append(row)
        cells = " ".join(f"{value:11.1f}" for value in row.values())
        print(f"{len(self.rows):5} {cells}  {visited}", flush=True)

    def growths(self):
        """Return sentences on what has grown since the second quarter."""
        quarter = max(len(self.rows) // 4, 1)
        early, late = self.rows[quarter : 2 * quarter], self.rows[-quarter:]
        found = []
        for name, room in ROOM.items():
            before, after = (
                statistics.median(row[name] for row in rows)
                for rows in (early, late)
            )
            if after > before * GROWTH and after > before + room:
                found.append(f"{name} grew from {before:.1f} to {after:.1f}")
        return found


def write_notebooks(lab, names):
    """Write a notebook for each explorer into a server's folder."""
    for name in names:
        path = lab.root / f"{name.removesuffix('.svg')}.ipynb"
        nbformat.write(notebook_with(name), path)


def hold(lab, page, minutes, moves, seed, names):
    """Hold a session; return it, with what was measured and found.

    Parameters
    ----------
    lab : Lab
        Running, started with EXPOSED, with the notebooks written.
    page : playwright Page
        A fresh page.
    minutes : float
        How long; at least eight visits.
    moves : int
        How many a visit.
    seed : str
    names : sequence of str
        Which of `helpers.stills.EXPLORERS`.
    """
    page.set_default_timeout(60_000)
    first = f"{names[0].removesuffix('.svg')}.ipynb"
    session = Session(NotebookPage(page, lab, first), names, seed, minutes)
    while not session.over:
        session.go_round(moves)
    return session


def main(words=None):
    """Hold one session, and print what was measured and found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--moves", type=int, default=12)
    parser.add_argument("--seed", default=str(time.time_ns() % 10**6))
    parser.add_argument("names", nargs="*", default=ONE_OF_EACH_KIND)
    asked = parser.parse_args(words)
    print(f"seed {asked.seed}: {', '.join(asked.names)}", flush=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=require_tool(*CHROMIUM), args=CHROMIUM_FLAGS
        )
        lab = Lab(Path(folder), EXPOSED)
        write_notebooks(lab, asked.names)
        try:
            lab.wait_until_ready()
            session = hold(
                lab,
                browser.new_page(viewport={"width": 1400, "height": 1700}),
                *(asked.minutes, asked.moves, asked.seed, asked.names),
            )
        finally:
            browser.close()
            lab.stop()
    found = session.found + session.growths()
    print("\n".join(found) or "Nothing has grown, nothing was found.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())

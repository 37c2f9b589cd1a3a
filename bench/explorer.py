"""Time the main explorer against Matplotlib: `interact`, and ipympl.

    python -m bench.explorer             in real kernels, no browser
    python -m bench.explorer --browser   and the browser's layout, in Chromium

`interact` draws a new figure at each move; ipympl keeps one and changes what
it shows. All show the same content: the maps of all heads with words, numbers
and outlines, their average, the FLOP bars and a sentence. The explorer also
has tables, and a tooltip on each cell. Times are the kernel's main thread,
from a changed value to bytes sent; bytes are those of all messages. Medians,
in one run. Each peer has a kernel of its own with an explorer beside it, since
Matplotlib's two ways disturb each other.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
from pathlib import Path

from bench.turns import ONE_THREAD

ROOT = Path(__file__).parent.parent


class Kernel:
    """A real IPython kernel that runs code and returns its RESULT line."""

    def __init__(self):
        from jupyter_client.manager import start_new_kernel

        self.manager, self.client = start_new_kernel(
            env={**os.environ, **ONE_THREAD}, cwd=str(ROOT)
        )

    def run(self, code):
        """Run `code`; return what it printed after RESULT, parsed."""
        said = []

        def hook(message):
            content = message["content"]
            if message["msg_type"] == "stream":
                said.append(content["text"])
            elif message["msg_type"] == "error":
                raise RuntimeError("\n".join(content["traceback"]))

        self.client.execute_interactive(code, output_hook=hook, timeout=300)
        for line in "".join(said).splitlines():
            if line.startswith("RESULT "):
                return json.loads(line[len("RESULT ") :])
        return None

    def stop(self):
        """End the kernel."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def explorer_beside(backend):
    """Return a kernel with an explorer, and Matplotlib's `backend`."""
    kernel = Kernel()
    kernel.run(f"%matplotlib {backend}")
    kernel.run("from bench import explorer_in_kernel as k")
    kernel.run("k.display(k.explorer)")
    return kernel


LAYOUT = """svg => {
    const place = document.getElementById('place'), times = [];
    for (let i = 0; i < 15; i++) {
        place.innerHTML = '';
        place.getBoundingClientRect();
        const start = performance.now();
        place.innerHTML = svg;
        place.getBoundingClientRect();
        times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[7] / 1000;
}"""


def layout_seconds(svgs):
    """Return how long Chromium takes to lay each SVG out (median of 15)."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        page = browser.new_page()
        page.set_content('<div id="place" style="width:1000px"></div>')
        found = [page.evaluate(LAYOUT, svg) for svg in svgs]
        browser.close()
    return found


def median(pairs, which):
    """Return the median of the times (0) or of the bytes (1)."""
    return statistics.median(pair[which] for pair in pairs)


def report(h, row, layout):
    """Print the lines of one number of heads, beside `interact`."""
    update, peer = median(row["updates"], 0), median(row["peers"], 0)
    moved = median(row["head_changes"], 0)
    print(
        f"h = {h}\n"
        f"  update {update * 1e3:.2f} ms, interact {peer * 1e3:.0f} ms: "
        f"{peer / update:.0f} times (goal 200)\n"
        f"  {bytes_beside(row, 'interact')} (goal 0.65 at most)\n"
        f"  h itself moved {moved * 1e3:.2f} ms: {moved / update:.2f} "
        f"updates (goal 3 at most)"
    )
    if layout is not None:
        both = update + layout
        print(
            f"  with the browser's layout {both * 1e3:.1f} ms: "
            f"{peer / both:.0f} times (goal 50)"
        )


def report_ipympl(row):
    """Print the lines beside ipympl."""
    update, peer = median(row["updates"], 0), median(row["peers"], 0)
    print(
        f"  update {update * 1e3:.2f} ms, ipympl {peer * 1e3:.0f} ms: "
        f"{peer / update:.0f} times\n  {bytes_beside(row, 'ipympl')}"
    )


def bytes_beside(row, name):
    """Return the sizes of a move's messages and their ratio, in words."""
    size, peer_size = median(row["updates"], 1), median(row["peers"], 1)
    return (
        f"bytes {size:,.0f}, {name} {peer_size:,.0f}: {size / peer_size:.2f}"
    )


def main(arguments):
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args(arguments)
    kernel = explorer_beside("inline")
    rows = {h: kernel.run(f"k.measure({h}, k.new_figures)") for h in (8, 16)}
    other = explorer_beside("widget")
    kept = {h: other.run(f"k.measure({h}, k.kept_figure)") for h in rows}
    other.stop()
    layouts = [None] * len(rows)
    if options.browser:
        layouts = layout_seconds([row["svg"] for row in rows.values()])
    print("from a changed value to bytes sent, kernel's main thread, medians")
    for (h, row), layout in zip(rows.items(), layouts, strict=True):
        report(h, row, layout)
        report_ipympl(kept[h])
    for d_model in (512, 1024):
        drag = kernel.run(f"k.drag({d_model})")
        print(
            f"30 values of h in a second at d_model = {d_model}: "
            f"{drag['drawn']} drawn (goal 25), the last after "
            f"{drag['last'] * 1e3:.1f} ms (goal 20 at most)"
        )
    kernel.stop()


if __name__ == "__main__":
    main(sys.argv[1:])

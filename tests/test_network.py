"""No notebook uses the network, or starts a program that might.

Each runs once in a kernel whose first cell sets an audit hook. Python tells
it of every name looked up, connection and new program, whatever library asks
for it; an attempt is written down and refused. The kernel's own messages go
through ZeroMQ, which is C and does not ask.
"""

import json

import pytest
from nbformat.v4 import new_code_cell

from tests import notebook_rules as rules
from tests.test_notebooks import collection, each, load  # noqa: F401
from tests.tools import notebook_of

HOOK = """
def _refuse(event, arguments, log={log!r}, watched={watched!r}, busy=[]):
    if event not in watched or busy:
        return
    busy.append(event)
    try:
        import json
        with open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps([event, repr(arguments[1:])]) + chr(10))
    finally:
        busy.clear()
    raise OSError("no network here: " + event)

__import__("sys").addaudithook(_refuse)
"""
WATCHED = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.gethostbyname",
    "socket.sendto",
    "socket.sendmsg",
    "socket.bind",
    "urllib.Request",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "webbrowser.open",
)


def attempts(notebook, folder):
    """Run the notebook; return it, and the events that were refused."""
    log = folder / "attempts.jsonl"
    log.touch()
    cell = new_code_cell(HOOK.format(log=str(log), watched=WATCHED))
    notebook.cells.insert(0, cell)
    done = rules.executed(notebook, folder / "notebooks")
    lines = log.read_text(encoding="utf-8").splitlines()
    return done, [json.loads(line) for line in lines]


@each
def test_no_notebook_asks_for_the_network(path, collection):  # noqa: F811
    done, found = attempts(load(path), collection)
    assert found == []
    assert rules.run_complaints(done) == []


@pytest.mark.parametrize(
    ("code", "event"),
    [
        ("socket.create_connection(('192.0.2.1', 80))", "getaddrinfo"),
        ("socket.socket().connect(('192.0.2.1', 80))", "connect"),
        ("urllib.request.urlopen('http://192.0.2.1/')", "Request"),
        ("subprocess.run(['curl', 'http://192.0.2.1/'])", "Popen"),
        ("os.system('curl http://192.0.2.1/')", "system"),
    ],
)
def test_an_attempt_is_seen_though_it_is_swallowed(code, event, tmp_path):
    (tmp_path / "notebooks").mkdir()
    cell = (
        "import os, socket, subprocess, urllib.request\n"
        f"try:\n    {code}\nexcept OSError as error:\n    print(error)"
    )
    done, found = attempts(notebook_of(cell), tmp_path)
    assert found and found[0][0].endswith(event)
    assert "no network here" in str(done.cells[1].outputs)

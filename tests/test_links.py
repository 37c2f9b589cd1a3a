"""The monthly question to other hosts, asked of a host of our own."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests import links


class Host(BaseHTTPRequestHandler):
    """Answers /410 with 410, and refuses HEAD under /get."""

    def answer(self):
        """Give the number in the path, 200 without one."""
        refused = self.command == "HEAD" and self.path.startswith("/get")
        number = self.path.strip("/")
        self.send_response(
            405 if refused else int(number) if number.isdigit() else 200
        )
        self.end_headers()

    do_HEAD = do_GET = answer

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def host():
    """Return the address of a host on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("/page", "alive"),
        ("/get", "alive"),
        ("/404", "dead"),
        ("/410", "dead"),
        ("/403", "says 403"),
        ("/503", "says 503"),
    ],
)
def test_g09_a_page_that_is_gone_is_dead(host, path, state):
    assert links.state_of(host + path) == state


def test_g09_a_host_that_is_gone_is_dead():
    assert links.state_of("http://127.0.0.1:1/page") == "dead"


def test_g09_links_are_found_and_placeholders_are_not():
    found = links.links()
    assert "https://mybinder.org/badge_logo.svg" in found
    assert not [link for link in found if "OWNER" in link or "(" in link[:9]]
    assert all(link.startswith("http") for link in found)


def test_g09_one_dead_link_fails_the_command(host, monkeypatch, capsys):
    there = {host + "/page": links.files("*.md")[0]}
    monkeypatch.setattr(links, "links", lambda: there)
    assert links.main() == 0
    there[host + "/404"] = there[host + "/page"]
    assert links.main() == 1
    assert "2 links, 1 dead" in capsys.readouterr().out

"""Ask every link to another host whether it still leads somewhere.

    python -m tests.links

reads the pages, the notebooks and the sources named in helpers/. A page that
is gone (404, 410) or a host that is gone is a dead link. A host that answers
a program with anything else (403, 429, 5xx) is only told: it may answer a
reader. Nothing here runs in the tests or in a notebook.
"""

import re
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from tests.tools import files

SECONDS = 20
GONE = (404, 410)
OURS = ("OWNER/REPO", "localhost", "127.0.0.1", "example.", "www.w3.org/2000")
LINK = re.compile(r"https?://[^\s<>\"'`\\)\]}|]+")


def links():
    """Return {link: a file that has it}, sorted by link."""
    found = {}
    for pattern in ("*.md", "notebooks/*.ipynb", "helpers/*.json"):
        for path in files(pattern):
            for link in LINK.findall(path.read_text(encoding="utf-8")):
                link = link.rstrip(".,;:*").partition("#")[0]
                if not any(part in link for part in OURS):
                    found.setdefault(link, path)
    return dict(sorted(found.items()))


def state_of(link):
    """Return "alive", "dead", or what else its host says."""
    said = "dead"
    for method in ("HEAD", "GET"):  # some hosts refuse the first
        asked = urllib.request.Request(
            link, method=method, headers={"User-Agent": "Mozilla/5.0"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=SECONDS):
                return "alive"
        except urllib.error.HTTPError as error:
            said = "dead" if error.code in GONE else f"says {error.code}"
        except (OSError, ValueError):
            said = "dead"
    return said


def main():
    """Ask all links; return 1 if one is dead."""
    found = links()
    with ThreadPoolExecutor(8) as pool:
        states = list(pool.map(state_of, found))
    for (link, path), state in zip(found.items(), states, strict=True):
        if state != "alive":
            print(f"{state:9} {link} in {path.name}")
    print(f"{len(found)} links, {states.count('dead')} dead")
    return int("dead" in states)


if __name__ == "__main__":
    sys.exit(main())

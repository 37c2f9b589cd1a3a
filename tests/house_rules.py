"""The rules of the house, each a function from files to complaints.

A complaint is a sentence that begins with its place; no complaint, no
problem. test_house.py puts the real files through, and small broken ones.
"""

import ast
import re
import sys
from pathlib import Path
from urllib.parse import unquote

NUMPY = {"numpy"}
FLOORS = (
    {"sizes": set(), "environment": set(), "glossary": set()},
    {"choice_rules": set(), "number_rules": NUMPY},
    {"array_rules": NUMPY, "cost": set(), "sentences": NUMPY},
    {
        "attention": NUMPY,
        "map_rules": NUMPY,
        "rope": NUMPY,
        "models": set(),
        "questions": set(),
    },
    {
        "cache": NUMPY,
        "tiled": NUMPY,
        "counted": NUMPY,
        "plot_words": NUMPY | {"matplotlib"},
        "pooling": NUMPY,
        "weights": NUMPY,
        "roles": NUMPY,
        "steps": NUMPY,
    },
    {
        "learn": NUMPY,
        "pretrained": NUMPY,
        "pictures": NUMPY,
        "plots": NUMPY | {"matplotlib", "IPython"},
    },
    {"checks": NUMPY},
    {
        "bugs": NUMPY,
        "controls": NUMPY | {"ipywidgets", "IPython"},
    },
    {"quiz": {"ipywidgets"}},
    {"explorers": NUMPY | {"ipywidgets"}},
    {"stills": NUMPY},
)

UNSAFE_MODULES = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve"}
UNSAFE_CALLS = {"eval", "exec", "input", "__import__"}
NETWORK = {
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "requests",
    "smtplib",
    "socket",
    "ssl",
    "urllib.request",
    "urllib3",
    "xmlrpc",
}
SHELL = {"subprocess", "pty"}
SHELL_CALLS = {("os", "system"), ("os", "popen")}
TWO_MEANINGS = {"groups", "n_kv_groups", "weights"}


def imports_of(tree):
    """Return the (module, line) pairs that a syntax tree imports."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(name.name, node.lineno) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            if base == "helpers":
                found += [
                    (f"helpers.{n.name}", node.lineno) for n in node.names
                ]
            else:
                found.append((base, node.lineno))
    return found


def floor_of(module):
    """Return the floor a helpers module stands on, or None."""
    for number, modules in enumerate(FLOORS):
        if module in modules:
            return number
    return None


def floor_complaints(module, tree, where):
    """Complain about imports that go up, sideways or outside the table.

    Parameters
    ----------
    module : str
        The first name below `helpers`, such as "attention" or "checks".
    """
    own = floor_of(module)
    if own is None:
        return [f"{where}: {module} stands on no floor of the table"]
    found = []
    for name, line in imports_of(tree):
        if name.startswith("."):
            found.append(f"{where}:{line}: write {name} as helpers.…")
            continue
        top, *rest = name.split(".")
        if top == "helpers":
            used = rest[0] if rest else ""
            floor = floor_of(used)
            if used == module:
                continue
            if floor is None or floor >= own:
                found.append(
                    f"{where}:{line}: {module} (floor {own}) may not import"
                    f" {name} (floor {floor})"
                )
        elif top not in sys.stdlib_module_names:
            if top not in FLOORS[own][module]:
                found.append(f"{where}:{line}: {module} may not import {top}")
    return found


def safety_complaints(tree, where):
    """Complain about unsafe readers, evaluation of text, and input()."""
    found = []
    for name, line in imports_of(tree):
        if name.split(".")[0] in UNSAFE_MODULES:
            found.append(f"{where}:{line}: imports {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in UNSAFE_CALLS:
                found.append(f"{where}:{node.lineno}: calls {node.func.id}()")
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            if not (
                isinstance(node.value, ast.Constant)
                and node.value.value is False
            ):
                found.append(f"{where}:{node.value.lineno}: allow_pickle")
    return found


def outside_complaints(tree, where):
    """Complain about the network and the shell, for readers' code."""
    found = []
    for name, line in imports_of(tree):
        parts = name.split(".")
        starts = {".".join(parts[: n + 1]) for n in range(len(parts))}
        if starts & (NETWORK | SHELL):
            found.append(f"{where}:{line}: imports {name}")
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in SHELL_CALLS
        ):
            found.append(f"{where}:{node.lineno}: uses os.{node.attr}")
    return found


def encoding_complaints(tree, where):
    """Complain about text files opened without naming UTF-8."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        called_as = getattr(called, "attr", None)
        if isinstance(called, ast.Name) and called.id == "open":
            mode_at = 1
        elif called_as == "open":
            if isinstance(called.value, ast.Name) and called.value.id in (
                "Image",
                "gzip",
                "webbrowser",
                "zipfile",
            ):
                continue
            mode_at = 0
        elif called_as in ("read_text", "write_text"):
            mode_at = None
        else:
            continue
        named = {word.arg: word.value for word in node.keywords}
        mode = named.get("mode")
        if mode is None and mode_at is not None and len(node.args) > mode_at:
            mode = node.args[mode_at]
        if isinstance(mode, ast.Constant) and "b" in str(mode.value):
            continue
        encoding = named.get("encoding")
        if encoding is None and called_as == "read_text" and node.args:
            encoding = node.args[0]
        if not (
            isinstance(encoding, ast.Constant)
            and str(encoding.value).lower() in ("utf-8", "ascii")
        ):
            found.append(f"{where}:{node.lineno}: name encoding='utf-8'")
    return found


def html_complaints(tree, where):
    """Complain about HTML that is made of text as it came.

    What goes into `HTML(…)` is written here, or made by a function that
    escapes: a name or an attribute alone is not. A style sheet is no text.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword | ast.Attribute):
            name = getattr(node, "arg", None) or getattr(node, "attr", None)
            if name == "description_allow_html":
                found.append(f"{where}:{node.lineno}: {name}")
        if not (
            isinstance(node, ast.Call)
            and "HTML"
            in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
        ):
            continue
        values = [word.value for word in node.keywords if word.arg == "value"]
        for made in [*node.args[:1], *values]:
            if isinstance(made, ast.Constant | ast.Call):
                continue
            parts = getattr(made, "values", [made])
            first = getattr(parts[0], "value", "")
            if isinstance(first, str) and first.startswith("<style>"):
                continue
            for part in parts:
                inner = getattr(part, "value", part)
                if isinstance(inner, ast.Name) and inner.id.isupper():
                    continue
                if not isinstance(part, ast.Constant) and not isinstance(
                    inner, ast.Call
                ):
                    found.append(f"{where}:{node.lineno}: HTML of raw text")
    return found


def name_complaints(tree, where):
    """Complain about names that have two meanings in the field."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Attribute) and isinstance(
            node.ctx, ast.Store
        ):
            name = node.attr
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = node.name
        else:
            continue
        if name in TWO_MEANINGS:
            found.append(f"{where}:{node.lineno}: the name {name!r}")
    return found


def slugs(markdown):
    """Return the anchors that GitHub makes of a page's headings."""
    titles = re.findall(r"^#+ +(.+?) *$", without_code(markdown), re.M)
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.replace(" ", "-") for title in plain}


def without_code(markdown):
    """Return the text without fenced blocks and code spans."""
    markdown = re.sub(r"^(`{3,}).*?^\1", "", markdown, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", markdown)


def link_complaints(markdown, page, where):
    """Complain about links to local files or headings that do not exist.

    Parameters
    ----------
    page : Path
        The file that holds the text: links are relative to its folder.
    """
    text = without_code(markdown)
    links = re.findall(r"\]\(\s*<?([^)\s>]+)", text)
    links += re.findall(r"\b(?:src|href)=[\"']([^\"']+)[\"']", text)
    found = []
    for link in links:
        if re.match(r"[a-z][a-z0-9+.\-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / unquote(path)) if path else page
        if not target.exists():
            found.append(f"{where}: the link {link} leads nowhere")
        elif anchor and target.suffix == ".md":
            known = slugs(Path(target).read_text(encoding="utf-8"))
            if anchor not in known:
                found.append(f"{where}: no heading for {link}")
    return found


def commands_in(markdown):
    """Return the lines of the fenced blocks, by the block's language."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", markdown, re.M | re.S)
    lines = {}
    for language, text in blocks:
        lines.setdefault(language, []).extend(text.splitlines())
    return lines


def command_complaints(command, root, where):
    """Complain about files a command names that are not there."""
    words = re.findall(r"[\w./\\-]+\.(?:txt|ipynb|py|md)\b", command)
    paths = (word.replace("\\", "/") for word in words)
    return [
        f"{where}: {path} does not exist"
        for path in paths
        if not (root / path).is_file()
    ]


def requirements_in(path):
    """Return the requirements a file asks for, `-r` followed."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("-r"):
            found += requirements_in(path.parent / line[2:].strip())
        elif line:
            found.append(line)
    return sorted(found)

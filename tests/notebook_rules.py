"""What a committed notebook keeps to, as functions that complain.

Each function takes a notebook and returns sentences, one a fault; none, no
fault. test_notebooks.py puts the real notebooks through, and broken ones.
"""

import ast
import copy
import json
import re
import warnings

import nbformat
from nbclient import NotebookClient

FIRST = ("You will build", "You will be able to", "You need")
LAST = (
    "Check",
    "On your own",
    "What you built",
    "Say it out loud",
    "Next",
)
SLIDES = {"slide", "subslide", "fragment", "notes", "skip", "-"}
CELL_METADATA = {"slideshow", "tags", "jupyter"}
AVOID = (
    r"\b(simply|obviously|trivially|of course|powerful|seamless\w*|delve\w*"
    r"|leverag\w+|crucial\w*|needless to say)\b"
)
MAX_LINES, MAX_COLUMNS = 12, 79
MAX_WORDS, MAX_CODE_CELLS, MAX_BARE = 90, 40, 0.15


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def prose_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "markdown"]


def named(cell):
    """Return a cell's id and first words, to find it by."""
    first = next(iter(cell.source.splitlines()), "")
    return f"cell {cell.get('id')} ({first[:40]!r})"


# --- the file -----------------------------------------------------------


def format_complaints(text):
    """Complain about a file that is not a clean nbformat 4.5."""
    raw = json.loads(text)
    if (raw["nbformat"], raw["nbformat_minor"]) < (4, 5):
        return [f"nbformat {raw['nbformat']}.{raw['nbformat_minor']} < 4.5"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nbformat.validate(raw)
    except (nbformat.ValidationError, Warning) as error:
        return [f"not valid: {str(error).splitlines()[0]}"]
    ids = [cell["id"] for cell in raw["cells"]]
    if len(set(ids)) < len(ids):
        return ["two cells share an id"]
    if nbformat.writes(nbformat.reads(text, as_version=4)) + "\n" != text:
        return ["saving the notebook again would change the file"]
    return []


def leftover_complaints(notebook):
    """Complain about outputs, widget state and other programs' metadata."""
    found = []
    for cell in notebook.cells:
        if cell.get("outputs"):
            found.append(f"{named(cell)} has outputs")
        if cell.get("execution_count") is not None:
            found.append(f"{named(cell)} has a run's number")
        if cell.get("attachments"):
            found.append(f"{named(cell)} has attachments")
        foreign = set(cell.metadata) - CELL_METADATA
        foreign |= set(cell.metadata.get("jupyter", {})) - {"source_hidden"}
        if foreign:
            found.append(f"{named(cell)} has metadata {sorted(foreign)}")
    foreign = set(notebook.metadata) - {"kernelspec", "language_info"}
    if foreign:
        found.append(f"the notebook has metadata {sorted(foreign)}")
    if set(notebook.metadata.get("language_info", {})) - {"name"}:
        found.append("language_info says more than the name")
    kernel = notebook.metadata.get("kernelspec", {})
    if kernel.get("name") != "python3":
        found.append(f"the kernel is {kernel.get('name')!r}, not 'python3'")
    return found


# --- what a reader sees -------------------------------------------------


def words_in(markdown):
    """Return how many words of prose a Markdown text has.

    Code, formulas, pictures, tables and HTML tags are not counted.
    """
    text = re.sub(r"^(`{3,}).*?^\1", "", markdown, flags=re.M | re.S)
    text = re.sub(r"^\s*\|.*$", "", text, flags=re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]*>", "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]*`", "", text, flags=re.S)
    return len(re.findall(r"\w[\w'’-]*", text))


def headings(notebook):
    """Return the headings of level 2 and deeper, without their marks."""
    text = "\n\n".join(cell.source for cell in prose_cells(notebook))
    text = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.M | re.S)
    return [h.strip(" #*") for h in re.findall(r"^##+ +(.+)$", text, re.M)]


def frame_complaints(notebook):
    """Complain about a first cell or closing sections that lack a part."""
    found = []
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        found.append("the first cell has no title")
    for part in FIRST:
        if part not in first.source:
            found.append(f"the first cell lacks {part!r}")
    if not re.search(r"\d+ min", first.source):
        found.append("the first cell does not say how many minutes")
    if tuple(headings(notebook)[-len(LAST) :]) != LAST:
        found.append(f"the last headings are not {', '.join(LAST)}")
    return found


def setup_complaints(notebook, setup):
    """Complain about a first code cell that is not the common setup."""
    cells = code_cells(notebook)
    if not cells or not cells[0].source.startswith(setup.rstrip("\n")):
        return ["the first code cell does not begin with the setup lines"]
    more = cells[0].source[len(setup.rstrip("\n")) :].splitlines()
    allowed = (
        r"from helpers(\.[\w.]+)? import .+|import helpers\.[\w.]+ as \w+"
        r"|rng = np\.random\.default_rng\(7\)|%matplotlib inline|"
    )
    return [
        f"the setup cell has its own line {line!r}"
        for line in more
        if not re.fullmatch(allowed, line)
    ]


def size_complaints(notebook):
    """Complain about long cells, many cells, and code without prose."""
    found = []
    cells = code_cells(notebook)
    if len(cells) > MAX_CODE_CELLS:
        found.append(f"{len(cells)} code cells, at most {MAX_CODE_CELLS}")
    for cell in cells:
        lines = cell.source.splitlines()
        if len(lines) > MAX_LINES:
            found.append(f"{named(cell)} has {len(lines)} lines")
        if any(len(line) > MAX_COLUMNS for line in lines):
            found.append(f"{named(cell)} is wider than {MAX_COLUMNS}")
        if not cell.source.strip():
            found.append(f"{named(cell)} is empty")
    for cell in prose_cells(notebook):
        count = words_in(cell.source)
        if count > MAX_WORDS:
            found.append(f"{named(cell)} has {count} words")
    kinds = [cell.cell_type for cell in notebook.cells]
    bare = sum(
        here == "code" and before != "markdown"
        for before, here in zip([None, *kinds], kinds)
    )
    if bare > MAX_BARE * len(cells):
        found.append(f"{bare} of {len(cells)} code cells have no prose before")
    return found


def word_complaints(notebook):
    """Complain about words that the course does without."""
    return [
        f"{named(cell)} says {word!r}"
        for cell in prose_cells(notebook)
        for word in re.findall(AVOID, cell.source, re.I)
    ]


def slide_complaints(notebook):
    """Complain about cells without a slide type."""
    found = [
        f"{named(cell)} has no slide type"
        for cell in notebook.cells
        if cell.metadata.get("slideshow", {}).get("slide_type") not in SLIDES
    ]
    if notebook.cells[0].metadata.get("slideshow") != {"slide_type": "slide"}:
        found.append("the first cell does not begin a slide")
    return found


def pictures_in(markdown):
    """Return the alternative texts of the pictures in a prose cell."""
    alts = re.findall(r"!\[([^\]]*)\]\(", markdown)
    for tag in re.findall(r"<img\b[^>]*>", markdown):
        alt = re.search(r"\balt=(\"[^\"]*\"|'[^']*')", tag)
        alts.append(alt[1][1:-1] if alt else "")
    return alts


def explorer_complaints(notebook):
    """Complain about explorers without a still, pictures without words.

    A picture below a "Predict" would give the answer away: it is folded.
    """
    found = []
    for cell in prose_cells(notebook):
        asked = cell.source.partition("**Predict**")[2]
        in_sight = re.sub("<details>.*?</details>", "", asked, flags=re.S)
        if pictures_in(in_sight):
            found.append(f"{named(cell)} shows what is to be predicted")
        if any(not alt.strip() for alt in pictures_in(cell.source)):
            found.append(f"{named(cell)} has a picture without alt text")
    cells = notebook.cells
    for number, cell in enumerate(cells):
        if cell.cell_type != "code" or not re.search(
            r"^\s*(\w+ = )?explore_\w+\(", cell.source, re.M
        ):
            continue
        around = cells[max(number - 1, 0) : number + 2]
        kinds = [c.cell_type for c in around]
        if kinds != ["markdown", "code", "markdown"]:
            found.append(f"{named(cell)} does not stand between prose")
        elif not pictures_in(around[0].source):
            found.append(f"{named(cell)} has no still picture before it")
    return found


def widget_value_complaints(notebook):
    """Complain about cells that read a widget's value."""
    found = []
    for cell in code_cells(notebook):
        code = re.sub(r"^[%!].*$", "", cell.source, flags=re.M)
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Attribute) and node.attr == "value":
                found.append(f"{named(cell)} reads a widget's value")
    return found


# --- what it does -------------------------------------------------------


def every_cell_twice(notebook):
    """Return a copy in which each code cell is followed by its twin."""
    twin = copy.deepcopy(notebook)
    twin.cells = []
    for cell in notebook.cells:
        twin.cells.append(copy.deepcopy(cell))
        if cell.cell_type == "code":
            again = copy.deepcopy(cell)
            again.id = f"{cell.id}-2"[-64:]
            twin.cells.append(again)
    return twin


def executed(notebook, folder, seconds=120):
    """Run a copy of the notebook in a fresh kernel; return the copy.

    Errors do not stop it: `run_complaints` reads them afterwards.
    """
    done = copy.deepcopy(notebook)
    NotebookClient(
        done,
        timeout=seconds,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return done


def bad_outputs(outputs):
    """Return what is wrong in a list of outputs, as sentences."""
    found = []
    for output in outputs:
        if output.get("output_type") == "error":
            found.append(f"{output.get('ename')}: {output.get('evalue')}")
        elif output.get("name") == "stderr":
            text = output.get("text", "")
            found.append(f"stderr: {''.join(text).strip()}")
        data = output.get("data", {})
        if "image/png" not in data and "".join(
            data.get("text/plain", "")
        ).startswith("<Figure"):
            found.append("a figure is not drawn: %matplotlib inline?")
    return found


def run_complaints(notebook):
    """Complain about errors in a notebook that has run.

    Also those which only a widget's Output area holds: a callback's error
    does not stop a run.
    """
    found = [
        f"{named(cell)}: {fault}"
        for cell in code_cells(notebook)
        for fault in bad_outputs(cell.outputs)
    ]
    states = notebook.metadata.get("widgets", {})
    state = states.get("application/vnd.jupyter.widget-state+json", {})
    for model in state.get("state", {}).values():
        for fault in bad_outputs(model["state"].get("outputs", [])):
            found.append(f"an Output widget: {fault}")
    return found

"""What comes from others is named, with its licence.

Of the packages, the table of LAUNCHING.md; of what is derived, NOTICE.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement

from helpers.pretrained.files import MINILM
from helpers.pretrained.make_sample import WEIGHTS
from helpers.pretrained.sample import FOLDER
from tests.house_rules import requirements_in
from tests.tools import ROOT

# A row of the table begins with a word of the left; the packages' own
# metadata say a word of the right.
KINDS = {
    "BSD": r"BSD",
    "MIT": r"\bMIT",
    "Apache": r"Apache",
    "ISC": r"ISC",
    "PSF": r"PSF|Python Software Foundation",
    "MPL": r"MPL|Mozilla",
}
MOST = ("BSD", "MIT")  # rows that count their packages and name a few


def needed():
    """Return {name: licences} of all that a reader's list brings in here."""
    found, waiting, seen = (
        {},
        requirements_in(ROOT / "requirements.txt"),
        set(),
    )
    while waiting:
        asked = Requirement(waiting.pop())
        extras = frozenset(asked.extras or {""})
        if (asked.name, extras) in seen:
            continue
        seen.add((asked.name, extras))
        try:
            package = distribution(asked.name)
        except PackageNotFoundError:  # another system's, or optional
            continue
        found[package.name] = licences(package.metadata)
        for line in package.requires or ():
            marker = Requirement(line).marker
            if not marker or any(
                marker.evaluate({"extra": e}) for e in extras
            ):
                waiting.append(line)
    return found


def licences(metadata):
    """Return what a package's metadata say of its licence, in one line."""
    said = metadata.get_all("Classifier") or []
    said = [line for line in said if line.startswith("License ::")]
    said += (metadata.get("License") or "").splitlines()[:1]
    return metadata.get("License-Expression") or " ".join(said)


def table():
    """Return {kind: what stands beside it} of the table in LAUNCHING.md."""
    page = (ROOT / "LAUNCHING.md").read_text(encoding="utf-8")
    page = page.partition("under which licences")[2]
    rows = re.findall(r"^\| (\w+)[^|]*\| (.+) \|$", page, re.M)
    return {kind: names for kind, names in rows if kind in KINDS}


def test_the_table_has_a_row_for_each_kind():
    assert set(table()) == set(KINDS)


def test_each_package_has_a_licence_of_the_table_and_none_is_gpl():
    faults = []
    for name, said in needed().items():
        kinds = [kind for kind, word in KINDS.items() if re.search(word, said)]
        named = " ".join(table()[kind] for kind in kinds)
        stands = re.search(rf"\b{re.escape(name)}\b", named, re.I)
        if re.search(r"GPL|General Public", said) or not kinds:
            faults.append((name, said))
        elif not (stands or set(kinds) & set(MOST)):
            faults.append((name, "is not named in its row"))
    assert not faults


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in MOST])
def test_a_package_stands_in_its_own_row(kind):
    here = {name.casefold(): said for name, said in needed().items()}
    for name in re.findall(r"[\w-]+", table()[kind].casefold()):
        if name in here:
            assert re.search(KINDS[kind], here[name]), name


def test_the_notice_names_the_files_the_source_and_the_changes():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    shipped = sorted(FOLDER.glob("*.npz"))
    assert len(shipped) == 3
    for path in shipped:
        assert path.relative_to(ROOT).as_posix() in notice
    assert MINILM.files[WEIGHTS] in notice
    assert "Changes, made by helpers/pretrained/make_sample.py:" in notice


def test_every_licence_text_is_named_and_there():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for path in sorted((ROOT / "licences").iterdir()):
        assert f"licences/{path.name}" in notice
    apache = (ROOT / "licences" / "Apache-2.0.txt").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in apache
    assert "9. Accepting Warranty or Additional Liability" in apache
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "NOTICE" in licence and "helpers/pretrained/sample" in licence

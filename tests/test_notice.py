"""What is derived from others' work is named, with its licence."""

from helpers.pretrained.files import MINILM
from helpers.pretrained.make_sample import WEIGHTS
from helpers.pretrained.sample import FOLDER
from tests.tools import ROOT


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

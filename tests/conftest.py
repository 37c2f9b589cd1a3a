"""The fixtures every test may ask for."""

import sys

import pytest

from tests.tools import ROOT


@pytest.fixture(scope="session")
def root():
    """Return the folder that holds README.md."""
    return ROOT


@pytest.fixture(scope="module", autouse=True)
def no_widgets_are_left():
    """Close each file's explorers: ipywidgets keeps all that it ever made."""
    yield
    if "ipywidgets" in sys.modules:
        sys.modules["ipywidgets"].Widget.close_all()

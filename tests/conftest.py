"""The fixtures every test may ask for."""

import pytest

from tests.tools import ROOT


@pytest.fixture(scope="session")
def root():
    """Return the folder that holds README.md."""
    return ROOT

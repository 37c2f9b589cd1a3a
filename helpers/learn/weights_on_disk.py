"""The weights that are shipped: written by a script, read without pickle.

    model = load_model("repeat")
    for step, model in snapshots("repeat"): ...
    load("repeat").curves["loss"]   # one number every ten steps

A file holds, for one recipe of helpers/learn/snapshots.py, the weights at
some steps (float16) and the curves of the whole training (float32).
"""

import json
import zipfile
import zlib

import numpy as np

from helpers.learn.model import Model
from helpers.learn.snapshots import RECIPES, Record, recorded
from helpers.learn.study import SHIPPED
from helpers.sizes import quoted

CURVES = {  # axes behind the first, one point each ten steps
    "step": "",
    "loss": "",
    "accuracy": "",
    "previous": "layers, heads",
    "induction": "layers, heads",
    "control loss": "",
    "control accuracy": "",
}
LARGEST = 600 * 1024  # bytes of a file
UNPACKED = 4 * LARGEST
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


class WeightsError(ValueError):
    """Weights that can't be read; the text says which, and what to do."""


def file_of(name):
    """Return where the weights of a recipe lie."""
    return SHIPPED / f"{name}.npz"


def command(name):
    """Return the command that makes a file anew."""
    return f"python -m helpers.learn.make weights {name}"


def make_weights(name):
    """Train anew, write the file, and return its path."""
    recipe, snapshots, curves = recorded(RECIPES[name])
    about = {
        "command": command(name),
        "numpy": np.__version__,
        "seed": recipe.seed,
        "sentences": repr(recipe.task),
        "settings": recipe.settings,
    }
    kept = {
        "about": np.array(json.dumps(about)),
        "kept": np.array([step for step, _ in snapshots], np.int32),
        "weights": np.array([m.flat for _, m in snapshots], np.float16),
    }
    for curve, points in curves.items():
        whole = np.issubdtype(points.dtype, np.integer)
        kept[curve] = points.astype(np.int32 if whole else np.float32)
    path = file_of(name)
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **kept)
    return path


def load(name):
    """Read all that is shipped of a training.

    Returns
    -------
    Record
        Its models are float32, and new with every call. Its curves have a
        point every ten steps: "step", "loss", "accuracy", "control loss",
        "control accuracy" (n,), the control having one layer; "previous",
        "induction" (n, layers, h), the score of each head on the rows that
        count.

    Raises
    ------
    WeightsError
        If there is no such model, or its file is missing or broken.
    """
    if not isinstance(name, str) or name not in RECIPES:
        raise WeightsError(
            f"No weights {quoted(name)} are shipped; there are "
            f"{', '.join(RECIPES)}."
        )
    recipe, path = RECIPES[name], file_of(name)
    try:
        arrays = read_arrays(path)
        return _checked(recipe, arrays)
    except FileNotFoundError:
        problem = f"helpers/learn/shipped/{path.name} is missing"
    except UNREADABLE as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        problem = f"helpers/learn/shipped/{path.name} is broken ({said})"
    raise WeightsError(
        f"{problem}. Download the collection again, or train the model "
        f"anew, some seconds: {command(name)}"
    )


def read_arrays(path):
    """Return {name: array} of a small .npz file; UNREADABLE if it is none."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"more than {LARGEST // 1024} KiB")
    if not zipfile.is_zipfile(path):
        raise ValueError("not an .npz file")
    with zipfile.ZipFile(path) as parts:
        unpacked = sum(part.file_size for part in parts.infolist())
    if unpacked > UNPACKED:
        raise ValueError(f"{unpacked} bytes when unpacked")
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _checked(recipe, arrays):
    settings = recipe.task.settings(**recipe.settings)
    start = Model(settings)
    n_points = recipe.steps // recipe.every + 1
    shapes = {
        "kept": (len(recipe.kept),),
        "weights": (len(recipe.kept), start.flat.size),
    }
    heads = (settings.n_layers, settings.h)
    for curve, axes in CURVES.items():
        shapes[curve] = (n_points, *(heads if axes else ()))
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(
                f"{name} must be {shape}, and is {arrays[name].shape}"
            )
        if arrays[name].dtype.kind not in "fi":
            raise ValueError(f"{name} must hold numbers")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds what is no number")
    if tuple(arrays["kept"].tolist()) != recipe.kept:
        raise ValueError(f"it must keep the steps {recipe.kept}")
    kept = []
    for step, flat in zip(recipe.kept, arrays["weights"]):
        model = start.copy()
        model.flat[...] = flat
        kept.append((step, model))
    curves = {name: arrays[name] for name in CURVES}
    return Record(recipe, tuple(kept), curves)


def snapshots(name="repeat"):
    """Return the shipped models, a tuple of (step, Model), first to last."""
    return load(name).snapshots


def load_model(name="repeat"):
    """Return the shipped model when its training was over."""
    return snapshots(name)[-1][1]

"""The parts of a BERT-type model, found by name in a file's arrays."""

import numpy as np

from helpers.pretrained.files import FileError

LAYER = {  # our name -> its name in the file
    "Q": "attention.self.query",
    "K": "attention.self.key",
    "V": "attention.self.value",
    "O": "attention.output.dense",
    "norm 1": "attention.output.LayerNorm",
    "1": "intermediate.dense",
    "2": "output.dense",
    "norm 2": "output.LayerNorm",
}
OLD_NAMES = {  # of files first saved before 2019
    "LayerNorm.weight": "LayerNorm.gamma",
    "LayerNorm.bias": "LayerNorm.beta",
}


class Parts:
    """A model's arrays in float32; each name and shape is checked.

    embeddings : three arrays (rows, d_model)
        Of pieces, of places, of token types.
    norm : (gain, shift), each (d_model,)
        After the embeddings.
    layers : for each layer a dict
        "Q", "K", "V", "O", "1", "2" -> (W, b), W of shape (out, in);
        "norm 1", "norm 2" -> (gain, shift).

    Parameters
    ----------
    config : Config
    arrays : dict of {str: array}
        Names with or without "bert." in front.

    Raises
    ------
    FileError
        If an array is missing, twice there, of another shape, or whole
        numbers.
    """

    def __init__(self, config, arrays):
        named = {
            name.removeprefix("bert."): array for name, array in arrays.items()
        }
        if len(named) < len(arrays):
            raise FileError("An array is there with and without bert. before.")
        d, width = config.d_model, config.width
        rows = {
            "word": config.vocabulary,
            "position": config.places,
            "token_type": config.kinds,
        }
        self.embeddings = [
            _array(named, f"embeddings.{name}_embeddings.weight", (n, d))
            for name, n in rows.items()
        ]
        self.norm = _pair(named, "embeddings.LayerNorm", (d,))
        shapes = {name: (d, d) for name in "QKVO"}
        shapes |= {"1": (width, d), "2": (d, width)}
        self.layers = [
            {
                ours: _pair(
                    named,
                    f"encoder.layer.{layer}.{theirs}",
                    shapes.get(ours, (d,)),
                )
                for ours, theirs in LAYER.items()
            }
            for layer in range(config.n_layers)
        ]


def _pair(arrays, name, shape):
    """Return a part's weight and its bias, one number for each output."""
    weight = _array(arrays, f"{name}.weight", shape)
    return weight, _array(arrays, f"{name}.bias", shape[:1])


def _array(arrays, name, shape):
    last = ".".join(name.split(".")[-2:])
    if name not in arrays and last in OLD_NAMES:
        name = name.removesuffix(last) + OLD_NAMES[last]
    if name not in arrays:
        raise FileError(
            f"model.safetensors has no array {name}: it holds another kind "
            f"of model than BERT, or less than config.json says."
        )
    array = arrays[name]
    if array.shape != shape:
        raise FileError(
            f"The array {name} must have shape {shape}, as config.json says: "
            f"got {array.shape}."
        )
    if array.dtype.kind != "f":
        raise FileError(
            f"The array {name} must hold floats: got {array.dtype}."
        )
    return np.require(array, np.float32, "A")

"""The parts of a causal model that hold no state: its sizes and two formulas.

settings_of     what a GGUF file says about a Llama-type model
norm            root-mean-square norm
swish           the gate of SwiGLU
cache_bytes     what the caches of all layers hold
"""

from dataclasses import dataclass

import numpy as np

from helpers.pretrained.files import FileError
from helpers.sizes import SizeError, Sizes, whole

EMBEDDING = "token_embd.weight"


@dataclass(frozen=True)
class Settings:
    """What the file says about the model."""

    n_layers: int
    sizes: Sizes  # of each layer's attention
    d_ff: int  # width between up and down
    N_max: int  # longest text
    vocabulary: int
    base: float  # of the rotary positions
    eps: float  # of the norms


def settings_of(file):
    """Return the settings of a Llama-type model.

    Parameters
    ----------
    file : Gguf

    Raises
    ------
    FileError
        If the model is of another kind, or a setting is missing or absurd.
    """
    if file.setting("general.architecture", str) != "llama":
        raise FileError(f"{file.name}: only models of the Llama kind run.")
    if file.setting("tokenizer.ggml.model", str) != "gpt2":
        raise FileError(f"{file.name}: only byte pairs are read.")
    unknown = [name for name in file.metadata if "rope.scaling" in name]
    if unknown or any(name.endswith(".bias") for name in file.tensors):
        raise FileError(f"{file.name}: no scaled positions and no biases.")
    if EMBEDDING not in file.tensors:
        raise FileError(f"{file.name} holds no array {EMBEDDING}.")

    def count(name, most):
        value = file.setting(f"llama.{name}", int)
        try:
            return whole(name, value, 1, most)
        except SizeError as error:
            raise FileError(f"{file.name}: {error}") from None

    d_model = count("embedding_length", 2**15)
    vocabulary, *width = file.tensors[EMBEDDING].shape
    base = file.setting("llama.rope.freq_base", float)
    eps = file.setting("llama.attention.layer_norm_rms_epsilon", float)
    if width != [d_model] or not base > 1 or not 0 < eps < 1:
        raise FileError(f"{file.name}: its settings do not fit together.")
    try:
        sizes = Sizes(
            d_model,
            count("attention.head_count", 2**10),
            count("attention.head_count_kv", 2**10),
        )
    except SizeError as error:
        raise FileError(f"{file.name}: {error}") from None
    if count("rope.dimension_count", 2**15) != sizes.d_k or sizes.d_k % 2:
        raise FileError(f"{file.name}: positions must turn all of d_k.")
    return Settings(
        n_layers=count("block_count", 2**10),
        sizes=sizes,
        d_ff=count("feed_forward_length", 2**17),
        N_max=count("context_length", 2**20),
        vocabulary=vocabulary,
        base=base,
        eps=eps,
    )


def norm(X, gain, eps):
    """Return each row divided by the root of its mean square, times gain.

    Parameters
    ----------
    X : array (..., d_model)
    gain : array (d_model,)
    eps : float
        Added to the mean square.

    Returns
    -------
    array (..., d_model)
        Computed in X's number type, rounded to that of the gain.

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization"
    (2019), equation 4.
    """
    mean_square = np.square(X).mean(axis=-1, keepdims=True)
    scaled = X / np.sqrt(mean_square + eps) * gain
    return scaled.astype(gain.dtype, copy=False)


def swish(X):
    """Return X times its sigmoid: about X above 0, about 0 below.

    Source: Shazeer, "GLU Variants Improve Transformer" (2020), equation 5.
    """
    with np.errstate(over="ignore"):  # exp(100) is infinity, and X / it 0
        return X / (1 + np.exp(-X))


def cache_bytes(cache):
    """Return the bytes that the caches of all layers hold together.

    Parameters
    ----------
    cache : sequence of KVCache

    Returns
    -------
    int
        Equal to helpers.cost.kv_cache_bytes.
    """
    return sum(one.nbytes for one in cache)

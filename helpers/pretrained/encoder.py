"""A BERT-type encoder: pieces in, states and maps of every layer out.

    X = LayerNorm(piece + place + token type)
    for each layer:  X = LayerNorm(X + attention(X))
                     X = LayerNorm(X + W_2 gelu(W_1 X))

The attention is the collection's own, from helpers/attention.py. Layers and
heads count from 0; a name shown to a reader ("4-2") counts from 1.

Source: Devlin et al., "BERT" (2019); Vaswani et al. (2017), section 3, for
the layer.
"""

from typing import NamedTuple

import numpy as np

from helpers.pretrained.files import (
    FileError,
    minilm_folder,
    or_sentence,
    path_of,
)
from helpers.pretrained.functions import layer_norm
from helpers.pretrained.layer import (
    after_layer,
    checked_state,
    finite,
    masks_of,
)
from helpers.pretrained.model_folder import (
    read_config,
    read_wordpiece,
    weights_in,
)
from helpers.pretrained.parts import Parts
from helpers.pretrained.safetensors import read_safetensors
from helpers.sizes import require_memory, whole

_quiet = np.errstate(over="ignore", invalid="ignore")  # finite() says it


class EncoderRun(NamedTuple):
    """What happened in a run of n layers.

    Parameters
    ----------
    hidden : array (n + 1, N, d_model)
        The state entering each layer, and the one after the last.
    attn : array (n, h, N, N)
        The maps; each row sums to 1.
    """

    hidden: np.ndarray
    attn: np.ndarray


class Encoder:
    """A model's weights and vocabulary, and the way through them.

    Parameters
    ----------
    config : Config
    arrays : dict of {str: array}
        As `read_safetensors` returns them.
    wordpiece : WordPiece

    Raises
    ------
    FileError
        If an array is missing, or of another shape than the config says;
        if a piece has no row in the embedding.
    """

    def __init__(self, config, arrays, wordpiece):
        self.config = config
        self.wordpiece = wordpiece
        self.parts = Parts(config, arrays)
        rows = wordpiece.vocabulary.values()
        if not 0 <= min(rows) <= max(rows) < config.vocabulary:
            raise FileError(
                f"The vocabulary numbers its pieces from {min(rows)} to "
                f"{max(rows)}; the embedding has {config.vocabulary} rows."
            )

    def encode(self, text):
        """Cut a text into Pieces; see `WordPiece.encode`."""
        return self.wordpiece.encode(text)

    def run(self, ids, block=(), patch=None, layers=None):
        """Run the pieces through the layers.

        Parameters
        ----------
        ids : sequence of int (N,)
            Rows of the word embedding, as `encode(text).ids`.
        block : iterable of (layer, head or None, query, key)
            Each hides one key from one query, in one head or in all.
        patch : (layer, row, vector), optional
            The vector (d_model,) replaces that row of the state entering
            the layer.
        layers : int, optional
            Run the first ones only; all, if left out.

        Returns
        -------
        EncoderRun

        Raises
        ------
        SizeError, ValueError
            If an id, a layer, a head or a row does not exist, or a patch is
            not d_model finite numbers.
        FileError, ValueError
            If the weights hold NaN, infinity or numbers too large.
        """
        c = self.config
        n = c.n_layers if layers is None else layers
        n = whole("layers", n, 1, c.n_layers)
        N = whole("N", len(ids), 1, c.places)
        shape = (n, c.h, N, N)
        require_memory(f"The maps {shape}", 4 * n * c.h * N * N)
        masks, patch = masks_of(block, c, N), self._patch(patch, N)
        attn = np.empty(shape, np.float32)
        hidden = np.empty((n + 1, N, c.d_model), np.float32)
        hidden[0] = self.embed(ids)
        for layer in range(n):
            if patch is not None and patch[0] == layer:
                hidden[layer, patch[1]] = patch[2]
            hidden[layer + 1], attn[layer] = self.layer(
                layer, hidden[layer], masks.get(layer)
            )
        return EncoderRun(hidden, attn)

    @_quiet
    def embed(self, ids):
        """Return the state entering layer 0: array (N, d_model)."""
        c = self.config
        rows = [whole("id", row, 0, c.vocabulary - 1) for row in ids]
        pieces, places, kinds = self.parts.embeddings
        X = pieces[rows] + places[: len(rows)] + kinds[0]
        return finite(layer_norm(X, *self.parts.norm, c.eps))

    @_quiet
    def layer(self, number, X, mask=None):
        """Return the state after a layer, and the layer's maps.

        Parameters
        ----------
        number : int
        X : array (N, d_model)
        mask : bool array (h, N, N), optional
            True where a query may see a key.

        Returns
        -------
        X : array (N, d_model)
        attn : array (h, N, N)
        """
        return after_layer(X, self.parts.layers[number], self.config, mask)

    def _patch(self, patch, N):
        if patch is None:
            return None
        layer, row, vector = patch
        layer = whole("layer", layer, 0, self.config.n_layers - 1)
        row = whole("row", row, 0, N - 1)
        return layer, row, checked_state(vector, self.config)


def load_encoder(folder=None):
    """Open an encoder; its weights stay on disk until they are touched.

    Parameters
    ----------
    folder : str or Path, optional
        A folder of your own with config.json, model.safetensors, and
        vocab.txt or tokenizer.json. Left out: the installed
        all-MiniLM-L6-v2, its files checked by SHA-256.

    Returns
    -------
    Encoder

    Raises
    ------
    MissingError
        If the package is not installed; the text is how to install it.
    FileError
        If a file is missing, hostile or of another kind of model.
    """
    folder = minilm_folder() if folder is None else path_of(folder)
    config = read_config(folder)
    wordpiece = read_wordpiece(folder, config.places)
    arrays = read_safetensors(weights_in(folder))
    return Encoder(config, arrays, wordpiece)


def encoder_or_sentence(folder=None):
    """Return (encoder, None), or (None, why not): nothing is raised."""
    return or_sentence(load_encoder, folder)

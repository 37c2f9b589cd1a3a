"""A real causal language model of the Llama kind, in the course's own parts.

    load_causal      the installed SmolLM2-135M, or a reader's own GGUF file
    Causal.run       words in, every head's map and the next word out
    Causal.generate  word by word, with the cache or without

A layer's weights become float32 when it first runs, so a few layers cost a
little memory, and all of SmolLM2 with the way out to words 0.54 GB.

Source: Touvron et al., "LLaMA" (2023), section 2.2; Allal et al., "SmolLM2"
(2025), for the model.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helpers.cache import KVCache, all_or_nothing
from helpers.pretrained.byte_pairs import BytePairs
from helpers.pretrained.causal_layer import load_layer, run_layer
from helpers.pretrained.causal_parts import (
    EMBEDDING,
    norm,
    settings_of,
)
from helpers.pretrained.files import FileError, smollm2_file
from helpers.pretrained.gguf import read_gguf
from helpers.sizes import SizeError, require_memory, whole

START = 0  # <|endoftext|>: stands first, so that no word need be the sink


@dataclass(frozen=True)
class CausalRun:
    """What a run gives.

    Parameters
    ----------
    hidden : float64 array (layers + 1, N_new, d_model)
        The state that enters each layer, and the one after the last. It
        is a sum of many terms, of which a few are 10,000 times the others.
    attn : float32 array (layers, h, N_new, N), or None
        N counts remembered tokens and new ones.
    """

    hidden: np.ndarray
    attn: np.ndarray | None
    model: "Causal"

    @cached_property
    def logits(self):
        """Scores of every piece as the next one: (N_new, vocabulary)."""
        return self.model.logits(self.hidden[-1])

    @cached_property
    def next_logits(self):
        """The same after the last token only: (vocabulary,)."""
        return self.model.logits(self.hidden[-1, -1:])[0]


def load_causal(path=None):
    """Open a causal model; SmolLM2-135M-Instruct if no path is given.

    Parameters
    ----------
    path : str or Path, optional
        A GGUF file of the Llama kind with byte pairs.

    Returns
    -------
    Causal

    Raises
    ------
    FileError
        If the file is missing or not as it must be; MissingError, whose
        text is the way to install it, if the package is not there.
    """
    return Causal(read_gguf(smollm2_file() if path is None else path))


class Causal:
    """A causal language model; `settings` and `words` are what it knows.

    Parameters
    ----------
    file : Gguf
    """

    def __init__(self, file):
        self._file = file
        self.settings = settings_of(file)
        pieces = file.setting("tokenizer.ggml.tokens", tuple)
        if len(pieces) != self.settings.vocabulary:
            raise FileError(f"{file.name}: pieces and rows differ in number.")
        self.words = BytePairs(
            pieces, file.setting("tokenizer.ggml.merges", tuple)
        )
        self.end = file.setting("tokenizer.ggml.eos_token_id", int)
        self._layers = [None] * self.settings.n_layers

    def ids(self, text):
        """Return a text's pieces for `run`: the start, then the text's."""
        return [START, *self.words.encode(text).ids]

    def new_cache(self):
        """Return an empty KV cache: one KVCache a layer."""
        return tuple(
            KVCache(self.settings.sizes, limit=self.settings.N_max)
            for _ in range(self.settings.n_layers)
        )

    def run(self, ids, cache=None, blocks=None, without=(), maps=True):
        """Run the model on tokens; with a cache, on the new ones only.

        Parameters
        ----------
        ids : sequence of int (N_new,)
        cache : tuple of KVCache, optional
            From `new_cache`; gets the new keys and values.
        blocks : int, optional
            Run only so many layers from the bottom.
        without : iterable of (layer, head)
            Heads whose output is 0; both count from 0.
        maps : bool
            False: `attn` is None, which saves its memory.

        Returns
        -------
        CausalRun

        Raises
        ------
        SizeError
            If an id, a layer or a head is not there, or the model's longest
            text would be passed. The cache is then as it was.
        """
        settings, h = self.settings, self.settings.sizes.h
        n_layers = settings.n_layers
        blocks = n_layers if blocks is None else blocks
        blocks = whole("blocks", blocks, 1, n_layers)
        ids = [whole("id", i, 0, settings.vocabulary - 1) for i in ids]
        silent = [
            (whole("layer", i, 0, n_layers - 1), whole("head", j, 0, h - 1))
            for i, j in without
        ]
        past = self._past(cache, blocks)
        N_new = whole("tokens", len(ids), 1, settings.N_max - past)
        shape = (blocks, h, N_new, past + N_new)
        if maps:
            require_memory(f"Maps {shape}", 4 * math.prod(shape))
        hidden = np.empty((blocks + 1, N_new, settings.sizes.d_model))
        attn = np.empty(shape, np.float32) if maps else None
        hidden[0] = self._file.array(EMBEDDING, rows=ids)
        with all_or_nothing(*(cache or ())):
            for i in range(blocks):
                mute = [head for layer, head in silent if layer == i]
                kept = None if cache is None else cache[i]
                hidden[i + 1], layer_attn = run_layer(
                    self.layer(i), hidden[i], self.settings, kept, mute
                )
                if maps:
                    attn[i] = layer_attn
        return CausalRun(hidden, attn, self)

    def _past(self, cache, blocks):
        if cache is None:
            return 0
        lengths = {one.N for one in cache}
        if len(cache) != blocks or len(lengths) > 1:
            raise SizeError(
                f"a cache for blocks={blocks} layers, all of one length, is "
                f"needed: got {len(cache)} of lengths {sorted(lengths)}."
            )
        return lengths.pop()

    def logits(self, X):
        """Return the scores (N, vocabulary) of the state X (N, d_model)."""
        final, W = self._read_out
        N, vocabulary = len(X), self.settings.vocabulary
        require_memory(f"Logits ({N}, {vocabulary})", 4 * N * vocabulary)
        return norm(X, final, self.settings.eps) @ W

    def generate(self, ids, n, cached=True):
        """Return an iterator over the likeliest next tokens, one by one.

        Parameters
        ----------
        ids : sequence of int
            The text so far.
        n : int
            How many; fewer if the model ends the text.
        cached : bool
            False: run the whole text again for each token.

        Returns
        -------
        iterator of int
        """
        n, ids = whole("n", n), list(ids)
        room = self.settings.N_max - len(ids)
        return self._generate(ids, whole("n", n, 1, max(room, 1)), cached)

    def _generate(self, ids, n, cached):
        cache, new = (self.new_cache(), ids) if cached else (None, ids)
        for _ in range(n):
            run = self.run(new, cache, maps=False)
            token = int(run.next_logits.argmax())
            if token == self.end:
                return
            yield token
            ids = [*ids, token]
            new = [token] if cached else ids

    def layer(self, i):
        """Return the weights of layer i, kept from the first time on."""
        if self._layers[i] is None:
            self._layers[i] = load_layer(self._file, i, self.settings)
        return self._layers[i]

    @cached_property
    def _read_out(self):
        shape = (self.settings.vocabulary, self.settings.sizes.d_model)
        own = "output.weight"  # else the embedding is read backwards
        name = own if own in self._file.tensors else EMBEDDING
        final = self._file.array("output_norm.weight", shape[1:])
        return final, self._file.array(name, shape).T

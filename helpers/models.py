"""The sizes of public models, and where each number was read.

    llama = model("Llama 3 8B")
    llama.kv_bytes(N=8192)          1 GiB in bfloat16
    llama.source("head_dim")        the pages that say so

Only models whose cache holds keys and values of n_kv_heads heads are here.
Latent attention, as in DeepSeek-V2, keeps no heads in its cache. Some models
let most layers see only a window of the last tokens; `note` says so, and the
bytes here are those of a cache that keeps every token in every layer.

Source: helpers/public_models.json. Each fact names its own.
"""

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from helpers.choice_rules import require_choice
from helpers.cost import kv_cache_bytes
from helpers.sizes import Sizes, quoted

FACTS = (
    "n_layers",
    "n_heads",
    "n_kv_heads",
    "head_dim",
    "d_model",
    "context",
)
_DATA = json.loads(
    Path(__file__).with_name("public_models.json").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Model:
    """One public model, with the names its makers use.

    Parameters
    ----------
    name, family : str
    n_layers : int
    n_heads : int
        Query heads: our h.
    n_kv_heads : int
        Key/value heads: our n_kv.
    head_dim : int
        Width of a head: our d_k and d_v. Not always d_model / n_heads.
    d_model : int
    context : int
        Tokens the model is made for.
    note : str
        What is special, or "".
    """

    name: str
    family: str
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    d_model: int
    context: int
    note: str = ""
    sources: dict = field(default_factory=dict, repr=False, compare=False)

    @property
    def queries_per_kv(self):
        """How many query heads read one key/value head."""
        return self.n_heads // self.n_kv_heads

    @property
    def kind(self):
        """Say "MHA" (n_kv = h), "MQA" (n_kv = 1) or "GQA" (between)."""
        if self.n_kv_heads == self.n_heads:
            return "MHA"
        return "MQA" if self.n_kv_heads == 1 else "GQA"

    def sizes(self):
        """Return the Sizes of one of the model's attention layers."""
        return Sizes(
            self.d_model, self.n_heads, self.n_kv_heads, d_k=self.head_dim
        )

    def kv_bytes(self, N, batch=1, number_type="bfloat16", n_kv=None):
        """Return the bytes of the keys and values of N tokens.

        Parameters
        ----------
        N, batch : int
            Tokens of a sentence; sentences.
        number_type : str
            A key of cost.BYTES_PER_NUMBER.
        n_kv : int, optional
            Key/value heads; the model's own if left out. With n_heads it
            is what plain multi-head attention would keep.
        """
        return kv_cache_bytes(
            self.n_layers,
            self.n_kv_heads if n_kv is None else n_kv,
            self.head_dim,
            N,
            batch=batch,
            number_type=number_type,
        )

    def source(self, fact):
        """Return where one of FACTS was read: a tuple of places.

        A place is a page, or repository:path@commit#name-in-the-file. A
        number that such a file does not write for the model comes from its
        defaults, and head_dim from d_model / n_heads.

        Raises
        ------
        ValueError
            If `fact` is none of FACTS.
        """
        require_choice("fact", fact, FACTS)
        places = self.sources.get(fact) or self.sources["all"]
        return tuple(_in_full(place) for place in places)


def _in_full(place):
    file, mark, name = place.partition("#")
    return _DATA["sources"].get(file, file) + mark + name


MODELS = {facts["name"]: Model(**facts) for facts in _DATA["models"]}


def model(name):
    """Return the Model of that name.

    Raises
    ------
    ValueError
        If there is none; the text says which names are close.
    """
    if isinstance(name, str) and name in MODELS:
        return MODELS[name]
    close = get_close_matches(str(name)[:80], MODELS, n=3, cutoff=0.3)
    near = ", ".join(close or list(MODELS)[:3])
    raise ValueError(
        f"name must be one of the {len(MODELS)} in MODELS: got "
        f"{quoted(name)}; close to it: {near}."
    )

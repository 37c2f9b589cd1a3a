"""A folder with a BERT-type model small enough to write for a test."""

import json
import math
from pathlib import Path

import numpy as np

from helpers.pretrained.files import MissingError, minilm_folder
from tests.tools import missing

N_LAYERS, H, D_MODEL, WIDTH, PLACES, KINDS = 2, 3, 12, 20, 17, 2
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "ate"]
PIECES += ["fish", "it", "hungry", "ta", "##sty", ".", "##s", "unused"]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": N_LAYERS,
    "num_attention_heads": H,
    "hidden_size": D_MODEL,
    "intermediate_size": WIDTH,
    "vocab_size": len(PIECES),
    "max_position_embeddings": PLACES,
    "type_vocab_size": KINDS,
    "layer_norm_eps": 1e-3,
}


def installed_minilm():
    """Return the real model's folder; skip without it, on CI fail."""
    try:
        return minilm_folder()
    except MissingError:
        missing("the package of requirements-real.txt")


def arrays(seed=1):
    """Return all arrays of the small model, by name."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    d, found = D_MODEL, {}
    for name, rows in (
        ("word", len(PIECES)),
        ("position", PLACES),
        ("token_type", KINDS),
    ):
        found[f"embeddings.{name}_embeddings.weight"] = draw(rows, d)
    found |= _pair("embeddings.LayerNorm", draw, d)
    for layer in range(N_LAYERS):
        at = f"encoder.layer.{layer}."
        for name in ("query", "key", "value"):
            found |= _pair(f"{at}attention.self.{name}", draw, d, d)
        found |= _pair(f"{at}attention.output.dense", draw, d, d)
        found |= _pair(f"{at}attention.output.LayerNorm", draw, d)
        found |= _pair(f"{at}intermediate.dense", draw, WIDTH, d)
        found |= _pair(f"{at}output.dense", draw, d, WIDTH)
        found |= _pair(f"{at}output.LayerNorm", draw, d)
    return found


def _pair(name, draw, *shape):
    return {f"{name}.weight": draw(*shape), f"{name}.bias": draw(shape[0])}


def write_safetensors(path, named, header=None):
    """Write arrays as a .safetensors file, with the header given, if any."""
    codes = {"f": "F", "i": "I", "u": "U"}
    entries, content = {}, b""
    for name, array in named.items():
        end = len(content) + array.nbytes
        entries[name] = {
            "dtype": f"{codes[array.dtype.kind]}{8 * array.itemsize}",
            "shape": list(array.shape),
            "data_offsets": [len(content), end],
        }
        content += array.tobytes()
    if header is None:
        header = json.dumps(entries)
    header = header.encode() if isinstance(header, str) else header
    length = len(header).to_bytes(8, "little")
    Path(path).write_bytes(length + header + content)


def write_folder(folder, named=None, config=None):
    """Write config.json, vocab.txt and model.safetensors; return folder."""
    folder.mkdir(exist_ok=True)
    text = json.dumps(CONFIG | (config or {}))
    (folder / "config.json").write_text(text, encoding="utf-8")
    vocabulary = "\n".join(PIECES) + "\n"
    (folder / "vocab.txt").write_text(vocabulary, encoding="utf-8")
    named = arrays() if named is None else named
    write_safetensors(folder / "model.safetensors", named)
    return folder


def plain_run(named, ids):
    """Return (hidden, attn) by loops over tokens and heads, in float64."""
    named = {name: np.float64(array) for name, array in named.items()}

    def dense(x, name):
        return named[f"{name}.weight"] @ x + named[f"{name}.bias"]

    def norm(x, name):
        x = x - sum(x) / len(x)
        x = x / math.sqrt(sum(x * x) / len(x) + CONFIG["layer_norm_eps"])
        return named[f"{name}.weight"] * x + named[f"{name}.bias"]

    def gelu(x):
        return np.array([v * (1 + math.erf(v / 2**0.5)) / 2 for v in x])

    X = [
        norm(
            named["embeddings.word_embeddings.weight"][row]
            + named["embeddings.position_embeddings.weight"][place]
            + named["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, row in enumerate(ids)
    ]
    hidden, maps, d_k = [X], [], D_MODEL // H
    for layer in range(N_LAYERS):
        at = f"encoder.layer.{layer}."
        q, k, v = (
            [dense(x, f"{at}attention.self.{name}") for x in X]
            for name in ("query", "key", "value")
        )
        attn = np.zeros((H, len(ids), len(ids)))
        after = []
        for i, x in enumerate(X):
            mixed = np.zeros(D_MODEL)
            for head in range(H):
                own = slice(head * d_k, (head + 1) * d_k)
                scores = [q[i][own] @ key[own] / d_k**0.5 for key in k]
                shares = [math.exp(s) for s in scores]
                attn[head, i] = np.array(shares) / sum(shares)
                for share, value in zip(attn[head, i], v, strict=True):
                    mixed[own] += share * value[own]
            x = x + dense(mixed, f"{at}attention.output.dense")
            x = norm(x, f"{at}attention.output.LayerNorm")
            wide = gelu(dense(x, f"{at}intermediate.dense"))
            x = x + dense(wide, f"{at}output.dense")
            after.append(norm(x, f"{at}output.LayerNorm"))
        X = after
        hidden.append(X)
        maps.append(attn)
    return np.array(hidden), np.array(maps)

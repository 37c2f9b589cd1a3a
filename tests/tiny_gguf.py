"""Write small GGUF files: right ones, and wrong ones on purpose."""

import struct

import numpy as np

from helpers.pretrained.byte_pairs import BYTES

CODES = dict(zip("BbHhIif", range(7))) | {"Q": 10, "q": 11, "d": 12}
KINDS = {"F32": 0, "F16": 1, "Q4_1": 3, "Q8_0": 8}


def text(value):
    raw = value if isinstance(value, bytes) else value.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def setting(name, code, value):
    """Return the bytes of one setting; code is a letter of `struct`."""
    if code == "text":
        return text(name) + struct.pack("<I", 8) + text(value)
    if code == "truth":
        return text(name) + struct.pack("<IB", 7, value)
    if code == "texts":
        raw = b"".join(map(text, value))
        return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + raw
    if code.startswith("list "):
        code = code[-1]
        raw = struct.pack(f"<{len(value)}{code}", *value)
        kind = struct.pack("<IIQ", 9, CODES[code], len(value))
        return text(name) + kind + raw
    return text(name) + struct.pack("<I" + code, CODES[code], value)


def tensor(name, shape, kind, offset):
    """Return the bytes that say where an array lies."""
    return (
        text(name)
        + struct.pack("<I", len(shape))
        + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        + struct.pack("<IQ", KINDS.get(kind, kind), offset)
    )


def whole_file(
    settings=(), tensors=(), data=b"", magic=b"GGUF", version=3, counts=None
):
    """Return a file of settings and tensors, as bytes."""
    n_tensors, n_settings = counts or (len(tensors), len(settings))
    head = magic + struct.pack("<IQQ", version, n_tensors, n_settings)
    head += b"".join(settings) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + data


def of_arrays(settings, arrays):
    """Return a file of float32 arrays, each at the next multiple of 32."""
    tensors, data = [], b""
    for name, array in arrays.items():
        tensors.append(tensor(name, array.shape, "F32", len(data)))
        data += array.astype("<f4").tobytes()
        data += bytes(-len(data) % 32)
    return whole_file(settings, tensors, data)


N_LAYERS, D_MODEL, H, N_KV, D_FF, N_MAX = 3, 24, 6, 2, 10, 40
MERGES = ("t h", "th e", "Ġ the", "c a", "ca t")
PIECES = (
    "<|start|>",
    "<|end|>",
    *BYTES,
    *(merge.replace(" ", "") for merge in MERGES),
)


def llama_settings(**changed):
    """Return the settings of a tiny model; None leaves one out."""
    values = {
        "general.architecture": ("text", "llama"),
        "llama.block_count": ("I", N_LAYERS),
        "llama.context_length": ("I", N_MAX),
        "llama.embedding_length": ("I", D_MODEL),
        "llama.feed_forward_length": ("I", D_FF),
        "llama.attention.head_count": ("I", H),
        "llama.attention.head_count_kv": ("I", N_KV),
        "llama.rope.freq_base": ("f", 100.0),
        "llama.rope.dimension_count": ("I", D_MODEL // H),
        "llama.attention.layer_norm_rms_epsilon": ("f", 1e-5),
        "tokenizer.ggml.model": ("text", "gpt2"),
        "tokenizer.ggml.tokens": ("texts", PIECES),
        "tokenizer.ggml.merges": ("texts", MERGES),
        "tokenizer.ggml.eos_token_id": ("I", 1),
    }
    values |= {name.replace("__", "."): new for name, new in changed.items()}
    return [setting(name, *value) for name, value in values.items() if value]


def llama_arrays(seed=2):
    """Return the arrays of a tiny model, as they lie in the file."""
    rng = np.random.default_rng(seed)
    narrow = D_MODEL // H * N_KV
    shapes = {"token_embd": (len(PIECES), D_MODEL), "output_norm": (D_MODEL,)}
    for i in range(N_LAYERS):
        shapes |= {
            f"blk.{i}.{part}": shape
            for part, shape in {
                "attn_norm": (D_MODEL,),
                "attn_q": (D_MODEL, D_MODEL),
                "attn_k": (narrow, D_MODEL),
                "attn_v": (narrow, D_MODEL),
                "attn_output": (D_MODEL, D_MODEL),
                "ffn_norm": (D_MODEL,),
                "ffn_gate": (D_FF, D_MODEL),
                "ffn_up": (D_FF, D_MODEL),
                "ffn_down": (D_MODEL, D_FF),
            }.items()
        }
    return {
        f"{name}.weight": rng.normal(size=shape).astype(np.float32) / 3
        for name, shape in shapes.items()
    }

"""The check of the bytes of a KV cache."""

from functools import partial

from helpers.checks.answers import ask, numbers
from helpers.checks.verdict import Refused, verdict_on

SETTINGS = (
    (3, 10, 5, 7, 11, 13, 9),  # no two alike: it tells mistakes apart
    (32, 32, 8, 128, 1, 1, 2),
    (80, 64, 8, 128, 131_072, 1, 2),
)


def right_bytes(n_layers, h, n_kv, d_k, N, batch, size):
    """Return the bytes of a KV cache."""
    return 2 * n_layers * n_kv * d_k * N * batch * size


def _in_a_unit(size, *sizes):
    return right_bytes(*sizes) / size


BYTES_MISTAKES = (
    (
        lambda L, h, n_kv, d, N, b, s: L * n_kv * d * N * b * s,
        "A factor 2 is missing: this is the keys alone.",
        "Keys are compared with the query, values are averaged. Both are "
        "needed for every old token.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * h * d * N * b * s,
        "This counts the h query heads.",
        "Only keys and values are kept, and there are n_kv heads of them.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: L * h * d * N * b * s,
        "This counts the h query heads, and the keys alone.",
        "Keep n_kv heads, and for each of them a key and a value.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * h * n_kv * d * N * b * s,
        "There is one factor too many: h and n_kv are both in it.",
        "Query heads keep nothing. Leave h out.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * n_kv * d * N * b * s,
        "This is one layer.",
        "Each layer has keys and values of its own.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * n_kv * d * N * s,
        "The batch is missing.",
        "Each sentence of the batch has tokens of its own to remember.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * n_kv * d * N * b,
        "These are numbers, not bytes.",
        "Each number takes bytes_per_number bytes.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * d * N * b * s,
        "This is one key/value head.",
        "Each layer keeps n_kv of them.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * n_kv * d * b * s,
        "This is one token.",
        "Every token so far is remembered: N of them.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * n_kv * d * N * N * b * s,
        "The tokens are counted twice: N * N is the size of a map.",
        "Maps are not kept. Each token leaves one key and one value a head.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * n_kv * N * b * s,
        "Each key and each value is counted as one number.",
        "A key is d_k numbers wide, and so is a value.",
    ),
    (
        lambda L, h, n_kv, d, N, b, s: 2 * L * (h // n_kv) * d * N * b * s,
        "h / n_kv is counted: how many query heads share a key.",
        "What is kept are the n_kv key/value heads themselves.",
    ),
    (
        lambda *sizes: 8 * right_bytes(*sizes),
        "These are bits.",
        "bytes_per_number counts bytes already: leave out the 8.",
    ),
    *(
        (
            lambda *sizes, size=size: right_bytes(*sizes[:-1], size),
            f"Every number is taken at {size} bytes.",
            f"bytes_per_number says how many it is: 2 in bfloat16, 4 in "
            f"float32. Use it in the place of the {size}.",
        )
        for size in (2, 4, 8)
    ),
    *(
        (
            partial(_in_a_unit, 1024**power),
            f"These are {unit}, not bytes.",
            f"Return bytes. Whoever reads them may divide by 1024{sign}.",
        )
        for power, unit, sign in (
            (1, "KiB", ""),
            (2, "MiB", "**2"),
            (3, "GiB", "**3"),
        )
    ),
)


def check_cache_bytes(f):
    """Check f(n_layers, h, n_kv, d_k, N, batch, bytes_per_number).

    Parameters
    ----------
    f : function
        Returns the bytes of the KV cache: a whole number.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_bytes)


def _examine_bytes(f):
    for arguments in SETTINGS:
        got = numbers(ask(f, *arguments))
        if got.size != 1:
            raise Refused(
                f"The answer has shape {got.shape}; it must be one number.",
                "Multiply the sizes, and return the product.",
            )
        got, wanted = float(got.reshape(())), right_bytes(*arguments)
        if got == wanted:
            continue
        for wrong, sentence, hint in BYTES_MISTAKES:
            if got == wrong(*arguments):
                raise Refused(sentence, hint)
        raise Refused(
            f"For n_layers, h, n_kv, d_k, N, batch, bytes_per_number = "
            f"{arguments} you give {got:,.10g}; {wanted:,} is right.",
            "Count the numbers of one key first, then ask how many keys "
            "there are, and what else is kept beside each key.",
        )
    return "The bytes are right: n_kv and not h, and K as well as V."

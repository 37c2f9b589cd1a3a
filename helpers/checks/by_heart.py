"""The checks of notebook 11: bytes by heart, and what grows with h."""

from dataclasses import dataclass
from numbers import Real

from helpers.checks.forms import MOST_PLACES
from helpers.checks.verdict import NotYet, Refused, verdict_on
from helpers.cost import flops, parameters, score_bytes, softmax_work
from helpers.models import model
from helpers.sizes import Sizes

NEAR = 1e-6  # of the number itself
MODELS = {"8B": "Llama 3 8B", "70B": "Llama 3 70B", "405B": "Llama 3.1 405B"}


@dataclass(frozen=True)
class Slip:
    """A wrong number and the thought behind it."""

    number: float
    sentence: str
    hint: str


def llama_bytes():
    """Return {name: (KiB a token in bfloat16, its slips)}."""
    kib = {
        name: model(full).kv_bytes(1) / 1024 for name, full in MODELS.items()
    }
    return {
        name: (
            right,
            _slips_of_bytes(model(MODELS[name]), right)
            + tuple(
                Slip(
                    number,
                    f"This is {other}'s.",
                    "The models keep as many heads, and differ in layers.",
                )
                for other, number in kib.items()
                if other != name
            ),
        )
        for name, right in kib.items()
    }


def _slips_of_bytes(m, right):
    return (
        Slip(
            right / 2,
            "This is half of it: the keys alone, or one byte a number.",
            "A key and a value are kept, and bfloat16 takes 2 bytes.",
        ),
        Slip(
            right * m.queries_per_kv,
            f"This counts {m.n_heads} heads, as in multi-head attention.",
            f"Query heads keep nothing. n_kv is {m.n_kv_heads}.",
        ),
        Slip(
            right * m.n_heads,
            "There is one factor too many: h and n_kv are both in it.",
            "Leave h out.",
        ),
        Slip(
            right / m.n_layers,
            "This is one layer.",
            f"Each of the {m.n_layers} layers keeps keys and values.",
        ),
        Slip(
            right / m.n_kv_heads,
            "This is one key/value head.",
            f"Each layer keeps {m.n_kv_heads} of them.",
        ),
        Slip(
            right * 2,
            "This is twice the right number, as in float32.",
            "The 2 for K and V stands in it once, and bfloat16 takes 2 bytes.",
        ),
        Slip(
            right * 1024,
            "These are bytes.",
            "A KiB is 1,024 bytes.",
        ),
        Slip(
            right / 1024,
            "These are MiB.",
            "A MiB is 1,024 KiB.",
        ),
        Slip(
            right / m.head_dim,
            "Each key and each value is counted as one number.",
            f"A key is {m.head_dim} numbers wide: d_k.",
        ),
        Slip(
            right * 1.024,
            "These are kB, thousands of bytes.",
            "A KiB is 1,024 bytes.",
        ),
    )


def factors():
    """Return {name: (factor from h = 1 to h = 64, its slips)}.

    At N = d_model = 512, with d_k = d_model / h and n_kv = h.
    """
    few, many = Sizes(512, 1), Sizes(512, 64)
    right = {
        "FLOPs of products": flops(512, many).total / flops(512, few).total,
        "exponentials": softmax_work(512, 64).exponentials
        / softmax_work(512, 1).exponentials,
        "score memory": score_bytes(512, 64) / score_bytes(512, 1),
        "parameters": parameters(many).total / parameters(few).total,
        "KV cache": (many.n_kv * many.d_k) / (few.n_kv * few.d_k),
        "width of a head": many.d_k / few.d_k,
    }
    return {name: (factor, _slips_of(name)) for name, factor in right.items()}


def _slips_of(name):
    narrow = "64 heads, each 64 times narrower: multiply the two."
    maps = "There are 64 maps now, and each has N · N scores."
    wide = Slip(64, "That would be 64 heads of full width.", narrow)
    one = Slip(1 / 64, "That is one head of the 64.", narrow)
    free = Slip(1, "Here the heads are not free.", maps)
    squared = Slip(
        64**2, "A map is N by N, whatever h is: one 64 too many.", maps
    )
    slips = {
        "FLOPs of products": (wide, one),
        "exponentials": (free, squared),
        "score memory": (free, squared),
        "parameters": (wide, one),
        "KV cache": (
            Slip(
                64, "A head's key is narrower now, and that cancels.", narrow
            ),
            one,
        ),
        "width of a head": (
            Slip(
                64, "A head becomes narrower, not wider.", "d_k = d_model / h."
            ),
            Slip(
                1,
                "The heads share d_model: none of the 64 is as wide as the "
                "one was.",
                "d_k = d_model / h.",
            ),
        ),
    }
    return slips[name]


def check_llama_bytes(answer):
    """Check {"8B": KiB, "70B": KiB, "405B": KiB} a token, in bfloat16.

    Parameters
    ----------
    answer : dict of numbers

    Returns
    -------
    Verdict
    """
    return verdict_on(
        lambda: answer,
        lambda f: _examine(
            f(), llama_bytes(), "128, 320, 504: n_kv and not h, K and V."
        ),
    )


def check_factors(answer):
    """Check what each cost is multiplied by, from h = 1 to h = 64.

    Parameters
    ----------
    answer : dict of numbers
        The keys of `factors()`.

    Returns
    -------
    Verdict
    """
    return verdict_on(
        lambda: answer,
        lambda f: _examine(
            f(),
            factors(),
            "Products, parameters and cache stay; exponentials and score "
            "memory grow 64 times, and a head is 64 times narrower.",
        ),
    )


def _examine(answer, wanted, praise):
    if not isinstance(answer, dict):
        raise NotYet(f"Fill in the numbers: {', '.join(wanted)}.")
    missing = [name for name in wanted if answer.get(name, ...) is ...]
    if len(missing) == len(wanted):
        raise NotYet("Put a number in the place of each “...”.")
    for name, (right, slips) in wanted.items():
        if name not in missing:
            _judge(name, answer[name], right, slips)
    if missing:
        raise NotYet(f"So far all is right. Still missing: {missing[0]}.")
    return praise


def _judge(name, got, right, slips):
    if isinstance(got, bool) or not isinstance(got, Real):
        raise Refused(
            f"{name}: {got!r:.40} is no number.",
            "Write a number, such as 64 or 1 / 64, without its unit.",
        )
    if _near(got, right):
        return
    for slip in slips:
        if _near(got, slip.number):
            raise Refused(f"{name}: {slip.sentence}", slip.hint)
    if any(round(right, places) == got for places in range(MOST_PLACES)):
        raise Refused(
            f"{name}: {got:g} is rounded.",
            "Write it unrounded: 1 / 3 may stand there instead of 0.33.",
        )
    raise Refused(
        f"{name}: {got:g} is not right.",
        "Write the product down factor by factor, with its unit.",
    )


def _near(got, wanted):
    return abs(got - wanted) <= NEAR * abs(wanted)

"""The check of notebook 05's crossover: where attention overtakes.

check_crossover(f)      f(d_model, h) -> N; with n_kv too if f takes it
"""

import inspect

from helpers.checks.answers import ask, numbers
from helpers.checks.ledger import same
from helpers.checks.verdict import Refused, verdict_on

CROSSOVER_CASES = ((30, 6), (64, 4), (512, 1))
GROUPED_CASES = ((30, 6, 2), (64, 8, 1))


def check_crossover(f):
    """Check f(d_model, h): the N where attention overtakes projections.

    Parameters
    ----------
    f : function
        Returns the N at which scores and weighted sum together cost as much
        as Q, K, V and W_O together: an int or a float. If it takes n_kv as
        well, shared key/value heads are checked too.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_crossover)


def _examine_crossover(f):
    got = [_one(ask(f, *case)) for case in CROSSOVER_CASES]
    for N, (d_model, h) in zip(got, CROSSOVER_CASES, strict=True):
        _judge_crossover(N, 2 * d_model, _plain_mistakes(d_model, h))
    if not _takes(f, "n_kv"):
        return "N = 2 · d_model, whatever h is."
    for d_model, h, n_kv in GROUPED_CASES:
        N = _one(ask(f, d_model, h, n_kv=n_kv))
        wanted = d_model * (1 + n_kv / h)
        _judge_crossover(N, wanted, _grouped_mistakes(d_model, h, n_kv))
    return "N = d_model · (1 + n_kv / h), which is 2 · d_model for n_kv = h."


def _one(answer):
    array = numbers(answer)
    if array.size != 1:
        raise Refused(
            f"The answer has {array.size} numbers; one is asked for.",
            "Return the N itself.",
        )
    return float(array.reshape(()))


def _judge_crossover(N, wanted, mistakes):
    if same(N, wanted):
        return
    for answer, sentence, hint in mistakes:
        if same(N, answer):
            raise Refused(sentence, hint)
    raise Refused(
        f"You say {N:,.6g}; at that N the two sides are not equal.",
        "Write down both sides, with every factor, and divide by what they "
        "share: 2 · N · d_model.",
    )


def _plain_mistakes(d_model, h):
    return (
        (
            4 * d_model,
            "That is where the scores alone overtake.",
            "The weighted sum costs as much again: attn @ V.",
        ),
        (
            1.5 * d_model,
            "W_O is left out.",
            "There are four projections: Q, K, V and W_O.",
        ),
        (
            d_model,
            "That is half the answer: one factor of 2 is lost.",
            "Four projections of 2 · N · d_model² each, against two "
            "products of 2 · N² · d_model each.",
        ),
        (
            d_model / 2,
            "The two sides are upside down.",
            "4 · N² · d_model = 8 · N · d_model². Solve for N.",
        ),
        (
            2 * d_model / h,
            "The scores are counted for one head.",
            "All heads together are d_model wide, whatever h is.",
        ),
        (
            2 * d_model * h,
            "The projections are counted once a head.",
            "W_Q for all heads is (d_model, d_model): one product.",
        ),
    )


def _grouped_mistakes(d_model, h, n_kv):
    return (
        (
            2 * d_model,
            "n_kv changes nothing in your answer.",
            "With n_kv < h, W_K and W_V are only n_kv · d_k wide, so the "
            "projections cost less. The scores stay.",
        ),
        (
            d_model * (1 + h / n_kv),
            "n_kv / h is upside down.",
            "Fewer key/value heads make projections cheaper, so the balance "
            "tips earlier.",
        ),
        (
            2 * d_model * n_kv / h,
            "All four projections shrink in your answer.",
            "W_Q and W_O serve the query heads, and there are still h.",
        ),
    )


def _takes(f, name):
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == name for p in parameters)

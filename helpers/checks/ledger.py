"""The checks of notebook 05: the ledger, and FLOPs against time.

check_ledger(f)         f(N, d_model, h) -> FLOPs of the six products
check_time_claims(x)    letters

The check of the crossover stands in `crossover`.
"""

from helpers.checks.answers import ask, numbers
from helpers.checks.statements import Statement, verdict_on_letters
from helpers.checks.verdict import Refused, verdict_on
from helpers.cost import flops
from helpers.sizes import Sizes

STEPS = ("Q", "K", "V", "scores", "weighted_sum", "W_O")
PROJECTIONS = ("Q", "K", "V", "W_O")
LEDGER_CASES = ((7, 30, 6), (11, 28, 4), (13, 10, 1))
EXACT = 1e-6  # relative: a float is as good as an int


def check_ledger(f):
    """Check f(N, d_model, h): the FLOPs of the six matrix products.

    Parameters
    ----------
    f : function
        Returns a dict with the keys Q, K, V, scores, weighted_sum, W_O, or
        six numbers in this order. All heads together; one multiply-add is
        2 FLOPs. Numbers may differ by 1e-6 of themselves.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_ledger)


def _examine_ledger(f):
    answers = [_six(ask(f, *case)) for case in LEDGER_CASES]
    if answers[0] == answers[1]:
        raise Refused(
            "The answer is the same for two different layers.",
            "The numbers of the example seem to be written into the "
            "function. Compute them from N, d_model and h.",
        )
    for answer, case in zip(answers, LEDGER_CASES, strict=True):
        _judge_ledger(answer, *case)
    return "Every step is right, and h is in none of them: h · d_k is d_model."


def _six(answer):
    if hasattr(answer, "as_dict"):
        answer = answer.as_dict()
    if isinstance(answer, dict):
        named = {str(k).replace(" ", "_"): v for k, v in answer.items()}
        missing = [step for step in STEPS if step not in named]
        if missing == ["W_O"]:
            raise _no_W_O()
        if missing:
            raise Refused(
                f"The ledger has no {missing[0]}.",
                f"Its keys are {', '.join(STEPS)}.",
            )
        answer = [named[step] for step in STEPS]
    array = numbers(list(answer) if isinstance(answer, tuple) else answer)
    if array.shape != (6,):
        raise Refused(
            f"The ledger has six steps; the shape of yours is {array.shape}.",
            f"Return a dict, or six numbers: {', '.join(STEPS)}.",
        )
    return dict(zip(STEPS, array.astype(float).tolist(), strict=True))


def _no_W_O():
    return Refused(
        "W_O is not counted.",
        "After the heads are laid side by side, (N, h · d_v) meets W_O "
        "(h · d_v, d_model). One head has a W_O too.",
    )


def same(got, wanted):
    """Say whether two numbers agree to EXACT of the second."""
    return abs(got - wanted) <= EXACT * abs(wanted)


def _judge_ledger(answer, N, d_model, h):
    wanted = flops(N, Sizes(d_model, h)).as_dict()
    off = {step: answer[step] / wanted[step] for step in STEPS}
    wrong = [step for step in STEPS if not same(off[step], 1)]
    if not wrong:
        return
    if answer["W_O"] == 0:
        raise _no_W_O()
    if all(map(same, sorted(answer.values()), sorted(wanted.values()))):
        raise Refused(
            "The six counts are right, and some stand in another's place.",
            f"The order is {', '.join(STEPS)}; a dict says which is which.",
        )
    for seen, sentence, hint in _ledger_mistakes(off, N, d_model, h):
        if seen:
            raise Refused(sentence, hint)
    step = wrong[0]
    m, k, n = (N, d_model, d_model) if step in PROJECTIONS else (N, "d_k", N)
    shapes = f"({m}, {k}) @ ({k}, {n})"
    if step == "weighted_sum":
        shapes = f"({N}, {N}) @ ({N}, d_v)"
    raise Refused(
        f"{step} is {answer[step]:,.0f} at N = {N}, d_model = {d_model}, "
        f"h = {h}; it must be {wanted[step]:,}.",
        f"(m, k) @ (k, n) is 2 · m · k · n. Here it is {shapes}"
        + ("." if step in PROJECTIONS else ", in each of the h heads."),
    )


def _ledger_mistakes(off, N, d_model, h):
    """Yield (seen, sentence, hint) of what a whole ledger shows."""

    def all_of(steps, factor):
        return all(same(off[step], factor) for step in steps)

    pairs = ("scores", "weighted_sum")
    projected = all_of(PROJECTIONS, 1)
    yield (
        all_of(STEPS, 0.5),
        "These are multiply-adds: every number is half.",
        "One multiply-add is 2 FLOPs: a product and a sum.",
    )
    if h > 1:
        yield (
            all_of(STEPS, 1 / h),
            "This is the ledger of one head out of h.",
            "Each head is d_model / h wide, and there are h of them.",
        )
        yield (
            all_of(STEPS, h),
            "Every head is counted as wide as d_model.",
            "A head has d_k = d_model / h. The paper's heads are narrow; "
            "heads of full width cost h times as much.",
        )
        yield (
            projected and all_of(pairs, 1 / h),
            "The projections are right; scores and weighted sum are those "
            "of one head.",
            "(N, d_k) @ (d_k, N) happens in each of the h heads.",
        )
        yield (
            projected and all_of(pairs, h),
            "The projections are right; scores and weighted sum are counted "
            "with heads as wide as d_model.",
            "Inside a head the width is d_k, not d_model. Times h, the two "
            "cancel.",
        )
        yield (
            all_of(PROJECTIONS, 1 / h),
            "Each projection is counted for one head.",
            "W_Q is (d_model, h · d_k): it projects for all heads.",
        )
        yield (
            all_of(("Q", "K", "V"), 1 / h) and same(off["W_O"], 1),
            "Q, K and V are counted for one head, and W_O for all.",
            "All heads project: W_Q, W_K and W_V are (d_model, h · d_k).",
        )
    yield (
        all_of(pairs, (N + 1) / (2 * N)) or all_of(pairs, 0.5),
        "Only the pairs that a causal mask leaves are counted.",
        "NumPy computes every score and hides some afterwards. Count all "
        "N · N; a kernel that skips is another matter.",
    )
    yield (
        all_of(PROJECTIONS, N / d_model) and all_of(pairs, d_model / N),
        "N and d_model are swapped.",
        "Projections take each word once: N times. Scores compare words "
        "with words: N · N times.",
    )
    softmax = 5 * h * N * N / (2 * N * N * d_model)
    yield (
        same(off["scores"], 1 + softmax),
        "The softmax is counted with the scores.",
        "It is no matrix product. It has a line of its own, because it "
        "grows with h.",
    )


TIME_CLAIMS = (
    Statement(
        "A",
        "More heads do more multiply-adds in the matrix products.",
        False,
        "Count again: h · d_k is d_model for every h.",
    ),
    Statement(
        "B",
        "The softmax takes h · N² exponentials, and they are no FLOPs of a "
        "matrix product.",
        True,
        "Every head has a map of its own, and every score of it an "
        "exponential.",
    ),
    Statement(
        "C",
        "h maps are written to memory and read back, so the traffic grows "
        "with h.",
        True,
        "Score memory is h · N² numbers, and the softmax goes over it "
        "several times.",
    ),
    Statement(
        "D",
        "A product with a small d_k is skinny, and keeps the processor less "
        "busy.",
        True,
        "How often is each number used that is loaded, if d_k is 4?",
    ),
    Statement(
        "E",
        "W_O becomes larger with more heads.",
        False,
        "Its shape is (h · d_v, d_model), and h · d_v stays d_model.",
    ),
    Statement(
        "F",
        "The FLOP count is an estimate, and the code really does more for "
        "more heads.",
        False,
        "You counted inside the running code. What did the two columns say?",
    ),
)


def check_time_claims(answer):
    """Check which of TIME_CLAIMS hold: letters, in any order."""
    return verdict_on_letters(answer, TIME_CLAIMS)

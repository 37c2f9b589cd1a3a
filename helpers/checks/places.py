"""The checks of notebook 03's exercise on places in the values.

check_places(f)            f(steps) -> (P on seen pairs, P on new pairs)
check_places_claims(x)     letters
"""

import numpy as np

from helpers.checks.answers import ask, numbers, refuse_a_constant
from helpers.checks.statements import Statement, verdict_on_letters
from helpers.checks.verdict import Refused, verdict_on
from helpers.learn.model import Model
from helpers.learn.training import examine, train
from helpers.learn.who_did_what import WhoDidWhat

STEPS = (120, 150)  # enough to tell answers apart, in tenths of a second
NEAR = 1e-3
PATIENCE = 60  # seconds: training on a busy machine
DRAWN, SEED = 1000, 9  # sentences, and the generator that draws them
AT_VERB = ("subject", "object")
IN_V = {"positions": "Q, K, V"}


def check_places(f):
    """Check f(steps): one head, trained with places in the values too.

    Parameters
    ----------
    f : function
        Trains seed 0 for so many steps, and returns the mean P(correct) of
        subject and object: on seen pairs, on new pairs, each of 1,000
        sentences from a generator of seed 9. Numbers may differ by 0.001.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine, PATIENCE)


def _examine(f):
    answers = [numbers(ask(f, steps)) for steps in STEPS]
    for answer, steps in zip(answers, STEPS, strict=True):
        _judge(answer, steps)
        refuse_a_constant(*answers)
    return (
        "Both numbers are those of a head whose values know their place. "
        "Call it with 600 and with 1,800 steps, and see how far seen and "
        "new pairs part."
    )


def _judge(answer, steps):
    if answer.shape != (2,):
        raise Refused(
            f"The shape is {answer.shape}; two numbers are asked: P on seen "
            f"pairs, P on new pairs.",
            "Take the mean over subject and object, once for each kind of "
            "pair.",
        )
    one = _trained(steps, **IN_V)
    wanted = shares(one)
    if _near(answer, wanted):
        return
    for known, sentence, hint in _mistakes(one, steps):
        if _near(answer, known):
            raise Refused(sentence, hint)
    raise Refused(
        f"After {steps} steps the numbers are {answer[0]:.3f} and "
        f"{answer[1]:.3f} instead of {wanted[0]:.3f} and {wanted[1]:.3f}.",
        "Model and train both start from seed 0, train gets the number of "
        "steps, and each draw has a fresh np.random.default_rng(9).",
    )


def shares(model, of="p_correct", roles=AT_VERB):
    """Return the mean of a score over roles, for seen and for new pairs."""
    found = []
    for held in (False, True):
        rng = np.random.default_rng(SEED)
        batch = WhoDidWhat().draw(rng, DRAWN, held)
        scores = examine(model, batch)
        found.append(np.mean([getattr(scores[r], of) for r in roles]))
    return np.array(found)


def _trained(steps, h=1, **others):
    task = WhoDidWhat()
    model = Model(task.settings(h=h, **others), seed=0)
    for _ in train(model, task, steps):
        pass
    return model


def _near(got, wanted):
    return np.abs(got - wanted).max() < NEAR


def _mistakes(one, steps):
    """Yield (answer, sentence, hint) of what often goes wrong."""
    wanted = shares(one)
    yield (
        wanted[::-1],
        "The two numbers are swapped: new pairs come second.",
        "draw gives pairs that training never showed if held=True.",
    )
    yield (
        shares(one, "accuracy"),
        "These are accuracies.",
        "An accuracy calls an almost even tie right or wrong altogether. A "
        "Score has a field p_correct.",
    )
    yield (
        shares(one, "loss"),
        "These are cross-entropies.",
        "Small is good for a loss. A Score has a field p_correct.",
    )
    yield (
        shares(one, roles=(*AT_VERB, "antecedent")),
        "The antecedent is in the mean too.",
        "It is read in another row, where nothing competes. Leave it out.",
    )
    yield (
        2 * wanted,
        "The two roles are added, and their mean is asked.",
        "Divide by two: a coin between two nouns then stands at ½.",
    )
    yield (
        np.repeat(wanted[:1], 2),
        "Both numbers are those of seen pairs.",
        "Draw once more, with held=True, for the second number.",
    )
    yield (
        shares(_trained(steps)),
        "The places are not in the values: this is the model of the proof.",
        'task.settings takes positions="Q, K, V".',
    )
    yield (
        shares(_trained(steps, h=2, **IN_V)),
        "This model has two heads.",
        "settings makes two if nothing is said: give it h=1.",
    )


PLACES_CLAIMS = (
    Statement(
        "A",
        "With the weights ½ and ½ for every pair, both orders still give "
        "the same output.",
        True,
        "Write both outputs down: half of each noun, and half of each "
        "place. What has changed?",
    ),
    Statement(
        "B",
        "Whatever the weights, the part of the places is a constant.",
        False,
        "It is a · place 1 + b · place 2. Do a and b depend on the nouns?",
    ),
    Statement(
        "C",
        "If the weights differ from noun to noun, how much of place 1 "
        "arrives depends on who stands there.",
        True,
        "A softmax gives a noun with a larger score more weight, and its "
        "place goes with it.",
    ),
    Statement(
        "D",
        "One head now does as well as two, also on new pairs.",
        False,
        "Look at the study once more: at the columns that end in new.",
    ),
    Statement(
        "E",
        "Longer training closes the gap between seen and new pairs.",
        False,
        "Call your function with 600 and with 1,800 steps. Which of the "
        "two numbers moves?",
    ),
)


def check_places_claims(answer):
    """Check which of PLACES_CLAIMS hold: letters, in any order."""
    return verdict_on_letters(answer, PLACES_CLAIMS)

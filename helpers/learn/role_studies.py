"""Studies of who did what: how many heads it takes, and what else helps.

P is the probability of the right answer, the mean over sentences; loss is
the cross-entropy in nats. "new" is measured on noun pairs that training has
never shown, "seen" on the others.
"""

import numpy as np

from helpers.attention import softmax
from helpers.learn.study import SECONDS, Plan, Study, training_by
from helpers.learn.training import examine
from helpers.learn.who_did_what import ROLES, WhoDidWhat

N_SENTENCES = 1000
TASK = WhoDidWhat()


def fresh(task, held=True):
    """Return the sentences that a study measures with: always the same."""
    return task.draw(np.random.default_rng(99), N_SENTENCES, held)


def weights_at(model, batch, asked, layer=-1):
    """Return the mean weight of each head on each answer of one row.

    Parameters
    ----------
    model : Model
    batch : Batch
    asked : sequence of str
        Questions that are read at the same place, and whose answers stand
        in the sentence.

    Returns
    -------
    array (h, len(asked))
    """
    attn = model.forward(batch.tokens)[1]["attention"][layer].attn
    means = []
    for name in asked:
        rows, places, answers = batch.asked[name]
        row = attn[rows, :, places]  # (batch, h, N)
        here = batch.tokens == answers[:, None]
        means.append((row * here[:, None]).sum(-1).mean(0))
    return np.stack(means, axis=1)


def one_head_each(weights):
    """Return how far two different heads serve one answer each.

    Parameters
    ----------
    weights : array (h, 2)

    Returns
    -------
    float
        The largest min(weight of one head on the first answer, weight of
        another on the second); of the only head, the smaller of its two.
    """
    if len(weights) == 1:
        return weights.min()
    both = np.minimum(weights[:, :1], weights[:, 1])  # (h, h)
    np.fill_diagonal(both, 0)
    return both.max()


def share_of_the_two(model, batch):
    """Return the probability on either noun, at both questions of the verb."""
    X, _ = model.forward(batch.tokens)
    two = [batch.asked[name].answers for name in ROLES[:2]]
    shares = []
    for name in ROLES[:2]:
        rows, places, _ = batch.asked[name]
        p = softmax(X[rows, places] @ model.parts["read " + name])
        shares.append(p[rows, two[0]] + p[rows, two[1]])
    return np.mean(shares)


def scores(model, batch, names):
    """Return {"P name": …, "loss name": …} for some questions of a batch."""
    found = examine(model, batch)
    return {f"P {name}": found[name].p_correct for name in names} | {
        f"loss {name}": found[name].loss for name in names
    }


def _measure_heads(model, task):
    batch = fresh(task)
    at_verb = weights_at(model, batch, ROLES[:2])
    return scores(model, batch, ROLES) | {
        "P one of the two": share_of_the_two(model, batch),
        "weight on subject": at_verb[:, 0].max(),
        "weight on object": at_verb[:, 1].max(),
        "one head each": one_head_each(at_verb),
    }


HEADS = Study(
    "heads",
    "Subject and object, read at the verb, on new pairs of nouns: one model "
    "a row, the same parameters and FLOPs in matrix products.",
    tuple(f"h = {h}" for h in (1, 2, 4, 8)),
    (
        *(f"P {role}" for role in ROLES),
        *(f"loss {role}" for role in ROLES),
        "P one of the two",
        "weight on subject",
        "weight on object",
        "one head each",
        SECONDS,
    ),
    tuple(range(8)),
    training_by(
        {f"h = {h}": Plan(TASK, {"h": h}) for h in (1, 2, 4, 8)},
        _measure_heads,
    ),
)

ROLE_STUDIES = {study.name: study for study in (HEADS,)}

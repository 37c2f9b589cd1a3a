"""What the studies of who did what measure of a trained model.

P is the probability of the right answer, the mean over sentences; loss is
the cross-entropy in nats. "new" is measured on nouns that training has never
shown together, "seen" on the others.
"""

import numpy as np

from helpers.attention import softmax
from helpers.learn.training import examine
from helpers.learn.who_did_what import PLACES, ROLES

N_SENTENCES = 1000
RIGHT = 0.9  # P from which a role counts as right
AT_VERB = ROLES[:2]


def fresh(task, held=True):
    """Return the sentences to measure with: the same for every model."""
    return task.draw(np.random.default_rng(99), N_SENTENCES, held)


def weights_on_answers(model, batch, asked, layer=-1):
    """Return the mean weight of each head on each answer of one row.

    Parameters
    ----------
    model : Model
    batch : Batch
    asked : sequence of str
        Questions that are read at the same place, and whose answers stand
        in the sentence.
    layer : int

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


def one_head_each(on_two):
    """Return how far two different heads serve one answer each.

    Parameters
    ----------
    on_two : array (h, 2)

    Returns
    -------
    float
        The largest min(weight of one head on the first answer, weight of
        another on the second); of the only head, the smaller of its two.
    """
    if len(on_two) == 1:
        return on_two.min()
    both = np.minimum(on_two[:, :1], on_two[:, 1])  # (h, h)
    np.fill_diagonal(both, 0)
    return both.max()


def share_of_the_two(model, batch):
    """Return the probability on either noun, at both questions of the verb."""
    X, _ = model.forward(batch.tokens)
    two = [batch.asked[name].answers for name in AT_VERB]
    shares = []
    for name in AT_VERB:
        rows, places, _ = batch.asked[name]
        p = softmax(X[rows, places] @ model.parts["read " + name])
        shares.append(p[rows, two[0]] + p[rows, two[1]])
    return np.mean(shares)


def answers_to(model, batch, names, what=""):
    """Return {"P name": …, "loss name": …} for questions of a batch.

    Parameters
    ----------
    model : Model
    batch : Batch
    names : sequence of str
    what : str
        Comes after each name, such as ", new".
    """
    found = examine(model, batch)
    return {f"P {n}{what}": found[n].p_correct for n in names} | {
        f"loss {n}{what}": found[n].loss for n in names
    }


def at_verb(model, batch, what=""):
    """Return P and loss of subject and object, and P of the worse one."""
    found = answers_to(model, batch, AT_VERB, what)
    worse = min(found[f"P {role}{what}"] for role in AT_VERB)
    return found | {f"P worse role{what}": worse}


def of_heads(model, task):
    """Measure subject, object and antecedent, and the row of the verb."""
    batch, seen = fresh(task), fresh(task, held=False)
    on_nouns = weights_on_answers(model, batch, AT_VERB)
    found = at_verb(model, batch)
    return {
        **found,
        **answers_to(model, batch, ROLES[2:]),
        **at_verb(model, seen, ", seen"),
        "P, the mean": np.mean([found[f"P {role}"] for role in AT_VERB]),
        "P one of the two": share_of_the_two(model, batch),
        "weight on subject": on_nouns[:, 0].max(),
        "weight on object": on_nouns[:, 1].max(),
        "one head each": one_head_each(on_nouns),
    }


def of_variants(model, task):
    """Measure subject and object, on seen pairs and on new ones.

    Two nouns make one pair only: nothing is new, so that is NaN.
    """
    found = at_verb(model, fresh(task, held=False), ", seen")
    if len(task.pairs[1]):
        return found | at_verb(model, fresh(task), ", new")
    return found | {
        name.replace("seen", "new"): float("nan") for name in found
    }


def of_rows(model, task):
    """Measure each role of a row, and how many are right."""
    batch = fresh(task)
    found = answers_to(model, batch, task.roles)
    p = [found[f"P {role}"] for role in task.roles]
    return found | {
        "roles right": sum(share > RIGHT for share in p),
        "P, the mean": np.mean(p),
        "largest weight": weights_on_answers(model, batch, task.roles).max(),
    }


def of_it(model, task):
    """Measure the answer at "it", and the two routes it may have taken.

    Route A: "it" looks at the adjective, then at the noun. Route B: the
    adjective looks at the noun, then "it" looks at the adjective.
    """
    batch = fresh(task)
    rows = np.arange(len(batch.tokens))
    noun = batch.asked["antecedent"].answers[:, None] == batch.tokens
    it, adjective = PLACES["it"], PLACES["adjective"]
    maps = [n.attn for n in model.forward(batch.tokens)[1]["attention"]]

    def strongest(layer, query, key):
        if layer >= len(maps):
            return float("nan")
        row = maps[layer][:, :, query]  # (batch, h, N)
        if key == "noun":
            return (row * noun[:, None]).sum(-1).mean(0).max()
        return row[rows, :, key].mean(0).max()

    return answers_to(model, batch, ROLES) | {
        "A1 it → adjective": strongest(0, it, adjective),
        "A2 it → noun": strongest(1, it, "noun"),
        "B1 adjective → noun": strongest(0, adjective, "noun"),
        "B2 it → adjective": strongest(1, it, adjective),
    }

"""What the heads do with random tokens that come twice.

    token_scores          four roles, of which one is induction
    removal               the loss when heads are removed
    measured_on_tokens    both, with random heads beside the best

Nothing but the first copy says what the second will be, so a model that
guesses it has looked there.

Source: Olsson et al., "In-context Learning and Induction Heads" (2022).
"""

import numpy as np

from helpers import roles
from helpers.pretrained.causal import START
from helpers.pretrained.causal_findings import rounded, strongest, top
from helpers.pretrained.findings import name

N_RANDOM = 24  # tokens, twice
FIRST_WORD = 17  # the ids before are special pieces
ROLES = ("induction", "previous", "same token", "first token")


def repeated(model, seed, n=N_RANDOM):
    """Return [start, n random tokens, the same n again]."""
    rng = np.random.default_rng([seed, n])
    high = model.settings.vocabulary
    tokens = rng.choice(np.arange(FIRST_WORD, high), n, replace=False)
    return [START, *tokens.tolist(), *tokens.tolist()]


def token_scores(model, seeds, n=N_RANDOM):
    """Score every head on random tokens that come twice.

    Returns
    -------
    dict of {str: array (layers, h)}
        By ROLES: the mean weight that the second copy puts on the token
        behind its first occurrence, and on that occurrence; that the first
        copy puts on the token before, and on the start.
    """
    found = []
    for seed in seeds:
        ids = repeated(model, seed, n)
        attn = model.run(ids).attn
        maps = attn.reshape(-1, *attn.shape[-2:])
        first = maps[:, : n + 1, : n + 1]
        N = n + 1
        asked = np.arange(N)[:, None] > 1  # of the first, before is start
        patterns = (
            (maps, roles.induction(ids)),
            (first, roles.at_offset(N, -1) & asked),
            (maps, np.tril(roles.same_word(ids))),
            (first, roles.first_token(N) & asked),
        )
        found.append([roles.score(*pair) for pair in patterns])
    means = np.mean(found, axis=0).reshape(-1, *attn.shape[:2])
    return dict(zip(ROLES, means))


def removal(model, seeds, without=()):
    """Return the mean loss on the first copy and on the second, in nats.

    The first token of each copy isn't asked: nothing tells which it is.

    Parameters
    ----------
    without : iterable of (layer, head)
        Heads that write nothing.
    """
    losses = []
    for seed in seeds:
        ids = repeated(model, seed)
        run = model.run(ids, without=without, maps=False)
        rows = run.logits[:-1].astype(np.float64)
        top = rows.max(axis=1)
        total = top + np.log(np.exp(rows - top[:, None]).sum(axis=1))
        loss = total - rows[np.arange(len(rows)), ids[1:]]
        n = len(ids) // 2
        losses.append((loss[1:n].mean(), loss[n + 1 :].mean()))
    return tuple(float(mean) for mean in np.mean(losses, axis=0))


def measured_on_tokens(model, choose, ask):
    """Return roles on random tokens, and the loss without heads.

    Heads are chosen on some seeds and removed on others. Random heads are
    drawn ten times, from all layers and from the layers of the best heads.
    """
    chosen = token_scores(model, choose)
    order = strongest(chosen["induction"], 10)
    layers, h = chosen["induction"].shape
    shared = model.settings.sizes.queries_per_kv
    everywhere = [(i, j) for i in range(layers) for j in range(h)]
    near = {layer for layer, _ in order}
    near = [head for head in everywhere if head[0] in near]
    near = [head for head in near if head not in order]
    rng = np.random.default_rng(0)

    def drawn(heads, n):
        picked = [rng.choice(len(heads), n, replace=False) for _ in range(10)]
        return [lost([heads[i] for i in one]) for one in picked]

    def lost(heads):
        first, second = removal(model, ask, heads)
        return {
            "heads": [name(*head) for head in heads],
            "first copy": rounded(first),
            "second copy": rounded(second),
        }

    return {
        "tokens": N_RANDOM,
        "roles": {role: top(each, 8) for role, each in chosen.items()},
        "median of all heads": {
            role: rounded(np.median(each)) for role, each in chosen.items()
        },
        "heads that share keys": [
            {
                name(layer, head): {
                    role: rounded(each[layer, head])
                    for role, each in chosen.items()
                }
                for head in range(first, first + shared)
            }
            for layer, first in shared_by(order[:4], model)
        ],
        "loss in nats": {
            "all heads": lost([]),
            "without the top 3": lost(order[:3]),
            "without the top 10": lost(order),
            "without random 3": drawn(everywhere, 3),
            "without random 10": drawn(everywhere, 10),
            "without random 10 of the same layers": drawn(near, 10),
        },
    }


def shared_by(heads, model):
    """Return (layer, first head) of those that share keys with `heads`."""
    n = model.settings.sizes.queries_per_kv
    found = ((layer, head // n * n) for layer, head in heads)
    return list(dict.fromkeys(found))

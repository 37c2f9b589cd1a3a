"""The check of notebook 08: six heads without a name.

mystery_heads()              maps and tokens of four sentences
check_mystery_heads(labels)  {"A": "previous", …}

The heads are built, not trained, and each has a double: another that looks
like it on one sentence, or by one score.
"""

import numpy as np

from helpers import roles
from helpers.attention import softmax
from helpers.checks.verdict import NotYet, Refused, Verdict, verdict_on

LETTERS = "ABCDEF"
NAMES = (
    "previous",
    "first token",
    "same word",
    "induction",
    "fixed distance",
    "none",
)
ANSWER = dict(
    zip(
        LETTERS,
        (NAMES[i] for i in (2, 4, 0, 3, 5, 1)),
        strict=True,
    )
)
OTHER_WORDS = {
    "previous token": "previous",
    "prev": "previous",
    "first": "first token",
    "sink": "first token",
    "attention sink": "first token",
    "same": "same word",
    "same token": "same word",
    "fixed offset": "fixed distance",
    "fixed": "fixed distance",
    "offset": "fixed distance",
    "random": "none",
    "nothing": "none",
    "no role": "none",
    "control": "none",
}
N = 24
COPIES = (7, 4, 9, 6)  # tokens in a copy, one number a sentence
DISTANCE = COPIES[0] - 1  # what induction is in the first sentence


def mystery_heads():
    """Return the maps of six heads on four sentences, and the tokens.

    Returns
    -------
    attn : array (4, 6, 24, 24)
        Sentences, heads A to F, queries, keys. Causal.
    tokens : int array (4, 24)
        Each sentence ends in two copies of some tokens. Before, all
        tokens differ.
    """
    rng = np.random.default_rng(88)
    tokens = np.empty((len(COPIES), N), int)
    for row, length in zip(tokens, COPIES, strict=True):
        row[:] = rng.permutation(N)
        row[-length:] = row[-2 * length : -length]
    earlier = np.tril(roles.same_word(tokens))
    patterns = {
        "previous": roles.at_offset(N, -1),
        "first token": roles.first_token(N),
        "same word": earlier,
        "induction": roles.induction(tokens),
        "fixed distance": roles.at_offset(N, -DISTANCE),
    }
    seen = np.tri(N, dtype=bool)
    maps = []
    for name in ANSWER.values():
        noise = rng.standard_normal((len(COPIES), N, N))
        if name == "none":
            scores = 6 * noise  # sharp, and after nothing
        else:
            pattern = np.broadcast_to(patterns[name], noise.shape)
            idle = ~pattern.any(-1)  # such a row rests on the first token
            scores = 6 * pattern + noise / 2
            scores[..., 0] += 6 * idle
        maps.append(softmax(np.where(seen, scores, -np.inf)))
    return np.stack(maps, axis=1), tokens


WRONG = {
    ("B", "induction"): (
        "B looks like an induction head on the first sentence only.",
        "There the copy has 7 tokens, so induction is 6 places back. Score "
        "B on the other sentences, and against roles.at_offset(24, -6).",
    ),
    ("D", "first token"): (
        "D rests on the first token where it has nothing to find.",
        "Most rows see their word for the first time, so their weight "
        "parks there. Look at the rows of the second copy.",
    ),
    ("D", "fixed distance"): (
        "D looks 6 places back in the first sentence, and elsewhere not.",
        "Which places does it look at where the copy is longer? The "
        "distance goes with the copy, so it is the words that count.",
    ),
    ("A", "induction"): (
        "A looks at the earlier occurrence itself, not behind it.",
        "Induction is one place further. Compare the scores 'same word' "
        "and 'induction'.",
    ),
    ("A", "first token"): (
        "A rests on the first token where it has nothing to find.",
        "Look at rows whose word has come before.",
    ),
    ("C", "fixed distance"): (
        "C has a fixed distance, and a name: it is 1.",
        "Which token stands one place back?",
    ),
    ("F", "none"): (
        "F is as pure as C: its weight is on one column.",
        "Which word is that? Score it with roles.first_token.",
    ),
    ("F", "same word"): (
        "F looks at one place, whatever the words.",
        "The score 'same word' asks only the few rows that have an earlier "
        "occurrence. Look at all rows.",
    ),
}


def check_mystery_heads(labels):
    """Check which role each of the six heads has.

    Parameters
    ----------
    labels : dict of {str: str}, or six str in the order A to F
        Each of NAMES once. Capitals do not matter.

    Returns
    -------
    Verdict
        Names one head that is labelled wrongly, and how it deceives.
    """
    if labels is None or labels is ...:
        return Verdict("not yet", _ASK)
    return verdict_on(lambda: labels, lambda f: _examine(f()))


_ASK = f"Give each head, A to F, one of these: {', '.join(NAMES)}."


def _examine(labels):
    given = _tidied(labels)
    for letter, name in given.items():
        if name == ANSWER[letter]:
            continue
        sentence, hint = WRONG.get((letter, name)) or _in_general(letter, name)
        raise Refused(sentence, hint)
    missing = [letter for letter in LETTERS if letter not in given]
    if missing:
        raise NotYet(f"Still without a label: {', '.join(missing)}. {_ASK}")
    return (
        "All six. B was the double: on one sentence its induction score is "
        "as high as that of D."
    )


def _tidied(labels):
    if isinstance(labels, str):
        labels = labels.replace("\n", ",").split(",")
    if not isinstance(labels, dict):
        try:
            items = list(labels)
        except TypeError:
            raise Refused(f"{labels!r:.40} is no label.", _ASK) from None
        if len(items) != len(LETTERS):
            raise Refused(f"{len(items)} labels for 6 heads.", _ASK)
        labels = dict(zip(LETTERS, items, strict=True))
    given = {}
    for letter, name in labels.items():
        if name is ... or name is None or name == "":
            continue
        key = str(letter).strip().upper()
        if key not in LETTERS or len(key) != 1:
            raise Refused(f"There is no head {letter!r:.40}.", _ASK)
        given[key] = _name(name)
    if not given:
        raise NotYet(_ASK)
    return dict(sorted(given.items()))


def _name(name):
    tidy = " ".join(
        str(name).casefold().replace("-", " ").replace("_", " ").split()
    )
    tidy = tidy.removesuffix(" head")
    tidy = OTHER_WORDS.get(tidy, tidy)
    if tidy not in NAMES:
        raise Refused(f"{name!r:.40} is not one of the roles.", _ASK)
    return tidy


def _in_general(letter, name):
    if letter == "E":
        return (
            f"E is sharp, and not '{name}': no role gets half of its weight.",
            "Weights near 1 prove nothing. Take the mean over all four "
            "sentences, and look for a head whose scores are all low.",
        )
    if name == "none":
        return (
            f"{letter} has a role.",
            "Score it on all four sentences. Look at the rows that have "
            "something to find.",
        )
    return (
        f"{letter} is not '{name}'.",
        f"Print roles.scores(attn, tokens) for all four sentences, and "
        f"compare {letter} with the other heads, score by score.",
    )

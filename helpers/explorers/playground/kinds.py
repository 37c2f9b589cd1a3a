"""Four kinds of head: which sentences they take, and their sizes."""

from helpers.explorers.multi_head.layer import HAND_BUILT, RANDOM
from helpers.learn.role_weights import HEADS, TASK, settings_of
from helpers.learn.who_did_what import (
    NOUNS,
    OF_OBJECT,
    OF_SUBJECT,
    PLACES,
    VERBS,
)
from helpers.pretrained.sample import CONFIG, load_sample
from helpers.sizes import Sizes, divisors

TRAINED, REAL = "trained", "real"
KINDS = (HAND_BUILT, RANDOM, TRAINED, REAL)
FIXED = (TRAINED, REAL)  # their d_model is their own
D_TRAINED = TASK.settings().d_model
EXAMPLE = "The cat ate the fish because it was hungry"


def why_not(kind, tokens):
    """Return why heads of a kind can't read a sentence, or "".

    Parameters
    ----------
    kind : str
        One of KINDS.
    tokens : sequence of str
    """
    if kind == TRAINED and not _is_asked(tokens):
        return (
            f"Trained heads are not possible here: they know sentences such "
            f"as “{EXAMPLE}”, made of {len(NOUNS)} nouns, {len(VERBS)} verbs "
            f"and {len(OF_SUBJECT + OF_OBJECT)} adjectives."
        )
    if kind == REAL and " ".join(tokens) not in load_sample().sentences:
        return (
            f"Real heads are not possible here: the shipped sample has "
            f"{len(load_sample().sentences)} sentences, and this is none of "
            f"them. Notebook 09 says how to get the whole model."
        )
    return ""


def _is_asked(tokens):
    """Say whether the trained models were made for such a sentence."""
    found = [token.casefold() for token in tokens]
    pattern = EXAMPLE.casefold().split()
    choices = {
        "subject": NOUNS,
        "verb": VERBS,
        "object": NOUNS,
        "adjective": OF_SUBJECT + OF_OBJECT,
    }
    for role, known in choices.items():
        place = PLACES[role]
        if len(found) != len(pattern) or found[place] not in known:
            return False
        pattern[place] = found[place]
    nouns = found[PLACES["subject"]], found[PLACES["object"]]
    return found == pattern and nouns[0] != nouns[1]


def heads_offered(kind, d_model):
    """Return the h a slider offers; d_model is what its slider says."""
    legal = divisors(d_model)
    return tuple(h for h in legal if kind != TRAINED or h in HEADS)


def sizes_of(kind, d_model, h, n_kv):
    """Return the sizes of a layer: the controls' or the kind's own."""
    if kind == REAL:
        return Sizes(CONFIG.d_model, CONFIG.h)
    if kind == TRAINED:
        return settings_of(h, n_kv).sizes
    return Sizes(d_model, h, n_kv)

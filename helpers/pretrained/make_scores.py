"""Score all heads of all-MiniLM-L6-v2, for the table that is shipped."""

import json

import numpy as np

from helpers.pretrained import corpus, findings, fits, fitting
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import MINILM
from helpers.pretrained.reading import Reader
from helpers.pretrained.scores import PATH

DIGITS = 4


def of_sentences(read, sentences):
    """Return pattern and relation scores of a set of Annotated, as a dict."""
    readings = [read(sentence.text) for sentence in sentences]
    relations = {}
    for relation in corpus.RELATIONS:
        found = findings.relation_scores(readings, sentences, relation)
        relations[relation] = {
            "n": len(found.hits),
            "offset": found.offset,
            "offset_rate": found.offset_rate,
            "held_out": findings.held_out(found.hits, found.sentence),
            "rate": found.rate,
            "mass": found.mass,
        }
    return {
        "sentences": len(sentences),
        "patterns": findings.pattern_scores(readings),
        "relations": relations,
    }


def of_fits(read):
    """Return how all heads choose between two nouns, for each kind of fit."""
    kinds = {kind: fits.animals_and_foods(kind) for kind in fits.KINDS}
    kinds["winograd"] = fits.winograd_pairs()
    found = {}
    for kind, pairs in kinds.items():
        of_nouns = fitting.noun_weights(read, pairs)
        scores = fitting.fit_scores(of_nouns)
        found[kind] = {"n": len(pairs), **scores._asdict()}
        chosen = fitting.choices(of_nouns)
        found[kind]["held_out"] = findings.held_out(
            chosen.reshape(-1, *chosen.shape[2:]),
            np.repeat(range(len(pairs)), 2),
        )
    eaters = fitting.noun_weights(read, fits.animals_only())[:, 0]
    found["animals only"] = {
        "n": len(eaters),
        "right": (eaters[:, 0] > eaters[:, 1]).mean(axis=0),
    }
    return found


def of_circuit(read, pairs):
    """Hide and patch; say what is left of the shift of the best head.

    The head is the one that the adjective moves most; the two of the layer
    before are those whose hiding takes most of that.
    """

    def seen(hide=(), patch_into=None):
        of_nouns = fitting.noun_weights(read, pairs, hide, patch_into)
        return of_nouns, fitting.fit_scores(of_nouns)

    plain, scores = seen()
    head = findings.best(scores.shift)
    layers, h = scores.shift.shape
    hides = {"nothing": ()}
    for layer in range(layers):
        hides[f"layer {layer + 1}"] = [(layer, None)]
    hides["layers 1 to 2"] = [(0, None), (1, None)]
    hides["layers 4 to 6"] = [(layer, None) for layer in (3, 4, 5)]
    found = {
        label: _of_head(seen(hide)[1], head) for label, hide in hides.items()
    }
    before = min(range(layers), key=lambda n: found[f"layer {n + 1}"]["shift"])
    for place in range(h):
        label = findings.name(before, place)
        found[label] = _of_head(seen([(before, place)])[1], head)
    ranked = sorted(
        range(h), key=lambda n: found[findings.name(before, n)]["shift"]
    )
    two = [(before, place) for place in sorted(ranked[:2])]
    others = [(before, place) for place in sorted(ranked[2:])]
    both = " and ".join(findings.name(*place) for place in two)
    found[both] = _of_head(seen(two)[1], head)
    label = f"layer {before + 1} without {both}"
    found[label] = _of_head(seen(others)[1], head)
    patched = {
        f"into layer {layer + 1}": _leads(seen((), layer)[0], head)
        for layer in range(1, layers)
    }
    return {
        "head": findings.name(*head),
        "n": len(pairs),
        "hidden": found,
        "lead": _leads(plain, head),
        "patched": patched,
    }


def _of_head(scores, head):
    return {"shift": scores.shift[head], "right": scores.right[head]}


def _leads(of_nouns, head):
    """Return the mean lead of the first noun, in the first and second text."""
    lead = of_nouns[:, :, 0, *head] - of_nouns[:, :, 1, *head]
    return lead.mean(axis=0)


def plain(value):
    """Return arrays as lists of rounded numbers, in dicts of any depth."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, str | int):
        return value
    return np.round(np.asarray(value, float), DIGITS).tolist()


def all_scores():
    """Return everything that is shipped, as dicts of arrays."""
    read = Reader(load_encoder())
    return {
        "A": of_sentences(read, corpus.templates()),
        "B": of_sentences(read, corpus.hand_annotated()),
        "fits": of_fits(read),
        "circuit": of_circuit(read, fits.animals_and_foods()),
    }


def write_scores(path=PATH):
    """Compute all scores, and write them as JSON, one line a table."""
    found = {
        "about": "Scores of the 72 heads of all-MiniLM-L6-v2 on the "
        "sentences of corpus.py; (6 layers, 12 heads) each.",
        "made by": "python -m helpers.pretrained.make_sample scores",
        "model": dict(MINILM.files),
        **plain(all_scores()),
    }
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_lines(found) + "\n")


def _lines(value, indent=0):
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (indent + 1)
    inner = ",\n".join(
        f"{pad}{json.dumps(name, ensure_ascii=False)}: "
        f"{_lines(inner, indent + 1)}"
        for name, inner in value.items()
    )
    return f"{{\n{inner}\n{' ' * indent}}}"

"""Measure what the causal model's heads do, and write it down.

    python -m helpers.pretrained.make_causal_findings

It needs the model (requirements-real-lm.txt), and about two minutes. The
file, causal_findings.json, says what each number is; heads count from 1.
"""

import json

import numpy as np

from helpers.pretrained import corpus, fits
from helpers.pretrained.causal import load_causal
from helpers.pretrained.causal_findings import (
    DATA,
    fingerprint,
    fit_scores,
    read,
    rounded,
    sharing,
    top,
    visible,
)
from helpers.pretrained.causal_tokens import measured_on_tokens
from helpers.pretrained.files import SMOLLM2
from helpers.pretrained.findings import (
    best,
    held_out,
    name,
    place,
    relation_scores,
)

SENTENCES = {
    word: f"The cat ate the fish because it was {word}"
    for word in ("hungry", "tasty")
}
CHOOSE, ASK = range(10), range(10, 16)  # seeds
WORDS = " red cup moon fish door lamp"


def of_relations(model):
    """Return for each relation the best head of A, and its score on B."""
    sets = {
        "A": [visible(one) for one in corpus.templates()],
        "B": [visible(one) for one in corpus.hand_annotated()],
    }
    readings = {
        key: [read(model, one.text) for one in each]
        for key, each in sets.items()
    }
    found = {}
    for relation in corpus.RELATIONS:
        if not any(one.pairs[relation] for one in sets["A"]):
            continue
        on_A = relation_scores(readings["A"], sets["A"], relation)
        # of heads that hit equally often, the one with the most weight
        head = best(on_A.rate + 1e-6 * on_A.mass)
        found[relation] = {
            "head": name(*head),
            "A": asked(on_A, head)
            | {"held out": rounded(held_out(on_A.hits, on_A.sentence))},
            "next best of A": top(on_A.rate, 4),
        }
        if any(one.pairs[relation] for one in sets["B"]):
            on_B = relation_scores(readings["B"], sets["B"], relation)
            found[relation]["B"] = asked(on_B, head)
            found[relation]["best of B"] = top(on_B.rate, 3)
    same, other = sharing(readings["B"], model.settings.sizes.queries_per_kv)
    apart = {"share keys": rounded(same), "do not": rounded(other)}
    return found, apart


def asked(scores, head):
    """Return what one head does on one set, beside the best offset."""
    return {
        "n": len(scores.hits),
        "rate": rounded(scores.rate[head]),
        "mass": rounded(scores.mass[head]),
        "offset": int(scores.offset),
        "offset rate": rounded(scores.offset_rate),
    }


def of_fits(model):
    """Return the head for adjective -> noun, chosen on 60 active pairs."""
    active = fit_scores(model, fits.animals_and_foods())
    head = best(active.rate + 1e-6 * active.shift)
    pair = np.repeat(np.arange(len(active.hits) // 2), 2)
    found = {
        "head": name(*head),
        "chance, and any fixed place": 0.5,
        "next best": top(active.rate, 4),
        "held out": rounded(held_out(active.hits, pair)),
    }
    sets = {
        "active": active,
        "passive": fit_scores(model, fits.animals_and_foods("passive")),
        "reversed": fit_scores(model, fits.animals_and_foods("reversed")),
        "two animals": fit_scores(model, fits.animals_only()),
        "winograd": fit_scores(model, fits.winograd_pairs()),
    }
    for what, scores in sets.items():
        found[what] = {
            "sentences": len(scores.hits),
            "rate": rounded(scores.rate[head]),
        }
        if scores.shift is not None:
            found[what]["shift"] = rounded(scores.shift[head])
    return found


def of_the_sentence(model, heads):
    """Return maps of some heads, and whether the rows of "it" are equal."""
    runs = {
        word: model.run(model.ids(text)) for word, text in SENTENCES.items()
    }
    pieces = {
        word: [
            "[start]",
            *(p.strip() for p in model.words.encode(text).pieces),
        ]
        for word, text in SENTENCES.items()
    }
    it = pieces["hungry"].index("it")
    hungry, tasty = runs["hungry"], runs["tasty"]
    differs = np.abs(hungry.attn[:, :, it] - tasty.attn[:, :, it]).max()
    state = np.abs(hungry.hidden[:, it] - tasty.hidden[:, it]).max()
    likely = hungry.logits[-1].argsort()[::-1][:5].tolist()
    return {
        "pieces": pieces,
        "row of it": it,
        "largest difference of that row, all maps": float(differs),
        "largest difference of that row, all states": float(state),
        "bit-identical": bool(
            (hungry.attn[:, :, it] == tasty.attn[:, :, it]).all()
            and (hungry.hidden[:, it] == tasty.hidden[:, it]).all()
        ),
        "rows of the adjective differ by": rounded(
            np.abs(hungry.attn[:, :, -1] - tasty.attn[:, :, -1]).max()
        ),
        "likely next": [model.words.decode([token]) for token in likely],
        "maps": {
            name(*head): {
                word: rounded(run.attn[head]) for word, run in runs.items()
            }
            for head in heads
        },
    }


def of_a_list(model, head):
    """Return the induction head's map of a list of words said twice."""
    reading = read(model, WORDS + WORDS)
    pieces = model.words.encode(WORDS + WORDS).pieces
    return {
        "pieces": ["[start]", *(piece.strip() for piece in pieces)],
        "head": name(*head),
        "map": rounded(reading.attn[head][:-1, :-1]),
    }


def main():
    """Measure all and write causal_findings.json."""
    model = load_causal()
    relations, apart = of_relations(model)
    fit, tokens = of_fits(model), measured_on_tokens(model, CHOOSE, ASK)
    shown = [fit["head"], next(iter(tokens["roles"]["induction"]))]
    shown += [each["head"] for each in relations.values()]
    heads = [place(head) for head in dict.fromkeys(shown)]
    file, digest = next(iter(SMOLLM2.files.items()))
    found = {
        "made by": "python -m helpers.pretrained.make_causal_findings",
        "model": f"{SMOLLM2.name}, {file}, SHA-256 {digest}",
        "sentences": fingerprint(),
        "NumPy": np.__version__,
        "evidence": "real model",
        "random tokens, twice": tokens,
        "relations": relations,
        "adjective → noun": fit,
        "maps of two heads of a layer differ by": apart,
        "the sentence": of_the_sentence(model, heads),
        "a list, twice": of_a_list(model, heads[1]),
    }
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    DATA.write_text(text.replace('"],"', '"],\n"') + "\n", encoding="utf-8")
    print(f"{DATA.name}: {DATA.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

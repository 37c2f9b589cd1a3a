"""Scores of real heads: on maps made by hand, and on the real model again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.pretrained import corpus, findings, fits, fitting
from helpers.pretrained.corpus import Annotated
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.fits import Fit
from helpers.pretrained.make_scores import of_circuit, of_fits, plain
from helpers.pretrained.reading import Reader, Reading, blocks
from helpers.pretrained.scores import load_scores
from helpers.sizes import SizeError
from tests import small_bert

LAYERS, H = 2, 3


def rows_sum_to_1(rng, *shape):
    attn = rng.random(shape) + 0.01
    return attn / attn.sum(axis=-1, keepdims=True)


def reading(text, attn):
    """Return a Reading of a text whose words have one piece each."""
    words = text.split()
    pieces = ("[CLS]", *words, "[SEP]")
    return Reading(text, pieces, (None, *range(len(words)), None), None, attn)


def one_word_heads(words, wanted):
    """Return maps (2, 3, N, N), even but for pairs {head: {query: key}}."""
    N = len(words) + 2
    attn = np.full((LAYERS, H, N, N), 1 / N)
    for place, pairs in wanted.items():
        for query, key in pairs.items():
            attn[place][query + 1] = 0
            attn[place][query + 1, key + 1] = 1
    return attn


# --- pieces to words -----------------------------------------------------


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6), st.integers(0, 99))
def test_merged_rows_sum_to_1_and_columns_add_up(pieces_of_words, seed):
    word_of = [None]
    for word, n in enumerate(pieces_of_words):
        word_of += [word] * n
    word_of.append(None)
    N, M = len(word_of), len(pieces_of_words) + 2
    attn = rows_sum_to_1(np.random.default_rng(seed), LAYERS, H, N, N)
    maps = findings.merged(attn, word_of)
    assert maps.shape == (LAYERS, H, M, M)
    assert np.allclose(maps.sum(axis=-1), 1)
    units = [
        [i for i, w in enumerate(word_of) if w == word]
        for word in range(M - 2)
    ]
    units = [[0], *units, [N - 1]]
    for row, of_row in enumerate(units):
        for column, of_column in enumerate(units):
            said = attn[..., of_row, :][..., of_column]
            wanted = said.sum(axis=-1).mean(axis=-1)
            assert np.allclose(maps[..., row, column], wanted)


def test_one_piece_a_word_changes_nothing_and_a_wrong_size_is_refused():
    attn = rows_sum_to_1(np.random.default_rng(1), H, 5, 5)
    assert np.allclose(findings.merged(attn, [None, 0, 1, 2, None]), attn)
    with pytest.raises(SizeError, match="N = 4 pieces"):
        findings.merged(attn, [None, 0, 1, None])


# --- patterns ------------------------------------------------------------


def test_a_head_made_for_a_pattern_scores_1_on_it():
    text = "The cat ate the fish"
    N, last = 7, 6
    attn = np.full((LAYERS, H, N, N), 1 / N)
    inner = range(1, last)
    for query in inner:
        attn[0, 0, query] = np.eye(N)[query - 1]
        attn[0, 1, query] = np.eye(N)[query + 1]
        attn[0, 2, query] = np.eye(N)[query]
        attn[1, 0, query] = np.eye(N)[0]
        attn[1, 1, query] = np.eye(N)[last]
    attn[1, 1, 1], attn[1, 1, 4] = np.eye(N)[4], np.eye(N)[1]
    got = findings.pattern_scores([reading(text, attn)])
    assert list(got) == list(findings.PATTERNS)
    assert got["previous"][0, 0] == 1 and got["next"][0, 1] == 1
    assert got["itself"][0, 2] == 1 and got["on [CLS]"][1, 0] == 1
    assert got["same word"][1, 1] == 1  # "The" and "the"
    assert got["on [SEP]"][1, 1] == pytest.approx(3 / 5)
    assert got["broad"][1, 2] == pytest.approx(1)
    assert got["broad"][0, 0] == 0
    assert findings.best(got["previous"]) == (0, 0)


def test_rows_of_cls_and_sep_do_not_count():
    text = "cat ate fish"
    attn = np.full((LAYERS, H, 5, 5), 0.2)
    attn[:, :, [0, -1]] = np.eye(5)[0]
    got = findings.pattern_scores([reading(text, attn)])
    assert np.allclose(got["on [CLS]"], 0.2)
    assert np.allclose(got["broad"], 1)
    assert "same word" not in got  # no sentence has a word twice


def test_names_count_from_1():
    assert findings.name(3, 1) == "4-2"
    scores = np.zeros((6, 12))
    scores[2, 8] = 1
    assert findings.name(*findings.best(scores)) == "3-9"


# --- relations -----------------------------------------------------------

TWO = (
    Annotated("a b c d", {"x": ((0, 2), (3, 1))}),
    Annotated("a b c", {"x": ((0, 2),)}),
    Annotated("e f", {"x": ()}),
)


def readings_of_two():
    wanted = {(0, 1): {0: 2, 3: 1}, (1, 2): {0: 2, 3: 2}}
    return [
        reading(s.text, one_word_heads(s.words, wanted))
        if len(s.words) > 3
        else reading(s.text, one_word_heads(s.words, {}))
        for s in TWO
    ]


def test_a_head_hits_by_its_strongest_other_word():
    got = findings.relation_scores(readings_of_two(), TWO, "x")
    assert got.hits.shape == (3, LAYERS, H)
    assert got.hits[:2, 0, 1].tolist() == [True, True]
    assert got.hits[:2, 1, 2].tolist() == [True, False]
    assert got.sentence.tolist() == [0, 0, 1]
    assert got.rate[0, 1] == pytest.approx(2 / 3)
    assert got.mass[0, 1] == pytest.approx((1 + 1 + 1 / 5) / 3)
    assert (got.offset, got.offset_rate) == (2, 2 / 3)


def test_itself_cls_and_sep_are_not_among_the_words():
    attn = np.full((LAYERS, H, 5, 5), 0.01)
    attn[:, :, 1] = [0.5, 0.2, 0.05, 0.15, 0.1]  # CLS, itself, then "c"
    one = [Annotated("a b c", {"x": ((0, 2),)})]
    got = findings.relation_scores([reading("a b c", attn)], one, "x")
    assert got.hits.all() and np.allclose(got.mass, 0.15)


def test_a_relation_nobody_has_is_refused():
    with pytest.raises(SizeError, match="no pair"):
        findings.relation_scores(readings_of_two()[2:], TWO[2:], "x")


def test_a_hit_is_a_pair_whose_strongest_other_word_is_wanted():
    rng = np.random.default_rng(4)
    read = [
        reading(
            s.text,
            rows_sum_to_1(rng, LAYERS, H, len(s.words) + 2, len(s.words) + 2),
        )
        for s in TWO
    ]
    got = findings.relation_scores(read, TWO, "x")
    hits = []
    for one, sentence in zip(read, TWO, strict=True):
        others = findings.word_maps(one) * (1 - np.eye(len(sentence.words)))
        hits += [
            others[:, query].argmax(axis=-1) == key
            for query, key in sentence.pairs["x"]
        ]
    assert np.allclose(got.rate.ravel(), np.mean(hits, axis=0))


# --- held-out ------------------------------------------------------------


def test_a_good_head_keeps_its_score_and_luck_does_not():
    rng = np.random.default_rng(5)
    hits = rng.random((80, 6, 12)) < 0.5
    sentence = np.arange(80)
    assert hits.mean(axis=0).max() > 0.6  # the best of 72 coins
    luck = findings.held_out(hits, sentence)
    assert abs(luck - 0.5) < 0.06
    hits[:, 2, 5] = rng.random(80) < 0.95
    kept = findings.held_out(hits, sentence)
    assert kept == pytest.approx(hits[:, 2, 5].mean(), abs=1e-12)
    assert findings.held_out(hits, sentence) == kept
    other = findings.held_out(rng.random((8, 2, 3)) < 0.5, range(8), seed=3)
    assert 0 <= other <= 1


def test_questions_of_one_sentence_stay_together():
    """Two sentences, each with a head of its own: nothing carries over."""
    hits = np.zeros((6, 1, 2))
    hits[:3, 0, 0] = hits[3:, 0, 1] = 1
    assert findings.held_out(hits, [0, 0, 0, 1, 1, 1]) == 0
    with pytest.raises(SizeError, match="two sentences"):
        findings.held_out(hits, [0] * 6)


# --- the noun that fits --------------------------------------------------

FIT = Fit(("a b x it hungry", "a b x it tasty"), (0, 1), 3, 4)


class Recorder:
    """Reads with fixed weights, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, text, hide=(), patch=None):
        self.asked.append((text, hide, patch))
        attn = np.full((LAYERS, H, 7, 7), 1 / 7)
        first = "hungry" in text
        attn[1, 0, 4] = (
            [0, 0.7, 0.2, 0, 0, 0, 0.1]
            if first
            else [0, 0.1, 0.4, 0, 0, 0, 0.5]
        )
        attn[1, 1, 4] = [0, 0.6, 0.4, 0, 0, 0, 0]
        hidden = np.full((LAYERS + 1, 7, 5), float(first))
        return reading(text, attn)._replace(hidden=hidden)


def test_noun_weights_and_what_they_say():
    of_nouns = fitting.noun_weights(Recorder(), [FIT])
    assert of_nouns.shape == (1, 2, 2, LAYERS, H)
    assert of_nouns[0, :, :, 1, 0].tolist() == [[0.7, 0.2], [0.1, 0.4]]
    got = fitting.fit_scores(of_nouns)
    assert (got.right[1, 0], got.both[1, 0], got.moved[1, 0]) == (1, 1, 1)
    assert got.shift[1, 0] == pytest.approx(0.5 + 0.3)
    # a head that always takes the first noun
    assert (got.right[1, 1], got.both[1, 1], got.shift[1, 1]) == (0.5, 0, 0)
    chosen = fitting.choices(of_nouns)
    assert chosen[0, :, 1, 1].tolist() == [True, False]


def test_hiding_and_patching_ask_for_the_right_words_and_rows():
    read = Recorder()
    fitting.noun_weights(read, [FIT], [(2, None), (1, 4)])
    assert [hide for _, hide, _ in read.asked] == [
        [(2, None, 3, 4), (1, 4, 3, 4)]
    ] * 2
    read = Recorder()
    fitting.noun_weights(read, [FIT], patch_into=1)
    patches = [(text, patch) for text, _, patch in read.asked if patch]
    assert [text for text, _ in patches] == list(FIT.texts)
    for (_, (layer, word, vector)), of_other in zip(patches, (0.0, 1.0)):
        assert (layer, word) == (1, 3)
        assert vector.tolist() == [of_other] * 5


# --- reading -------------------------------------------------------------


def test_blocks_of_words_are_those_of_all_their_pieces():
    word_of = (None, 0, 1, 1, None)
    got = blocks(word_of, [(2, None, 0, 1), (1, 3, 1, 0)])
    assert got == [
        (2, None, 1, 2),
        (2, None, 1, 3),
        (1, 3, 2, 1),
        (1, 3, 3, 1),
    ]
    assert Reading("a b", (), word_of, None, None).row(1) == 2


def test_the_reader_hides_patches_and_remembers(tmp_path):
    encoder = load_encoder(small_bert.write_folder(tmp_path / "small"))
    read, text = Reader(encoder), "the cat ate tasty fish"
    first = read(text)
    assert read(text) is first
    ids = encoder.encode(text).ids
    run = encoder.run(ids)
    assert np.array_equal(first.attn, run.attn)
    assert np.array_equal(first.hidden, run.hidden)
    hidden = read(text, [(0, 1, 1, 3)])  # "tasty" is pieces 4 and 5
    assert (hidden.attn[0, 1, 2, 4:6] == 0).all()
    assert hidden.attn[0, 0, 2, 4] > 0
    patched = read(text, patch=(1, 4, np.ones(12)))  # "fish" is piece 6
    assert patched.hidden[1, 6].tolist() == [1] * 12
    assert np.array_equal(read(text).attn, run.attn)


# --- the real model, again -----------------------------------------------


@pytest.fixture(scope="module")
def read():
    small_bert.installed_minilm()
    return Reader(load_encoder())


def near(got, shipped):
    """Say whether scores equal the shipped ones, rounded to 4 digits."""
    return np.allclose(got, shipped, rtol=0, atol=2e-4)


def test_the_shipped_scores_of_set_b_come_out_again(read):
    sentences, shipped = corpus.hand_annotated(), load_scores()["B"]
    readings = [read(sentence.text) for sentence in sentences]
    for pattern, got in findings.pattern_scores(readings).items():
        assert near(got, shipped["patterns"][pattern]), pattern
    for relation in corpus.RELATIONS:
        got = findings.relation_scores(readings, sentences, relation)
        table = shipped["relations"][relation]
        assert near(got.rate, table["rate"]), relation
        assert near(got.mass, table["mass"]), relation
        assert (len(got.hits), got.offset) == (table["n"], table["offset"])


def test_the_shipped_scores_of_winograd_pairs_come_out_again(read):
    pairs, shipped = fits.winograd_pairs(), load_scores()["fits"]["winograd"]
    got = fitting.fit_scores(fitting.noun_weights(read, pairs))
    for name, scores in got._asdict().items():
        assert near(scores, shipped[name]), name


def test_the_circuit_is_found_on_a_few_pairs(read):
    """Five of the 60: the same heads, about the same effects."""
    got = of_circuit(read, fits.animals_and_foods()[::13])
    assert got["head"] == "4-2"
    hidden = {what: found["shift"] for what, found in got["hidden"].items()}
    assert "3-4 and 3-9" in hidden
    assert hidden["layer 3"] < hidden["nothing"] / 3
    assert hidden["3-4 and 3-9"] < hidden["nothing"] / 2
    assert hidden["layers 4 to 6"] > 0.9 * hidden["nothing"]
    first, second = got["lead"]
    assert first - second == pytest.approx(hidden["nothing"])
    patched, back = got["patched"]["into layer 4"]
    assert patched == pytest.approx(second, abs=0.1)
    assert back == pytest.approx(first, abs=0.1)
    assert plain(got)["n"] == 5


def test_fits_are_scored_for_every_kind(monkeypatch):
    few = fits.animals_and_foods.__wrapped__
    monkeypatch.setattr(fits, "animals_and_foods", lambda kind: few(kind)[:2])
    monkeypatch.setattr(fits, "winograd_pairs", lambda: few()[:3])
    monkeypatch.setattr(fits, "animals_only", lambda: few()[:1])

    def read(text, hide=(), patch=None):
        N = len(text.split()) + 2
        early = np.arange(N, 0, -1) / np.arange(N + 1).sum()
        return reading(text, np.tile(early, (LAYERS, H, N, 1)))

    folds, real = [], findings.held_out
    monkeypatch.setattr(
        findings,
        "held_out",
        lambda hits, pair: folds.append([*pair]) or real(hits, pair),
    )
    got = of_fits(read)
    two = [0, 0, 1, 1]  # both texts of a pair stay in one half
    assert folds == [two, two, two, [*two, 2, 2]]
    assert got["animals only"]["right"].tolist() == [[1] * H] * LAYERS
    assert list(got) == [*fits.KINDS, "winograd", "animals only"]
    assert [found["n"] for found in got.values()] == [2, 2, 2, 3, 1]
    assert got["active"]["shift"].tolist() == [[0] * H] * LAYERS

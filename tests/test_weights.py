"""Weights: the control is random, and hand-built heads show their relation."""

import hashlib
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.attention import multi_head_attention
from helpers.sentences import (
    HUNGRY,
    SENTENCES,
    TEXT_RELATIONS,
    Relation,
    relations,
    words,
)
from helpers.sizes import D_MODEL_CHOICES, SizeError, Sizes, divisors
from helpers.weights import (
    SCORE,
    hand_built,
    mixing_matrices,
    position_codes,
    random_projections,
    token_vectors,
    wanted_places,
)
from tests.layers import D_K, D_MODEL, D_V, N_KV, H, few
from tests.tools import ROOT

TOKENS = words(HUNGRY)
ALL = relations(TOKENS)
CAT, ATE, FISH, IT = 1, 2, 4, 6


def maps(d_model, h, some=ALL, n_kv=None, tokens=TOKENS, **seen):
    """Return the attention maps that hand-built weights give."""
    sizes = Sizes(d_model, h, n_kv)
    X = token_vectors(len(tokens), d_model)
    no_values = np.zeros((d_model, sizes.n_kv * sizes.d_v))
    mixing = no_values, np.zeros((d_model, d_model))  # maps need neither
    projections = hand_built(X, some, sizes, mixing)
    return multi_head_attention(X, *projections, h, n_kv, **seen)[1]


def share(attn, relation):
    """Return what a row with a target gives to its targets, on average."""
    rows = {}
    for q, k in relation.pairs:
        weight = attn[relation.number % len(attn), q, k]
        rows[q] = rows.get(q, 0) + weight
    return sum(rows.values()) / len(rows)


# what the course says of hand-built heads


@pytest.mark.parametrize(
    ("d_k", "shown"),
    [(64, "1.00"), (16, "1.00"), (8, "1.00"), (4, "0.97"), (2, "0.76")],
)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_eight_heads_show_eight_relations_as_far_as_their_width_goes(
    d_k, shown, sentence
):
    tokens = words(sentence)
    attn = maps(8 * d_k, 8, relations(tokens), tokens=tokens)
    for relation in relations(tokens):
        assert f"{share(attn, relation):.2f}" == shown, relation.name


def test_heads_one_number_wide_mostly_lose_their_relation():
    attn = maps(8, 8)
    shares = [share(attn, relation) for relation in ALL]
    assert sum(shares) / 8 < 0.3 and max(shares) < 0.5


@pytest.mark.parametrize("d_model", [16, 64, 512, 1024])
def test_one_head_blurs_what_competes_for_a_row(d_model):
    (attn,) = maps(d_model, 1)
    ate = attn[ATE].round(2)
    assert ate.tolist() == [0, 0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0]
    for relation in ALL:
        if relation.name != "same word":  # two targets: four share
            assert 0.249 < share(attn[None], relation) < 0.334


def test_two_heads_are_between_one_and_eight():
    one, two, four, eight = (
        np.mean([share(maps(512, h), r) for r in ALL]) for h in (1, 2, 4, 8)
    )
    assert one < two < four < eight


def test_the_blur_is_a_matter_of_the_row():
    three = [r for r in ALL if r.name in TEXT_RELATIONS]
    (attn,) = maps(512, 1, three)
    assert [f"{w:.2f}" for w in attn[ATE, [CAT, FISH]]] == ["0.50", "0.50"]
    assert f"{attn[IT, CAT]:.2f}" == "1.00"
    eight = maps(512, 8, three)
    assert f"{eight[0, ATE, CAT]:.2f}" == f"{eight[1, ATE, FISH]:.2f}"
    assert f"{eight[0, ATE, CAT]:.2f}" == f"{eight[2, IT, CAT]:.2f}" == "1.00"


def test_a_row_that_wants_nothing_is_uniform():
    (attn,) = maps(512, 1, ())
    assert np.allclose(attn, 1 / 9, rtol=1e-12)
    eight = maps(512, 8)
    assert np.allclose(eight[0, CAT], 1 / 9, rtol=1e-12)


def test_the_scores_of_wanted_keys_have_the_size_8():
    (attn,) = maps(16, 1, [Relation("itself", ((3, 3),))])
    ratio = math.log(attn[3, 3] / attn[3, 4])
    assert ratio == pytest.approx(SCORE, rel=1e-9) == 8


@pytest.mark.parametrize("n_kv", [1, 2, 4, 8])
def test_grouped_heads_show_the_same_relations(n_kv):
    attn = maps(512, 8, n_kv=n_kv)
    assert np.allclose(attn, maps(512, 8), rtol=1e-9, atol=1e-12)


def test_free_text_shows_the_relations_of_places():
    tokens = words("no man is an island no man")
    attn = maps(512, 8, relations(tokens), tokens=tokens)
    for relation in relations(tokens):
        assert f"{share(attn, relation):.2f}" == "1.00", relation.name


@pytest.mark.parametrize("d_model", D_MODEL_CHOICES)
def test_every_choice_of_sizes_gives_maps_that_are_maps(d_model):
    for h in divisors(d_model):
        attn = maps(d_model, h)
        assert attn.shape == (h, 9, 9)
        assert np.allclose(attn.sum(axis=-1), 1)
    for n in (1, 2, 64):  # fewer words, and more than numbers
        tokens = ("word",) * n
        attn = maps(d_model, 4, relations(tokens), tokens=tokens)
        assert np.isfinite(attn).all()


def test_free_widths_of_heads_fit():
    sizes = Sizes(D_MODEL, H, N_KV, D_K, D_V)
    X = token_vectors(9, D_MODEL)
    projections = hand_built(X, ALL, sizes)
    shapes = [W.shape for W in projections]
    assert shapes == [(30, 30), (30, 10), (30, 22), (66, 30)]
    out, attn = multi_head_attention(X, *projections, H, N_KV)
    assert out.shape == (9, D_MODEL) and attn.shape == (H, 9, 9)


def test_the_mixing_matrices_can_be_made_once():
    sizes = Sizes(64, 8)
    X = token_vectors(9, 64)
    mixing = mixing_matrices(sizes)
    projections = hand_built(X, ALL, sizes, mixing)
    assert projections.W_V is mixing[0] and projections.W_O is mixing[1]
    again = hand_built(X, ALL, sizes)
    assert all(map(np.array_equal, projections, again))


# the parts


@few
@given(st.integers(1, 70), st.sampled_from(D_MODEL_CHOICES))
def test_token_vectors_have_length_1_and_are_orthogonal_if_they_can(
    N, d_model
):
    X = token_vectors(N, d_model)
    assert X.shape == (N, d_model)
    assert np.allclose(np.linalg.norm(X, axis=1), 1, atol=1e-12)
    if d_model >= N:
        assert np.allclose(X @ X.T, np.eye(N), atol=1e-12)
    else:
        assert np.linalg.matrix_rank(X) == d_model


@few
@given(st.integers(1, 70), st.integers(1, 80))
def test_codes_tell_the_places_apart(N, d_k):
    codes = position_codes(N, d_k)
    assert codes.shape == (N, d_k)
    assert len({tuple(code) for code in codes.round(9)}) == N
    lengths = np.linalg.norm(codes, axis=1)
    if d_k == 1 < N:
        assert codes[:, 0].tolist() == np.linspace(-1, 1, N).tolist()
    else:
        assert np.allclose(lengths, 1, atol=1e-12)
    if d_k >= N:
        assert np.array_equal(codes, np.eye(N, d_k))
    elif d_k >= 2:
        alike = codes @ codes.T  # a place is nearest to itself
        assert (alike.argmax(axis=1) == np.arange(N)).all()
        assert (codes[:, d_k - d_k % 2 :] == 0).all()


def test_two_numbers_lie_on_a_circle_and_the_lowest_frequency_comes_first():
    codes = position_codes(9, 2)
    angle = 2 * np.pi / 9
    assert np.allclose(codes[1], [np.cos(angle), np.sin(angle)])
    six = position_codes(9, 6) * math.sqrt(3)
    assert np.allclose(six[1, 4:], [np.cos(3 * angle), np.sin(3 * angle)])


def test_relation_number_i_goes_to_head_i_mod_h():
    for h in (1, 3, 8, 11):
        wanted = wanted_places(ALL, 9, h)
        assert wanted.shape == (h, 9, 9)
        for head in range(h):
            want = np.zeros((9, 9))
            for relation in ALL:
                if relation.number % h == head:
                    for q, k in relation.pairs:
                        want[q, k] = 1
            assert np.array_equal(wanted[head], want)


def test_a_relation_keeps_its_head_when_others_are_switched_off():
    wanted = wanted_places([ALL[5]], 9, 8)
    assert np.flatnonzero(wanted.any(axis=(1, 2))).tolist() == [5]
    assert np.array_equal(wanted[5], np.eye(9))


def test_random_weights_keep_the_length_of_vectors():
    sizes = Sizes(1024, 8)
    projections = random_projections(sizes)
    assert [W.shape for W in projections] == [(1024, 1024)] * 4
    for W in projections:
        assert abs(W.mean()) < 1e-3
        assert W.std() * 32 == pytest.approx(1, rel=0.01)
    assert not np.array_equal(projections.W_Q, projections.W_K)


def test_random_weights_have_the_shapes_and_scale_of_their_rows():
    projections = random_projections(Sizes(D_MODEL, H, N_KV, 500, 700))
    assert [W.shape for W in projections] == [
        (30, 3000),
        (30, 1000),
        (30, 1400),
        (4200, 30),
    ]
    for W in projections:
        assert W.std() * math.sqrt(len(W)) == pytest.approx(1, rel=0.02)


def test_random_weights_show_no_relation():
    X = token_vectors(9, 512)
    _, attn = multi_head_attention(X, *random_projections(Sizes(512, 8)), 8)
    assert max(share(attn, relation) for relation in ALL) < 0.5


@pytest.mark.parametrize("number_type", [np.float32, np.float64])
def test_a_number_type_goes_through(number_type):
    X = token_vectors(9, 64, number_type=number_type)
    sizes = Sizes(64, 8)
    for projections in (
        hand_built(X, ALL, sizes),
        random_projections(sizes, number_type=number_type),
    ):
        assert {W.dtype for W in (X, *projections)} == {np.dtype(number_type)}
        out, attn = multi_head_attention(X, *projections, 8)
        assert out.dtype == attn.dtype == number_type


def test_another_seed_gives_other_weights_and_the_same_seed_the_same():
    sizes = Sizes(16, 2)
    for make in (
        lambda seed: random_projections(sizes, seed)[0],
        lambda seed: mixing_matrices(sizes, seed)[0],
        lambda seed: token_vectors(9, 16, seed),
    ):
        assert np.array_equal(make(7), make(7))
        assert not np.array_equal(make(7), make(8))
        for wrong in (-1, 2.5, "text", None):
            with pytest.raises(SizeError, match="seed must be"):
                make(wrong)


PRINT_WEIGHTS = """
import hashlib
from helpers.sentences import HUNGRY, relations, words
from helpers.sizes import Sizes
from helpers.weights import hand_built, random_projections, token_vectors
sizes, X = Sizes(64, 8), token_vectors(9, 64)
arrays = *hand_built(X, relations(words(HUNGRY)), sizes), X
arrays += random_projections(sizes)
for array in arrays:
    print(hashlib.sha256(array.tobytes()).hexdigest())
"""


def test_two_processes_with_other_hash_seeds_make_the_same_weights():
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT_WEIGHTS],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert len(set(printed[0].split())) == 9
    X = token_vectors(9, 64)
    assert hashlib.sha256(X.tobytes()).hexdigest() in printed[0]

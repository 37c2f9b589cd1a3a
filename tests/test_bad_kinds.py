"""What a reader is told who gives a thing of the wrong kind.

A number for a list, a text for sizes, rows of unequal length, a number type
with no fractions: each kind of slip, at every place where it can be made.
"""

import numpy as np
import pytest

from helpers import (
    attention,
    bugs,
    cost,
    counted,
    models,
    plots,
    pooling,
    roles,
    rope,
    weights,
)
from helpers.cache import KVCache, in_chunks, step
from helpers.learn import pruning, snapshots, study, weights_on_disk
from helpers.learn.conversion import converted
from helpers.learn.model import Model
from helpers.learn.repeat import Repeat, patterns
from helpers.learn.roles_in_a_row import RolesInARow
from helpers.learn.training import TrainingError, examine, train
from helpers.learn.who_did_what import WhoDidWhat
from helpers.pictures.wiring import wiring
from helpers.pretrained import findings
from helpers.pretrained.causal import load_causal
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import FileError, package_folder
from helpers.sentences import Relation, relations
from helpers.sizes import SizeError, Sizes, quoted, require_n_kv
from tests.layers import N_KV, H, N, heads_of, layer
from tests.test_bad_input import refused

pytestmark = pytest.mark.usefixtures("no_warnings")

SIZES = Sizes(30, 6, 2)
WORDS = ("a", "b", "a", "c", "b")
EVEN = np.full((2, 5, 5), 0.2)
RAGGED = [[1.0, 2.0], [3.0]]
NO_LIST = pytest.mark.parametrize(
    "value", [None, 3, 2.5, True, "text", b"ab", {1, 2}, {"a": 1}], ids=repr
)


# sizes


WANT_SIZES = {
    "flops": lambda sizes: cost.flops(7, sizes),
    "parameters": cost.parameters,
    "one_head": cost.one_head,
    "full_width_heads": cost.full_width_heads,
    "KVCache": KVCache,
    "random_projections": weights.random_projections,
    "mixing_matrices": weights.mixing_matrices,
    "hand_built": lambda sizes: weights.hand_built(np.eye(3), (), sizes),
}


@pytest.mark.parametrize("value", [512, "512", None, (512, 8), Sizes])
@pytest.mark.parametrize("call", WANT_SIZES.values(), ids=WANT_SIZES)
def test_sizes_are_made_by_sizes(call, value):
    said = "sizes must be a Sizes, such as Sizes(d_model=512, h=8): got "
    with refused(TypeError, said, quoted(value)):
        call(value)


@pytest.mark.parametrize("value", [None, 7, "cache", SIZES])
def test_a_cache_is_made_by_kvcache(value):
    L = layer()
    for call in (step, in_chunks):
        with refused(TypeError, "cache must be a KVCache, such as KVCache(si"):
            call(*L, H, value)


# arrays


WANT_ARRAYS = {
    "scores": attention.softmax,
    "X": lambda X: attention.split_heads(X, 2),
    "heads": attention.merge_heads,
    "W_O": lambda W_O: attention.head_writes(np.ones((6, 7, 5)), W_O),
    "Q": lambda Q: attention.scaled_dot_product_attention(Q, Q, Q),
    "K": lambda K: attention.grouped_query_attention(heads_of()[0], K, K),
    "mask": lambda m: attention.grouped_query_attention(*heads_of(), mask=m),
    "bias": lambda b: attention.grouped_query_attention(*heads_of(), bias=b),
    "W_Q": lambda W: attention.multi_head_attention(layer().X, W, W, W, W, H),
    "W": lambda W: pooling.pool_heads(W, 6, 2),
    "before": lambda before: pooling.drift(before, before),
    "positions": lambda positions: rope.angles(positions, 4),
    "attn": roles.entropy,
    "pattern": lambda pattern: roles.score(EVEN, pattern),
    "tokens": roles.same_word,
    "array": counted.count,
    "mixing": lambda W: weights.hand_built(np.eye(3), (), Sizes(3, 1), (W, W)),
    "visible": lambda v: plots.attention_maps(EVEN, WORDS, None, [v, None]),
}


@pytest.mark.parametrize(("name", "call"), WANT_ARRAYS.items())
def test_rows_of_an_array_are_equally_long(name, call):
    with refused(TypeError, f"{name} must be an array, its rows", str(RAGGED)):
        call(RAGGED)


WANT_NUMBERS = [name for name in WANT_ARRAYS if name not in (
    "mask", "bias", "positions", "pattern", "tokens", "visible"
)]  # fmt: skip


@pytest.mark.parametrize("value", ["text", None, 1j, "\ud800", {"a": 1}])
@pytest.mark.parametrize("name", WANT_NUMBERS)
def test_an_array_holds_real_numbers(name, value):
    with refused(TypeError, "must hold real numbers: got "):
        WANT_ARRAYS[name](value)


# softmax: axis and out


@pytest.mark.parametrize("axis", [2, -3, 10**12])
def test_an_axis_that_is_not_there(axis):
    legal = 1 if axis > 0 else -2
    said = (f"axis must be from -2 to 1: got axis={axis:,}", f"is {legal}.")
    with refused(SizeError, *said):
        attention.softmax(np.ones((3, 4)), axis)


@pytest.mark.parametrize("axis", ["0", 1.0, True, (0, 1), [0], np.nan])
def test_an_axis_is_a_whole_number(axis):
    with refused(SizeError, f"axis must be a whole number: got {axis!r}"):
        attention.softmax(np.ones((3, 4)), axis)


def test_no_axis_is_all_of_them():
    shares = attention.softmax(np.zeros((3, 4)), axis=None)
    assert shares == pytest.approx(np.full((3, 4), 1 / 12))


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8", "i8"])
@pytest.mark.parametrize(
    "out",
    [
        np.zeros((2, 3, 4)),
        np.zeros((4, 3)),
        np.zeros((3, 4), complex),
        np.zeros((3, 4), np.longdouble),
        np.zeros((3, 4), int),
        [[0.0] * 4] * 3,
        "text",
    ],
    ids=quoted,
)
def test_shares_are_written_where_they_fit(number_type, out):
    """Broadcast into a larger array they would no longer sum to 1."""
    scores = np.ones((3, 4), number_type)
    wide = "float64" if number_type == "i8" else scores.dtype
    said = f"out must be an array of shape (3, 4) and type {wide}: got "
    with refused(TypeError, said):
        attention.softmax(scores, out=out)


@pytest.mark.parametrize(
    "scores",
    [None, 3, "text", [[1.0, 2.0]], np.ones(4), np.ones((3, 4), int)],
    ids=quoted,
)
def test_what_is_changed_in_place_can_be_changed(scores):
    """A list would be copied, and the copy lost."""
    for settings in ({}, {"causal": True}):
        with refused(TypeError, "scores must be a floating-point", "in place"):
            attention.hide(scores, **settings)


# number types


WANT_TYPES = {
    "KVCache": lambda kind: KVCache(SIZES, number_type=kind),
    "random": lambda kind: weights.random_projections(SIZES, 7, kind),
    "tokens": lambda kind: weights.token_vectors(3, 8, 7, kind),
    "mixing": lambda kind: weights.mixing_matrices(SIZES, 7, kind),
}


@pytest.mark.parametrize(
    "value", [int, bool, complex, "text", None, 4, object, [], "U1"], ids=repr
)
@pytest.mark.parametrize("call", WANT_TYPES.values(), ids=WANT_TYPES)
def test_a_number_type_has_room_for_fractions(call, value):
    """Weights drawn as whole numbers would all be 0."""
    said = "number_type must be a floating-point type, such as np.float32: got"
    with refused(TypeError, said, quoted(value)):
        call(value)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_a_number_type_may_be_a_name_or_a_type(name):
    for kind in (name, getattr(np, name), np.dtype(name)):
        assert KVCache(SIZES, number_type=kind).keys.dtype == name
        assert weights.token_vectors(3, 8, 7, kind).dtype == name


# lists


WANT_LISTS = {
    "lengths": lambda v: attention.padding_mask(v, 4),
    "front": lambda v: KVCache(SIZES, v),
    "relations": lambda v: weights.wanted_places(v, 3, 2),
    "pairs": roles.best_offset,
    "tokens": relations,
    "words": lambda v: plots.attention_maps(EVEN, v),
    "titles": lambda v: plots.attention_maps(
        EVEN, WORDS, "no" if v is None else v
    ),
    "chunks": lambda v: in_chunks(
        *layer(), H, KVCache(SIZES), "no" if v is None else v
    ),
    "without": lambda v: roles.head_mask(2, 3, v),
    "order": lambda v: wiring(v, "heads"),
    "word_of": lambda v: findings.merged(EVEN, v),
}


@NO_LIST
@pytest.mark.parametrize("call", WANT_LISTS.values(), ids=WANT_LISTS)
def test_a_list_is_no_number_no_text_and_has_an_order(call, value):
    with refused(TypeError, " must be a list of ", ": got "):
        call(value)


@pytest.mark.parametrize("value", [(1,), (1, 2, 3), []])
def test_a_pair_has_two(value):
    with refused(TypeError, "must be two", f"got {len(value)}, {value}"):
        roles.best_offset([[value]])
    with refused(TypeError, "must be two", f"got {len(value)}, {value}"):
        roles.head_mask(2, 3, [value])
    with refused(TypeError, "mixing must be two", f"got {len(value)}"):
        weights.hand_built(np.eye(3), (), Sizes(3, 1), value)


@pytest.mark.parametrize("value", [(0, -1), (0, 2.5), ("a", "b"), (0, None)])
def test_a_place_is_a_whole_number_from_0(value):
    with refused(SizeError, "a place must be", "got"):
        roles.best_offset([[(0, 1), (0, value[1])]])


@pytest.mark.parametrize("word", [None, 101, 0.5, b"cat"])
def test_words_are_texts(word):
    said = f"must be texts: got {word!r}, of type {type(word).__name__}."
    with refused(TypeError, "tokens " + said):
        relations(["the", word])
    with refused(TypeError, "tokens " + said):
        plots.attention_maps(EVEN, [word] * 5)
    with refused(TypeError, "titles " + said):
        plots.attention_maps(EVEN, WORDS, ["one", word])


def test_a_text_is_not_taken_for_its_letters():
    """relations("a b a") would find relations between letters."""
    with refused(TypeError, "tokens must be a list of words: got 'a b a'"):
        relations("a b a")


def test_no_titles_are_not_replaced_by_others():
    with refused(ValueError, "needs 2 titles"):
        plots.attention_maps(EVEN, WORDS, [])


# choices


WANT_CHOICES = {
    "layout": lambda v: rope.rotate(np.ones((3, 4)), layout=v),
    "how": lambda v: pooling.pool_heads(np.ones((3, 4)), 4, 2, v),
    "number_type": cost.bytes_per_number,
    "fact": models.model("Llama 3 8B").source,
    "bug": bugs.noticed_by,
}


@pytest.mark.parametrize(
    "value", ["typo", 3, True, ["a"], np.ones((2, 3)), {"a": 1}, "\ud800"]
)
@pytest.mark.parametrize(("name", "call"), WANT_CHOICES.items())
def test_a_choice_is_one_of_those_listed(name, call, value):
    with refused(ValueError, f"{name} must be one of ", ", ", quoted(value)):
        call(value)


@pytest.mark.parametrize("value", [3, None, ["a"], np.ones(3), "\ud800"])
def test_a_model_is_known_by_its_name(value):
    with refused(ValueError, "name must be one of the", quoted(value)):
        models.model(value)


# maps, relations, weights


@pytest.mark.parametrize("wrong", [5, -0.5, np.nan, np.inf])
def test_c14_what_is_scored_are_weights(wrong):
    """Of scores before the softmax, entropy would leave out the negative."""
    attn = EVEN.copy()
    attn[1, 2, 3] = wrong
    said = f"attn must hold weights, from 0 to 1: got {wrong:.3g}."
    for call in (
        roles.entropy,
        lambda attn: roles.score(attn, roles.at_offset(5, -1)),
        lambda attn: roles.scores(attn, WORDS),
        lambda attn: plots.attention_maps(attn, WORDS),
    ):
        with refused(ValueError, said, "softmax"):
            call(attn)


@pytest.mark.parametrize("shape", [(), (5,), (5, 5), (2, 0, 5)])
def test_entropy_wants_the_maps_of_heads(shape):
    with refused(SizeError, "attn must be (..., h, N, N)", str(shape)):
        roles.entropy(np.ones(shape))


def test_losses_come_from_a_function():
    with refused(TypeError, "loss_of must be a function", "got 3"):
        roles.ablation(3, 2, 3)


@pytest.mark.parametrize(("query", "key"), [(3, 0), (0, 3), (-1, 0), (0, -2)])
def test_a_relation_stays_within_the_sentence(query, key):
    """NumPy counts -1 from the end: the relation would move there."""
    wrong = [Relation("next", ((0, 1), (query, key)))]
    with refused(SizeError, "a place of 'next' must be from 0 to 2: got"):
        weights.hand_built(np.eye(3), wrong, Sizes(3, 1))


@pytest.mark.parametrize("wrong", ["next", None, ((0, 1),)])
def test_a_relation_is_made_by_relations(wrong):
    with refused(TypeError, "a relation must be a Relation", quoted(wrong)):
        weights.hand_built(np.eye(3), [wrong], Sizes(3, 1))


def test_hand_built_weights_of_whole_numbers_are_not_rounded():
    built = weights.hand_built(np.eye(5, dtype=int), relations(WORDS), SIZES5)
    wanted = weights.hand_built(np.eye(5), relations(WORDS), SIZES5)
    for got, want in zip(built, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


SIZES5 = Sizes(5, 1, d_k=3, d_v=2)


@pytest.mark.parametrize("number_type", ["f2", np.longdouble])
def test_hand_built_weights_want_a_type_that_can_be_solved(number_type):
    with refused(TypeError, "X must be of float32 or float64: got"):
        weights.hand_built(np.eye(3).astype(number_type), (), Sizes(3, 1))


@pytest.mark.parametrize("X", [np.zeros((2, 3)), np.ones((2, 3))])
def test_places_that_look_alike_are_refused(X):
    with refused(ValueError, "rows of X must be independent", "token_vectors"):
        weights.hand_built(X, (), Sizes(3, 1))


def test_mixing_matrices_fit_the_layer():
    W_V, W_O = np.ones((5, 2)), np.ones((2, 4))
    with refused(SizeError, "W_V (5, 2) and W_O (2, 5): got", "(2, 4)"):
        weights.hand_built(np.eye(5), (), SIZES5, (W_V, W_O))


# numbers


@pytest.mark.parametrize("value", ["text", None, True, 2.5, np.nan, -3, 1j])
def test_bytes_are_counted_in_whole_numbers(value):
    with refused(SizeError, "n_bytes must be "):
        cost.binary_units(value)


@pytest.mark.parametrize("value", [-1, 2.5, "1", None])
def test_room_is_asked_for_in_whole_tokens(value):
    with refused(SizeError, "N_new must be "):
        KVCache(SIZES, limit=5).require_room(value)


def test_no_tokens_are_not_appended():
    cache = KVCache(SIZES)
    with refused(SizeError, "K must be (..., n_kv, N_new, width)", "(2, 0, 5"):
        cache.append(np.ones((2, 0, 5)), np.ones((2, 0, 5)))
    assert cache.N == 0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_turned_or_pooled_is_finite(value):
    X = np.ones((3, 4))
    X[1, 2] = value
    for name, call in {
        "X": rope.rotate,
        "W": lambda W: pooling.pool_heads(W, 4, 2),
        "before": lambda before: pooling.drift(before, np.ones((3, 4))),
        "after": lambda after: pooling.drift(np.ones((3, 4)), after),
    }.items():
        with refused(ValueError, f"{name} holds NaN or infinity"):
            call(X)


def test_a_bug_is_shown_on_arrays_that_fit():
    L = layer()
    wrong = L._replace(W_K=np.ones((31, 10)))
    with refused(SizeError, "W_K must have as many rows as X"):
        bugs.attention_with("bare reshape", *wrong, H, N_KV)
    with refused(TypeError, "causal must be True or False: got 'no'"):
        bugs.attention_with("wrong merge", *L, H, N_KV, "no")
    out, _ = bugs.attention_with(None, *L, H, N_KV)
    assert out.shape == L.X.shape == (N, 30)


# how a value is told


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("שלום", "'שלום'"),
        ("a\u202eb\ud800\n", r"'a\u202eb\ud800\n'"),
        ("x" * 58, f"'{'x' * 58}'"),
        ("x" * 59, f"'{'x' * 58}…"),
        (np.zeros((7, 5)), "an array of shape (7, 5)"),
        (np.array(["a\nb"]), "an array of shape (1,)"),
        (2**99, "a number of 100 bits"),
        (2**99 - 1, str(2**99 - 1)),
        (-(10**9999), "a number of 33,216 bits"),
        ([10**9999], "a value of type list"),
        (np.float64, "<class 'numpy.float64'>"),
    ],
    ids=quoted,
)
def test_a_value_is_told_on_one_short_line(value, said):
    assert quoted(value) == said


def test_a_number_too_long_to_be_written_is_refused_too():
    with refused(SizeError, "n_kv must divide h", "a number of 33,216 bits"):
        require_n_kv(10**9999, 6)


# small models


MODEL = Model(WhoDidWhat().settings())
DRAWN = WhoDidWhat().draw(np.random.default_rng(7), 5)
WANT_MODEL = {
    "train": lambda model: train(model, WhoDidWhat()),
    "examine": lambda model: examine(model, DRAWN),
    "converted": lambda model: converted(model, 1),
    "order_of": lambda model: pruning.order_of(model, DRAWN, "greedy"),
    "curve": lambda model: pruning.curve(model, DRAWN, []),
    "importance": lambda model: pruning.importance(model, DRAWN),
    "best_alone": lambda model: pruning.best_alone(model, DRAWN, [0]),
    "only": lambda model: pruning.only(model, []),
    "head_scores": lambda model: snapshots.head_scores(model, DRAWN),
}
WANT_BATCH = {
    "examine": lambda batch: examine(MODEL, batch),
    "importance": lambda batch: pruning.importance(MODEL, batch),
    "patterns": patterns,
    "head_scores": lambda batch: snapshots.head_scores(MODEL, batch),
}
WANT_RNG = {
    task.__name__: lambda rng, task=task: task().draw(rng, 5)
    for task in (WhoDidWhat, Repeat, RolesInARow)
}


@pytest.mark.parametrize("value", [None, 7, "model", np.eye(3), Model])
@pytest.mark.parametrize("call", WANT_MODEL.values(), ids=WANT_MODEL)
def test_a_model_is_a_model(call, value):
    said = "model must be a Model, such as Model(task.settings()): got "
    with refused(TypeError, said, quoted(value)):
        call(value)


@pytest.mark.parametrize("value", [None, 7, "batch", np.eye(3), DRAWN.tokens])
@pytest.mark.parametrize("call", WANT_BATCH.values(), ids=WANT_BATCH)
def test_a_batch_is_drawn(call, value):
    with refused(TypeError, "batch must be a Batch, such as task.draw(rng, "):
        call(value)


@pytest.mark.parametrize("value", [None, 7, "seed", np.random])
@pytest.mark.parametrize("call", WANT_RNG.values(), ids=WANT_RNG)
def test_what_draws_is_a_generator(call, value):
    with refused(TypeError, "rng must be a Generator, such as np.random.def"):
        call(value)


@pytest.mark.parametrize("value", [None, 7, "task", WhoDidWhat])
def test_a_task_can_be_drawn_from(value):
    for call in (lambda task: train(MODEL, task), snapshots.examination):
        with refused(TypeError, "task must be a task, such as WhoDidWhat(): "):
            call(value)


@pytest.mark.parametrize("shape", [(), (9,), (2, 8), (2, 9, 1)])
def test_sentences_to_ask_about_are_of_the_tasks_length(shape):
    with refused(SizeError, "tokens must be (batch, N), with N = 9: got"):
        WhoDidWhat().ask(np.zeros(shape, int))


@pytest.mark.parametrize("value", ["text", -0.1, np.nan, np.inf, 1j, [0.1]])
def test_a_spread_is_a_number(value):
    """Asked for when the settings are made, not when weights are drawn."""
    with refused(ValueError, "spread must be a finite number of at least 0"):
        WhoDidWhat().settings(spread=value)


@pytest.mark.parametrize("value", ["0.1", 1j, [0.1], 0, -1, np.nan])
def test_a_learning_rate_is_a_number(value):
    with refused(TrainingError, "learning rate must be a number above 0: got"):
        train(MODEL, WhoDidWhat(), learning_rate=value)


@pytest.mark.parametrize("value", [0.5, "a", 1j])
def test_tokens_are_whole_numbers(value):
    tokens = np.full((2, 9), value)
    with refused(TypeError, "tokens must be whole numbers: got"):
        MODEL.forward(tokens)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"positions": "Q"}, ValueError, "one of 'Q, K', 'Q, K, V': got 'Q'"),
        ({"mlp": np.ones(3)}, ValueError, "mlp must be one of 'none', 'befor"),
        ({"causal": "no"}, TypeError, "causal must be True or False: got 'n"),
    ],
)
def test_settings_are_asked_for_at_once(settings, error, said):
    with refused(error, said):
        WhoDidWhat().settings(**settings)


@pytest.mark.parametrize("value", [3, None, b"ab", ["cat"], np.ones(3)])
def test_a_sentence_is_text(value):
    for call in (WhoDidWhat().tokens, RolesInARow().tokens):
        with refused(TypeError, "sentence must be text: got", quoted(value)):
            call(value)
    with refused(TypeError, "text must be text: got", quoted(value)):
        Repeat().ask(value)


@pytest.mark.parametrize("value", ["\ud800", "../heads", 3, None, ["a"]])
def test_what_is_shipped_is_listed(value):
    with refused(ValueError, f"study {quoted(value)} are", "heads, "):
        study.shipped(value)
    with refused(ValueError, f"weights {quoted(value)} are", "are repeat."):
        weights_on_disk.load(value)


# real models


@pytest.mark.parametrize("value", [3, True, b"a", ["a"], np.ones(3)])
def test_a_path_is_text_or_a_path(value):
    for load in (load_encoder, load_causal):
        with refused(FileError, "A path must be text or a Path: got"):
            load(value)
    with refused(FileError, quoted(value), "is no top-level package"):
        package_folder(value)


@pytest.mark.parametrize("value", ["4", "4-2-1", "0-1", "a-b", "", None, 42])
def test_a_head_is_named_by_layer_and_head(value):
    with refused(ValueError, 'from 1, such as "4-2": got', quoted(value)):
        findings.place(value)
    assert findings.place(findings.name(3, 1)) == (3, 1)


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)])
def test_the_best_head_is_one_of_a_table(shape):
    with refused(SizeError, "scores must be (n_layers, h)", str(shape)):
        findings.best(np.ones(shape))


@pytest.mark.parametrize("n_kv", [10**9, 0, 2.5, "2"])
def test_heads_are_drawn_as_far_as_there_is_room(n_kv):
    """Told 10**9 of them, the picture would be drawn for hours."""
    with refused(SizeError, "n_kv must be"):
        wiring((0, 0, 1, 1), "heads", n_kv)

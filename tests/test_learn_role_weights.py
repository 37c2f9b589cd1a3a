"""The shipped models of the playground: which there are, what is refused."""

import numpy as np
import pytest

from helpers.learn import role_weights
from helpers.learn.role_weights import SHAPES, load_role_model, settings_of
from helpers.learn.weights_on_disk import WeightsError


@pytest.fixture(autouse=True)
def _fresh():
    """Forget what was loaded, before and after."""
    load_role_model.cache_clear()
    yield
    load_role_model.cache_clear()


@pytest.mark.parametrize(("h", "n_kv"), SHAPES)
def test_a_model_has_the_shape_that_it_is_asked_for(h, n_kv):
    model = load_role_model(h, n_kv)
    assert model.settings == settings_of(h, n_kv)
    assert np.isfinite(model.flat).all() and model.flat.any()


@pytest.mark.parametrize(("h", "n_kv"), [(3, 1), (8, 3), (2, 4), (4, 0)])
def test_a_shape_that_is_not_shipped_is_named(h, n_kv):
    said = f"No model with h = {h} and n_kv = {n_kv} is shipped"
    with pytest.raises(WeightsError, match=said):
        load_role_model(h, n_kv)


@pytest.mark.parametrize("bad", (np.nan, np.inf, -np.inf))
def test_one_weight_that_is_no_number_spoils_a_model(
    bad, tmp_path, monkeypatch
):
    flat = load_role_model(4, 2).flat.astype(np.float16)
    flat[-1] = bad
    path = tmp_path / "who_did_what.npz"
    np.savez(path, **{role_weights._key(4, 2): flat})
    monkeypatch.setattr(role_weights, "FILE", path)
    load_role_model.cache_clear()
    with pytest.raises(WeightsError, match="its weights do not fit"):
        load_role_model(4, 2)

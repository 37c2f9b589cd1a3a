"""Where the range of a number type ends: at its half, for scores."""

import numpy as np
import pytest

from helpers.number_rules import require_kept, require_scores_in_range

MOST = {t: np.finfo(t).max for t in (np.float32, np.float64)}
each_type = pytest.mark.parametrize("number_type", MOST)


def one(number, number_type):
    return np.full((1, 1), number, number_type)


@each_type
@pytest.mark.parametrize("sign", (1, -1))
def test_half_of_the_range_is_left_free(number_type, sign):
    key = one(1, number_type)
    require_scores_in_range(one(0.4 * MOST[number_type], number_type), key, 1)
    beyond = one(0.75 * MOST[number_type], number_type)
    with pytest.raises(ValueError, match="range of"):
        require_scores_in_range(beyond, key, sign)


@each_type
def test_a_scaled_query_stays_in_range_whatever_the_keys(number_type):
    query = one(0.4 * MOST[number_type], number_type)
    with pytest.raises(ValueError, match="range of"):
        require_scores_in_range(query, one(0, number_type), 3)


def test_the_scores_have_the_wider_type_of_the_two():
    narrow, wide = one(1e30, np.float32), one(1e30, np.float64)
    require_scores_in_range(narrow, wide, 1)
    require_scores_in_range(wide, narrow, 1)
    with pytest.raises(ValueError, match="range of float32"):
        require_scores_in_range(narrow, narrow, 1)


def test_nan_is_not_kept():
    with pytest.raises(ValueError, match="K holds nan"):
        require_kept(np.float32, K=[1.0, np.nan])

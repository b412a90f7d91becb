import numpy as np
import pytest

from embspace.geometry.attention.first_key import without_first_key
from embspace.geometry.attention.head_features import head_features
from tests.geometry.attention.heads import N, previous, random_heads, sink, token_sets, uniform


def test_rows_sum_to_one_and_keep_their_ratios():
    maps = random_heads(3)
    rest = without_first_key(maps)
    assert rest.shape == (3, N - 1, N - 1)
    assert rest.dtype == maps.dtype
    np.testing.assert_allclose(rest.sum(axis=-1), 1, rtol=1e-5)
    ratio = maps[:, 1:, 5] / maps[:, 1:, 9]
    np.testing.assert_allclose(rest[..., 4] / rest[..., 8], ratio, rtol=1e-4)


def test_a_sink_on_a_uniform_head_looks_backward_only_with_its_key():
    """Three quarters go to the first token and the rest to all alike."""
    maps = np.stack([0.75 * sink() + 0.25 * uniform()])
    options = {"mass_share": 0.9, "n_columns": 2}
    with_key = head_features(maps, token_sets(), **options)
    rest = head_features(without_first_key(maps), token_sets(N - 1), **options)
    assert with_key["backward_mass"] > 0.8
    assert rest["backward_mass"] == pytest.approx(rest["forward_mass"], abs=1e-6)


def test_a_head_that_looks_backward_by_itself_still_does():
    rest = without_first_key((previous() + sink()) / 2)
    np.testing.assert_allclose(np.diagonal(rest, offset=-1), 1)


def test_a_query_that_sees_the_first_key_alone_has_nothing_left():
    assert (without_first_key(sink()) == 0).all()

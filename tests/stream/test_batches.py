"""Tests of `embspace.stream.batches`."""

import numpy as np
import pytest

from embspace.geometry.measures.spectral_measures import top_variance_share
from embspace.geometry.pairs.moments import moments_of
from embspace.stream.batches import BatchShares, top_share


def shares(x: np.ndarray, size: int) -> np.ndarray:
    batches, origin = BatchShares(size), x.mean(axis=0)
    while len(x):
        n = min(batches.room, 7)
        batches.add(moments_of(x[:n], origin))
        x = x[n:]
    return batches.shares()


def test_the_last_batch_has_the_rest_too() -> None:
    x = np.random.default_rng(0).normal(size=(110, 4))
    expected = [top_variance_share(part) for part in (x[:50], x[50:])]
    assert shares(x, 50) == pytest.approx(expected, rel=1e-12)


def test_fewer_than_a_batch_are_one() -> None:
    x = np.random.default_rng(0).normal(size=(30, 4))
    assert shares(x, 50) == pytest.approx([top_variance_share(x)], rel=1e-12)


def test_the_largest_eigenvalue_alone_gives_the_same() -> None:
    x = np.random.default_rng(0).normal(size=(300, 90)) * np.arange(1, 91)
    moments = moments_of(x)
    assert top_share(moments) == pytest.approx(top_variance_share(moments), rel=1e-10)
    assert np.isnan(top_share(moments_of(np.ones((3, 90)))))

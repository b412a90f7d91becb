"""Holds the shares of a word's first axis to singular values, of few and of many occurrences."""

import numpy as np
import pytest

from embspace.geometry.measures import word_axes
from embspace.geometry.measures.word_axes import word_axes_of


def cloud(counts: list[int], dim: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    word = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    return rng.normal(size=(len(word), dim)) * np.linspace(0.2, 2, dim) + 0.7, word


def shares_by_singular_values(x: np.ndarray) -> list[float]:
    centered = x - x.mean(axis=0)
    _, singular, axes = np.linalg.svd(x)
    principal = np.linalg.svd(centered, compute_uv=False)
    total = np.square(centered).sum()
    square_share = singular[0] ** 2 / np.square(singular).sum()
    return [square_share, np.square(centered @ axes[0]).sum() / total, principal[0] ** 2 / total]


# Fewer occurrences than dimensions, as many, more; few and many of one word.
@pytest.mark.parametrize("dim", [3, 8, 50])
def test_shares_are_those_of_singular_values(dim: int) -> None:
    counts = [2, 2, 3, 8, 8, 1, 31, 32, 33, 60]
    x, word = cloud(counts, dim)
    expected = [shares_by_singular_values(x[word == number]) for number in np.argsort(counts)[1:]]
    axes = word_axes_of(x, word)
    shares = np.stack([axes.square_shares, axes.variance_along_axis, axes.variance_shares], axis=1)
    assert np.sort(shares, axis=0) == pytest.approx(np.sort(expected, axis=0), rel=1e-9)
    assert word_axes_of(axes, word) is axes
    singular = np.linalg.svd(x, compute_uv=False)
    assert axes.square_share_of_all == pytest.approx(singular[0] ** 2 / np.square(singular).sum())


def test_many_words_at_once_or_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x, word = cloud([4] * 20, 6)
    together = word_axes_of(x, word)
    monkeypatch.setattr(word_axes, "MOST_NUMBERS", 1)
    one_by_one = word_axes_of(x, word)
    assert together.variance_shares == pytest.approx(one_by_one.variance_shares, rel=1e-12)
    assert together.square_shares == pytest.approx(one_by_one.square_shares, rel=1e-12)


def test_what_does_not_vary_has_no_share_of_variance() -> None:
    x = np.repeat([[0.1, 0.7], [0.0, 0.0]], 3, axis=0)
    axes = word_axes_of(x, np.array([0, 0, 0, 1, 1, 1]))
    assert axes.square_shares[0] == pytest.approx(1)
    assert np.isnan(axes.square_shares[1])
    assert np.isnan(axes.variance_shares).all() and np.isnan(axes.variance_along_axis).all()


def test_words_that_occur_once_have_none() -> None:
    assert len(word_axes_of(np.eye(4), np.arange(4)).square_shares) == 0

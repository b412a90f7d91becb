"""Holds the entropy of a text to known matrices, to scipy, and to what the paper's code does."""

import numpy as np
import pytest
from scipy.stats import entropy

from embspace.geometry.measures.texts.text_entropy import text_entropy, text_entropy_as_coded


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def one(x: np.ndarray) -> np.ndarray:
    return np.zeros(len(x), dtype=int)


def cross(n_axes: int, dim: int) -> np.ndarray:
    """Two tokens on each of some axes, on either side of the origin."""
    axes = np.eye(dim)[:n_axes]
    return np.concatenate([axes, -axes])


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("n_axes", [1, 3, 8])
def test_even_directions_have_the_logarithm_of_their_number(n_axes: int, order: float) -> None:
    x = 5 * cross(n_axes, dim=10) + 3
    assert text_entropy(x, one(x), order=order) == pytest.approx(np.log(n_axes), abs=1e-6)


@pytest.mark.parametrize(("n", "dim"), [(6, 40), (40, 6), (20, 20)])
def test_it_is_the_entropy_of_the_eigenvalues(n: int, dim: int) -> None:
    x = rng().normal(size=(n, dim)) * np.linspace(0.1, 3, dim)
    unit = x - x.mean(axis=0)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    gram = unit @ unit.T / n
    values = np.linalg.eigvalsh(gram).clip(min=0)
    assert text_entropy(x, one(x)) == pytest.approx(entropy(values))
    assert text_entropy(x, one(x), order=2) == pytest.approx(-np.log((gram**2).sum()))
    by_order = [text_entropy(x, one(x), order=order) for order in (0.5, 1.0, 1.5, 3.0)]
    assert by_order == sorted(by_order, reverse=True)
    assert by_order[0] <= np.log(min(n - 1, dim)) + 1e-9


def test_near_an_order_of_one_it_is_von_neumanns() -> None:
    x = rng().normal(size=(12, 5))
    assert text_entropy(x, one(x), order=1 + 1e-7) == pytest.approx(text_entropy(x, one(x)))


def test_independent_tokens_have_what_their_number_allows() -> None:
    """Null: of n tokens in d >> n dimensions, log(n - 1) less what chance takes, some n / 2d."""
    x = rng().normal(size=(20, 2000))
    assert text_entropy(x, one(x)) == pytest.approx(np.log(19) - 20 / 4000, abs=2e-3)


def test_every_text_weighs_alike_and_equal_tokens_say_nothing() -> None:
    parts = [cross(1, 6), cross(4, 6), np.full((5, 6), 0.1), rng().normal(size=(1, 6))]
    x, group = np.concatenate(parts), np.repeat([3, 1, 2, 0], [2, 8, 5, 1])
    assert text_entropy(x, group) == pytest.approx(np.log(4) / 2)
    assert np.isnan(text_entropy(parts[2], one(parts[2])))
    assert np.isnan(text_entropy_as_coded(parts[2], one(parts[2])))


def test_an_order_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="order: expected a positive number, found 0"):
        text_entropy(np.eye(3), one(np.eye(3)), order=0.0)


@pytest.mark.parametrize("n_axes", [1, 3, 8])
def test_the_code_counts_opposite_tokens_for_unrelated(n_axes: int) -> None:
    """Its entropy is log 2 too large here, and beyond what n - 1 directions can have."""
    x = cross(n_axes, dim=20)
    entropy = text_entropy_as_coded(x, one(x))
    assert entropy == pytest.approx(np.log(2 * n_axes))
    assert entropy > np.log(2 * n_axes - 1)
    assert text_entropy(x, one(x)) == pytest.approx(np.log(n_axes))


def test_tokens_near_one_another_share_a_direction_in_the_code() -> None:
    """Two vectors of cosine 0.6 and their opposites: eigenvalues 1.6, 0.4 and these again."""
    x = np.zeros((4, 6))
    x[:, :2] = [[1, 0], [0.6, 0.8], [-1, 0], [-0.6, -0.8]]
    expected = -(0.8 * np.log(0.4) + 0.2 * np.log(0.1))
    assert text_entropy_as_coded(x, one(x)) == pytest.approx(expected)


def test_texts_weigh_alike_in_what_the_code_gives() -> None:
    parts = [cross(4, 20), cross(1, 20), cross(1, 20)]  # log 8, log 2 and log 2
    group = np.repeat([0, 1, 2], [8, 2, 2])
    entropy = text_entropy_as_coded(np.concatenate(parts), group)
    assert entropy == pytest.approx(5 / 3 * np.log(2))


def test_of_a_long_text_the_code_depends_on_the_axes() -> None:
    x = rng().normal(size=(40, 6)) * [1, 2, 3, 4, 5, 6]
    turned = x @ np.linalg.qr(rng(1).normal(size=(6, 6)))[0]
    assert text_entropy(turned, one(x)) == pytest.approx(text_entropy(x, one(x)))
    different = text_entropy_as_coded(turned, one(x)) - text_entropy_as_coded(x, one(x))
    assert abs(different) > 1e-3
    short = x[:5], turned[:5]
    entropies = [text_entropy_as_coded(cloud, one(cloud)) for cloud in short]
    assert entropies[0] == pytest.approx(entropies[1])

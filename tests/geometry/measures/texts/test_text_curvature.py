"""Holds the curvature of a text's path to known paths, and two ways of the paper's code to it."""

from collections.abc import Callable

import numpy as np
import pytest

from embspace.geometry.measures.texts.text_curvature import (
    text_curvature,
    text_curvature_folded_as_coded,
    text_curvature_of_states_as_coded,
)

ALL = (text_curvature, text_curvature_folded_as_coded, text_curvature_of_states_as_coded)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def one(x: np.ndarray) -> np.ndarray:
    return np.zeros(len(x), dtype=int)


def polygon(n_corners: int, n_points: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n_points) / n_corners
    return np.column_stack([np.cos(angle), np.sin(angle), np.ones(n_points)])


@pytest.mark.parametrize("n_corners", [3, 4, 5, 12])
def test_a_polygon_turns_by_its_outer_angle(n_corners: int) -> None:
    x = polygon(n_corners, n_points=30)
    outer = 2 * np.pi / n_corners
    assert text_curvature(x, one(x)) == pytest.approx(outer)
    assert text_curvature_folded_as_coded(x, one(x)) == pytest.approx(min(outer, np.pi - outer))


def test_straight_on_is_zero_and_back_is_half_a_turn() -> None:
    straight = np.outer(np.arange(9.0) ** 2, rng().normal(size=7)) + 3
    assert text_curvature(straight, one(straight)) == pytest.approx(0, abs=1e-6)
    back = np.tile([[0.1, 0.2], [0.7, 0.3]], (5, 1))
    assert text_curvature(back, one(back)) == pytest.approx(np.pi, abs=1e-6)


@pytest.mark.parametrize(
    ("steps_are_independent", "expected"), [(True, np.pi / 2), (False, 2 * np.pi / 3)]
)
def test_paths_of_chance_have_known_angles(steps_are_independent: bool, expected: float) -> None:
    x = rng().normal(size=(200, 2000))
    x = x.cumsum(axis=0) if steps_are_independent else x
    assert text_curvature(x, one(x)) == pytest.approx(expected, abs=0.01)


def test_independent_tokens_are_at_right_angles_themselves() -> None:
    x = rng().normal(size=(200, 2000))
    assert text_curvature_of_states_as_coded(x, one(x)) == pytest.approx(np.pi / 2, abs=0.01)


def test_steps_that_share_their_terms_turn_less() -> None:
    """Steps that are sums over windows of w terms have w - 1 of w in common with the next."""
    noise, widths = rng().normal(size=(100, 2000)), (1, 3, 9)
    for width in widths:
        steps = sum(noise[shift : shift + 90] for shift in range(width))
        path = np.cumsum(steps, axis=0)
        assert text_curvature(path, one(path)) == pytest.approx(np.arccos(1 - 1 / width), abs=0.02)


def test_every_text_weighs_alike_and_short_ones_are_left_out() -> None:
    parts = [polygon(4, 5), polygon(8, 30), np.eye(3)[:2], np.ones((4, 3))]
    x, group = np.concatenate(parts), np.repeat([2, 0, 1, 3], [5, 30, 2, 4])
    assert text_curvature(x, group) == pytest.approx((np.pi / 2 + np.pi / 4) / 2)
    # Of interleaved texts each keeps its order.
    mixed = np.lexsort((group, np.concatenate([np.arange(len(part)) for part in parts])))
    assert text_curvature(x[mixed], group[mixed]) == pytest.approx(text_curvature(x, group))


@pytest.mark.parametrize("curvature", ALL)
def test_the_order_of_tokens_matters(curvature: Callable[..., float]) -> None:
    x = rng().normal(size=(30, 8)).cumsum(axis=0)
    shuffled = x[rng(1).permutation(30)]
    assert curvature(shuffled, one(x)) != pytest.approx(curvature(x, one(x)), abs=0.02)


@pytest.mark.parametrize("curvature", [text_curvature, text_curvature_of_states_as_coded])
def test_what_has_no_angle_is_nan(curvature: Callable[..., float]) -> None:
    assert np.isnan(curvature(np.ones((6, 3)), np.arange(6) // 3))
    assert np.isnan(curvature(np.eye(3), np.arange(3)))


def test_a_repeated_token_is_passed_over() -> None:
    x = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    assert text_curvature(x, one(x)) == pytest.approx(np.pi / 4)
    assert text_curvature_folded_as_coded(x, one(x)) == pytest.approx(0, abs=1e-6)


def test_the_later_code_takes_turning_back_for_going_straight() -> None:
    """Of independent tokens, whose steps turn by 120 degrees, it finds 60."""
    x = rng().normal(size=(200, 2000))
    assert text_curvature_folded_as_coded(x, one(x)) == pytest.approx(np.pi / 3, abs=0.01)
    there_and_back = np.tile(np.eye(4)[:2], (5, 1))
    folded = text_curvature_folded_as_coded(there_and_back, one(there_and_back))
    assert folded == pytest.approx(0, abs=1e-6)
    assert text_curvature(there_and_back, one(there_and_back)) == pytest.approx(np.pi, abs=1e-6)


def test_the_earlier_code_measures_tokens_and_not_steps() -> None:
    """Of a straight path: tokens on either side of the mean point apart, all others alike."""
    straight = np.outer(np.arange(10.0), np.ones(3))
    assert text_curvature(straight, one(straight)) == pytest.approx(0, abs=1e-6)
    curvature = text_curvature_of_states_as_coded(straight * [1, 0, 0], one(straight))
    assert curvature == pytest.approx(np.pi / 9)


def test_the_earlier_code_may_find_nan_where_a_token_is_repeated() -> None:
    """A product of a direction with itself is 1 but for rounding; over 1 it has no angle."""
    texts = [rng(seed).normal(size=(20, 30)).repeat(2, axis=0) for seed in range(20)]
    curvatures = [text_curvature_of_states_as_coded(x, one(x)) for x in texts]
    assert np.isnan(curvatures).any()
    for x in texts:
        assert text_curvature(x, one(x)) == text_curvature(x[::2], one(x[::2]))


def test_rounding_of_a_step_that_is_repeated_leaves_an_angle() -> None:
    """Its product with itself may exceed 1, or fall below -1 where it goes back."""
    steps = rng().normal(size=(40, 7))
    assert (np.square(steps / np.linalg.norm(steps, axis=1)[:, None]).sum(axis=1) > 1).any()
    for step in steps:
        on, back = np.outer([0, 1, 2], step), np.outer([0, 1, 0], step)
        assert text_curvature(on, one(on)) == pytest.approx(0, abs=1e-6)
        assert text_curvature(back, one(back)) == pytest.approx(np.pi, abs=1e-6)
        for x in (on, back):
            assert text_curvature_folded_as_coded(x, one(x)) == pytest.approx(0, abs=1e-6)

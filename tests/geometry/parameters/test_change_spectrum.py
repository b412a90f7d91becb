"""Holds the spectrum of a change to numpy's, and ranks to changes of which the rank is known."""

from collections.abc import Callable

import numpy as np
import pytest

from embspace.geometry.parameters import change_spectrum as module
from embspace.geometry.parameters.change_spectrum import (
    change_spectrum,
    gaussian_participation_ratio,
    leading_directions,
    overlap_with,
    within_rounding,
)
from embspace.geometry.parameters.rounding import to_bfloat16, to_float16


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def low_rank(seed: int, n_rows: int, dim: int, rank: int, size: float) -> np.ndarray:
    made = drawn(seed, n_rows, rank) @ drawn(seed + 50, rank, dim)
    return np.asarray(size * made / np.linalg.norm(made))


WEIGHTS = drawn(0, 90, 60) * 0.04
NORM = float(np.linalg.norm(WEIGHTS))


@pytest.mark.parametrize("shape", [(90, 60), (20, 60)])
def test_singular_values_are_numpys_in_any_blocks(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
):
    one, other = drawn(0, *shape), drawn(1, *shape)
    expected = np.linalg.svd((other - one).astype(np.float64), compute_uv=False)
    for block in (7, 1000):
        monkeypatch.setattr(module, "BLOCK", block)
        spectrum = change_spectrum(one, other)
        assert spectrum.values == pytest.approx(expected, rel=1e-5)
        squares = np.square(expected)
        assert spectrum.stable_rank == pytest.approx(squares.sum() / squares[0], rel=1e-5)
        ratio = squares.sum() ** 2 / np.square(squares).sum()
        assert spectrum.participation_ratio == pytest.approx(ratio, rel=1e-5)
        assert spectrum.share(3) == pytest.approx(squares[:3].sum() / squares.sum(), rel=1e-5)


@pytest.mark.parametrize("size", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("rank", [1, 8])
def test_the_rank_of_a_change_stands_above_the_rounding_of_float32(rank: int, size: float):
    changed = (WEIGHTS + low_rank(2, 90, 60, rank, size * NORM)).astype(np.float32)
    spectrum = change_spectrum(WEIGHTS, changed)
    assert spectrum.stored == "float32"
    assert spectrum.rank == rank


ROUNDED = [("bfloat16", to_bfloat16), ("float16", to_float16)]


@pytest.mark.parametrize(("stored", "rounded"), ROUNDED)
def test_the_rank_is_found_in_weights_that_were_rounded_after(
    stored: str, rounded: Callable[[np.ndarray], np.ndarray]
):
    one = rounded(WEIGHTS)
    spectrum = change_spectrum(one, rounded(one + low_rank(2, 90, 60, 4, 0.2 * NORM)))
    assert spectrum.stored == stored
    assert spectrum.rank == 4
    assert change_spectrum(WEIGHTS, one).rank == 0  # rounding alone


def test_a_change_of_all_directions_has_full_rank():
    spectrum = change_spectrum(WEIGHTS, WEIGHTS + 0.01 * drawn(3, 90, 60))
    assert spectrum.rank == 60
    assert spectrum.participation_ratio == pytest.approx(
        gaussian_participation_ratio(90, 60), rel=0.1
    )


def test_both_sides_of_a_known_direction():
    left, right = (np.linalg.qr(drawn(seed, n, 1))[0][:, 0] for seed, n in ((5, 90), (6, 60)))
    changed = WEIGHTS + 0.1 * NORM * np.outer(left, right).astype(np.float32)
    spectrum = change_spectrum(WEIGHTS, changed)
    assert abs(spectrum.directions[0] @ right) == pytest.approx(1, abs=1e-5)
    row_side = spectrum.row_side(changed - WEIGHTS, 1)[0]
    assert abs(row_side @ left) == pytest.approx(1, abs=1e-5)
    assert (row_side @ left) * (spectrum.directions[0] @ right) > 0  # one sign for both
    assert spectrum.share(1) == pytest.approx(1, abs=1e-6)
    assert spectrum.stable_rank == pytest.approx(1, abs=1e-6)


def test_a_change_within_the_leading_directions_overlaps_wholly():
    leading = leading_directions(WEIGHTS, 4)
    inside = drawn(7, 90, 2) @ leading[:2].astype(np.float32)
    overlap, angle = overlap_with(change_spectrum(WEIGHTS, WEIGHTS + inside), leading)
    assert overlap == pytest.approx(1, abs=1e-4)
    assert angle == pytest.approx(0, abs=0.5)
    last = leading_directions(WEIGHTS, 60)[-2:].astype(np.float32)
    outside = change_spectrum(WEIGHTS, WEIGHTS + drawn(7, 90, 2) @ last)
    assert overlap_with(outside, leading)[0] == pytest.approx(0, abs=1e-4)


def test_a_direction_that_rounding_makes_longer_than_1_is_at_no_angle_to_itself():
    unit = (row / np.linalg.norm(row) for row in np.random.default_rng(0).normal(size=(99, 1, 9)))
    longer = next(row for row in unit if row[0] @ row[0] > 1)
    change = module.ChangeSpectrum(np.ones(1), longer, tolerance=0.0, stored="float32")
    assert overlap_with(change, longer) == (1, 0)


def test_random_changes_overlap_as_random_directions_do():
    leading = leading_directions(WEIGHTS, 6)
    spectra = (change_spectrum(WEIGHTS, WEIGHTS + drawn(seed, 90, 60)) for seed in range(10, 40))
    overlaps = [overlap_with(spectrum, leading)[0] for spectrum in spectra]
    assert np.mean(overlaps) == pytest.approx(6 / 60, abs=0.02)


def test_sums_that_were_undone_leave_rounding_alone():
    step = low_rank(2, 90, 60, 4, 0.3 * NORM).astype(np.float32)
    undone = (WEIGHTS + step) - step
    assert not np.array_equal(undone, WEIGHTS)
    assert within_rounding(WEIGHTS, undone) == "float32"
    column = WEIGHTS[:, :1]
    assert within_rounding(column, undone[:, :1]) == "float32"
    assert within_rounding(WEIGHTS, WEIGHTS + step / 1000) == ""


def test_a_small_change_of_few_directions_is_more_than_rounding():
    """By its norm it could be rounding to bfloat16, by its first direction not."""
    one = to_bfloat16(drawn(0, 300, 200))
    step = low_rank(2, 300, 200, 1, 0.003 * float(np.linalg.norm(one)))
    moved = to_bfloat16(one + 4 * step.astype(np.float32))
    assert within_rounding(one, moved) == ""
    close = to_float16(WEIGHTS) + np.float32(0)
    assert within_rounding(close, close) == "float16"


def test_weights_that_left_the_grid_of_a_short_format_moved():
    for rounded in (to_bfloat16, to_float16):
        one = rounded(WEIGHTS)
        moved = one * (1 + np.float32(0.0002) * drawn(4, *one.shape))
        assert within_rounding(one, moved) == within_rounding(moved, one) == ""


@pytest.mark.parametrize("n_rows", [1, 5])
@pytest.mark.parametrize(("stored", "rounded"), ROUNDED)
def test_few_rows_that_moved_are_no_rounding_of_a_large_table(
    stored: str, rounded: Callable[[np.ndarray], np.ndarray], n_rows: int
):
    one = rounded(drawn(8, 20_000, 16))
    other = one.copy()
    other[7 : 7 + n_rows] = rounded(one[7 : 7 + n_rows] * np.float32(1.15))
    assert within_rounding(one, other) == ""
    other[7 : 7 + n_rows] = one[7 : 7 + n_rows] * np.float32(1 + 2.0**-30)
    assert within_rounding(one, other) == stored


@pytest.mark.parametrize("shape", [(5000, 1), (1, 5000), (50, 100)])
def test_one_entry_that_moved_is_no_rounding(shape: tuple[int, int]):
    one = to_bfloat16(1 + np.abs(drawn(9, *shape)))
    other = one.copy()
    other[-1, -1] = to_bfloat16(one[-1:, -1] * np.float32(1.15))[0]
    assert within_rounding(one, other) == ""
    other[-1, -1] = one[-1, -1] + np.float32(2.0**-7) * 2 ** np.floor(np.log2(one[-1, -1]))
    assert within_rounding(one, other) == "bfloat16"  # the next number


def test_weights_that_were_all_zero_moved():
    zero = np.zeros((30, 20), np.float32)
    assert within_rounding(zero, 1e-9 * drawn(10, 30, 20)) == ""


def test_only_directions_that_weights_have_lead_them():
    zero = np.zeros((90, 60), np.float32)
    assert len(leading_directions(zero, 4)) == 0
    assert np.isnan(overlap_with(change_spectrum(zero, WEIGHTS), leading_directions(zero, 4))).all()
    few = low_rank(2, 90, 60, 3, NORM)
    assert len(leading_directions(few.astype(np.float64), 2)) == 2
    rows = np.zeros((90, 60), np.float32)
    rows[:3] = WEIGHTS[:3]
    assert len(leading_directions(rows, 8)) == 3


def test_no_change_has_no_direction():
    spectrum = change_spectrum(WEIGHTS, WEIGHTS)
    assert spectrum.rank == 0 and np.isnan(spectrum.stable_rank)
    assert np.isnan(overlap_with(spectrum, leading_directions(WEIGHTS, 2))[0])

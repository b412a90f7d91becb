import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.stats import ortho_group

from embspace.geometry.pairs.directions import cosine_matrix
from embspace.geometry.positional import position_properties
from embspace.geometry.positional.position_properties import (
    PROPERTIES,
    cosines_by_offset,
    monotonicity,
    properties_by_window,
    shuffled_properties_by_window,
    symmetry,
    translation_invariance,
)

POSITIONS = np.arange(60)
FALLING = toeplitz(0.95**POSITIONS)


def sinusoidal(n: int, dim: int) -> np.ndarray:
    """Encodings of Vaswani et al. (2017), "Attention is all you need", section 3.5."""
    angle = np.arange(n)[:, np.newaxis] / 10_000 ** (np.arange(0, dim, 2) / dim)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def gaussian(n: int, dim: int = 20, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def values(
    cosines: np.ndarray, positions: np.ndarray = POSITIONS, largest_offset: int = 59
) -> dict[str, float]:
    (row,) = properties_by_window(cosines, positions, [largest_offset])
    return dict(zip(PROPERTIES, row, strict=True))


def brute_force(
    cosines: np.ndarray, positions: np.ndarray, largest_offset: int
) -> dict[str, float]:
    """The definitions, in loops over dictionaries."""
    numbers = {int(p): row for row, p in enumerate(positions) if np.isfinite(cosines[row, row])}
    near = {
        (p, q): cosines[numbers[p], numbers[q]]
        for p in numbers
        for q in numbers
        if 0 < abs(p - q) <= largest_offset
    }
    groups: dict[int, list[float]] = {}
    for (p, q), cosine in near.items():
        if p < q:
            groups.setdefault(q - p, []).append(cosine)
    everything = np.concatenate(list(groups.values()))
    within = sum(len(group) * np.var(group) for group in groups.values())
    falling = [
        (cosine > near[p, r]) + 0.5 * (cosine == near[p, r])
        for (p, q), cosine in near.items()
        for r in numbers
        if (p, r) in near and (r > q > p or r < q < p)
    ]
    mirrored = [
        (cosine, near[p, 2 * p - q])
        for (p, q), cosine in near.items()
        if q > p and (p, 2 * p - q) in near
    ]
    both = np.array(mirrored)
    return {
        "translation_invariance": 1 - within / (len(everything) * everything.var()),
        "monotonicity": float(np.mean(falling)),
        "symmetry": 1 - np.square(both[:, 0] - both[:, 1]).mean() / (2 * both.var()),
    }


@pytest.mark.parametrize("largest_offset", [4, 11, 80])
def test_all_three_by_their_definitions(largest_offset: int):
    # Gaps, positions in any order, equal cosines on purpose, and a vector that has none.
    x = gaussian(30, dim=4)
    x[5], x[11] = 0, x[3]
    positions = np.random.default_rng(1).permutation(45)[:30]
    cosines = np.round(cosine_matrix(x), 1)
    expected = brute_force(cosines, positions, largest_offset)
    properties = values(cosines, positions, largest_offset)
    assert properties == pytest.approx(expected, abs=1e-12)


def test_cosines_by_offset_by_hand():
    cosines = np.array([[1, 0.1, 0.2], [0.1, 1, 0.3], [0.2, 0.3, 1]])
    by_offset = cosines_by_offset(cosines, np.array([3, 0, 1]), 4)
    expected = np.full((4, 4), np.nan)
    expected[0, 0], expected[1, 1], expected[2, 0] = 0.3, 0.2, 0.1  # 0-1, 1-3, 0-3
    assert np.array_equal(by_offset, expected, equal_nan=True)


@pytest.mark.parametrize("largest_offset", [3, 20, 59])
def test_sinusoidal_encodings_are_invariant_and_symmetric(largest_offset: int):
    properties = values(cosine_matrix(sinusoidal(60, 32)), largest_offset=largest_offset)
    assert properties["translation_invariance"] == pytest.approx(1, abs=1e-12)
    assert properties["symmetry"] == pytest.approx(1, abs=1e-12)


def test_sinusoidal_encodings_are_monotone_as_far_as_their_shortest_wave():
    # Its wavelength is two pi: the mean cosine falls up to 3 positions away, not up to 12.
    cosines = cosine_matrix(sinusoidal(60, 8))
    assert monotonicity(cosines, POSITIONS, 3) == 1
    assert monotonicity(cosines, POSITIONS, 12) < 1


def test_falling_and_rising_cosines():
    assert values(FALLING) == pytest.approx(dict.fromkeys(PROPERTIES, 1.0))
    assert monotonicity(-FALLING, POSITIONS, 59) == 0
    assert monotonicity(-FALLING, POSITIONS, 2) == 0


def test_offset_and_noise_of_equal_variance_make_one_half():
    rng = np.random.default_rng(2)
    noise = np.triu(rng.normal(size=(300, 300)), k=1)
    offset = np.abs(np.subtract.outer(np.arange(300), np.arange(300)))
    signal = np.where(offset % 2, 1.0, -1.0)
    by_offset = cosines_by_offset(signal + noise + noise.T, np.arange(300), 299)
    assert translation_invariance(by_offset) == pytest.approx(0.5, abs=0.02)


def test_cosines_that_change_sign_with_the_direction_are_antisymmetric():
    # c(k, k + m) = (-1)^(k // m), so that c(i, i + m) = -c(i, i - m).
    cosines = np.eye(60)
    for i in range(60):
        for j in range(i + 1, 60):
            cosines[i, j] = cosines[j, i] = (-1.0) ** (i // (j - i))
    assert symmetry(cosines_by_offset(cosines, POSITIONS, 59)) == pytest.approx(-1)


def test_reversal_rotation_and_scale_change_nothing():
    x = sinusoidal(60, 16) + 0.5 * gaussian(60, 16)
    expected = values(cosine_matrix(x), largest_offset=20)
    turned = (x @ ortho_group.rvs(16, random_state=0)) * np.arange(1, 61)[:, np.newaxis]
    assert values(cosine_matrix(turned), largest_offset=20) == pytest.approx(expected)
    assert values(cosine_matrix(x), 59 - POSITIONS, 20) == pytest.approx(expected)
    order = np.random.default_rng(3).permutation(60)
    shuffled = cosine_matrix(x[order])
    assert values(shuffled, POSITIONS[order], 20) == pytest.approx(expected)


def test_shuffled_positions_lie_about_the_null():
    cosines = cosine_matrix(sinusoidal(120, 32))
    null = shuffled_properties_by_window(
        cosines, np.arange(120), [10, 119], n_shuffles=300, rng=np.random.default_rng(4)
    )
    assert null.shape == (300, 2, 3)
    n_pairs = np.array([sum(range(110, 120)), sum(range(1, 120))])
    expected = (np.array([10, 119]) - 1) / (n_pairs - 1)
    error = null.std(axis=0) / 300**0.5
    difference = null.mean(axis=0) - np.stack([expected, [0.5, 0.5], [0, 0]], axis=1)
    # Pairs that share a vector are not independent, which the symmetry's null shows a little.
    assert (np.abs(difference) < 5 * error + [0.1 * expected[0], 0, 0.02]).all()


def test_on_all_cores_shuffles_are_those_of_one_after_the_other():
    cosines, positions = cosine_matrix(sinusoidal(60, 16)), np.arange(60)
    null = shuffled_properties_by_window(
        cosines, positions, [5, 59], n_shuffles=9, rng=np.random.default_rng(6)
    )
    rng = np.random.default_rng(6)
    for shuffled in null:
        expected = properties_by_window(cosines, rng.permutation(positions), [5, 59])
        assert np.array_equal(shuffled, expected)


def test_unrelated_vectors_are_like_their_shuffles():
    cosines = cosine_matrix(gaussian(80))
    null = shuffled_properties_by_window(
        cosines, np.arange(80), [79], n_shuffles=200, rng=np.random.default_rng(5)
    )
    window = properties_by_window(cosines, np.arange(80), [79])
    assert (np.abs(window - null.mean(axis=0)) < 4 * null.std(axis=0)).all()


def test_columns_in_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    cosines = cosine_matrix(sinusoidal(60, 16) + gaussian(60, 16))
    for largest_offset in (5, 59):
        whole = monotonicity(cosines, POSITIONS, largest_offset)
        with monkeypatch.context() as patch:
            patch.setattr(position_properties, "BLOCK_COLUMNS", 7)
            assert monotonicity(cosines, POSITIONS, largest_offset) == whole


@pytest.mark.parametrize("n", [100, 126, 127, 130, 300])
def test_ranks_have_room_in_small_integers(n: int):
    assert monotonicity(toeplitz(0.9 ** np.arange(n)), np.arange(n), n - 1) == 1


def test_a_window_beyond_the_last_position_holds_all_pairs():
    cosines = cosine_matrix(gaussian(12))
    all_pairs = values(cosines, np.arange(12), 11)
    assert values(cosines, np.arange(12), 500) == pytest.approx(all_pairs)


def test_equal_cosines_have_no_offset_and_no_order():
    properties = values(np.ones((60, 60)))
    assert np.isnan([properties["translation_invariance"], properties["symmetry"]]).all()
    assert properties["monotonicity"] == 0.5
    rounded = values(cosine_matrix(np.ones((60, 3)) * np.arange(1, 61)[:, np.newaxis]))
    assert np.isnan([rounded["translation_invariance"], rounded["symmetry"]]).all()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_positions_have_no_property(n: int):
    assert np.isnan(properties_by_window(np.eye(n), np.arange(n), [5])).all()


def test_zero_rows_have_no_cosine_and_their_pairs_do_not_count():
    x = sinusoidal(60, 16) + gaussian(60, 16)
    x[[7, 30]] = 0
    cosines = cosine_matrix(x)
    assert np.isnan(cosines[[7, 30]]).all()
    assert np.isnan(cosines[:, [7, 30]]).all()
    kept = np.delete(POSITIONS, [7, 30])
    assert values(cosines) == values(cosine_matrix(x[kept]), kept)


def test_cosine_matrix_by_hand():
    cosines = cosine_matrix(np.array([[3, 4], [0, 2], [-6, -8]], dtype=np.float32))
    assert cosines.dtype == np.float64
    assert cosines == pytest.approx(np.array([[1, 0.8, -1], [0.8, 1, -0.8], [-1, -0.8, 1]]))

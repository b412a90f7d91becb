import numpy as np
import pytest
from scipy.stats import beta, kstest

from embspace.geometry.groups.paths import component_paths, layer_share, path_steps, rotated_paths
from embspace.geometry.maps.pca import principal_components

LAYERS = np.arange(7)
RNG = np.random.default_rng


def gaussian(*shape: int, seed: int = 0) -> np.ndarray:
    return RNG(seed).normal(size=shape)


def turned(x: np.ndarray, dim: int = 20) -> np.ndarray:
    """Paths of few dimensions somewhere in many."""
    frame = np.linalg.qr(gaussian(dim, x.shape[-1], seed=9))[0]
    return x @ frame.T


def line(start: list[float], step: list[float]) -> np.ndarray:
    return turned((np.array(start) + LAYERS[:, None] * np.array(step))[:, None])


def circle(angle: float, radius: float = 5.0) -> np.ndarray:
    turns = radius * np.stack([np.cos(angle * LAYERS), np.sin(angle * LAYERS)], axis=-1)
    return turned(turns[:, None])


def test_a_straight_line_from_the_origin_is_all_radial():
    steps = path_steps(line([1, 2], [2, 4]))
    assert steps.euclidean_distance == pytest.approx(20**0.5)
    assert steps.norm_change == pytest.approx(20**0.5)
    for share in (steps.radial_share, steps.norm_change_share, steps.cosine):
        assert share == pytest.approx(1)
    assert np.isnan(steps.step_cosine[0]).all()
    assert steps.step_cosine[1:] == pytest.approx(1)


def test_a_straight_line_past_the_origin_keeps_its_direction_while_states_turn():
    steps = path_steps(line([0, 3], [1, 0]))
    assert steps.step_cosine[1:] == pytest.approx(1)
    assert steps.cosine[0] == pytest.approx(3 / 10**0.5)
    assert steps.radial_share[0] == pytest.approx(0, abs=1e-12)
    # From (2, 3) on by (1, 0): the part of the step along the state is 2 / sqrt(13).
    assert steps.radial_share[2] == pytest.approx(4 / 13)
    assert steps.norm_change[2] == pytest.approx(18**0.5 - 13**0.5)


@pytest.mark.parametrize("angle", [0.05, 0.7, 2.0])
def test_a_turn_about_the_origin_changes_no_norm(angle: float):
    steps = path_steps(circle(angle))
    assert steps.norm_change == pytest.approx(0, abs=1e-12)
    assert steps.norm_change_share == pytest.approx(0, abs=1e-12)
    assert steps.radial_share == pytest.approx(np.sin(angle / 2) ** 2)
    assert steps.cosine == pytest.approx(np.cos(angle))
    assert steps.step_cosine[1:] == pytest.approx(np.cos(angle))
    assert steps.euclidean_distance == pytest.approx(10 * np.sin(angle / 2))


def test_cosines_of_states_say_nothing_of_those_of_steps():
    # Short steps in random directions: the states stay alike, the steps have nothing in common.
    walk = path_steps(10 * gaussian(1, 50, 400) + np.cumsum(gaussian(7, 50, 400, seed=1), axis=0))
    assert walk.cosine.min() > 0.98
    assert np.abs(walk.step_cosine[1:]).max() < 0.25
    assert walk.step_cosine[1:].mean() == pytest.approx(0, abs=0.01)


def test_states_drawn_anew_turn_back_by_half():
    steps = path_steps(gaussian(7, 60, 2_000))
    assert steps.cosine.mean() == pytest.approx(0, abs=0.01)
    assert steps.step_cosine[1:].mean() == pytest.approx(-0.5, abs=0.01)


def test_the_radial_share_of_a_random_direction_is_one_in_dim():
    x = gaussian(20_000, 8)
    steps = path_steps(np.stack([x, x + gaussian(20_000, 8, seed=1)]))
    assert steps.radial_share.mean() == pytest.approx(1 / 8, abs=0.003)


def test_a_step_is_a_change_of_the_norm_and_a_turn():
    x = gaussian(5, 6, 4)
    steps, norm = path_steps(x), np.linalg.norm(x, axis=2)
    turn = 2 * norm[1:] * norm[:-1] * (1 - steps.cosine)
    assert steps.norm_change**2 + turn == pytest.approx(steps.euclidean_distance**2)
    shares = steps.norm_change_share + turn / steps.euclidean_distance**2
    assert shares == pytest.approx(1)


def test_what_has_no_direction_is_not_defined():
    x = np.zeros((4, 1, 3), dtype=np.float32)
    x[1:, 0, 0] = [1, 1, 3]
    steps = path_steps(x)
    assert np.isnan(steps.cosine[:, 0]).tolist() == [True, False, False]
    assert np.isnan(steps.step_cosine[:, 0]).tolist() == [True, True, True]
    assert np.isnan(steps.radial_share[:, 0]).tolist() == [True, True, False]
    assert np.isnan(steps.norm_change_share[:, 0]).tolist() == [False, True, False]


def test_one_path_for_all_is_the_layers_alone_and_a_standstill_is_none_of_theirs():
    together = np.repeat(gaussian(6, 1, 5), 4, axis=1)
    assert layer_share(together) == pytest.approx(1)
    assert layer_share(together.swapaxes(0, 1).copy()) == pytest.approx(0, abs=1e-12)
    assert np.isnan(layer_share(np.ones((3, 2, 4))))


def test_paths_of_their_own_leave_the_layers_one_in_the_number_of_tokens():
    shares = [layer_share(gaussian(40, 10, 200, seed=seed)) for seed in range(20)]
    assert np.mean(shares) == pytest.approx(1 / 10, abs=0.005)


@pytest.mark.parametrize("dim", [4, 90])
def test_components_are_those_of_the_covariance_but_for_signs(dim: int):
    x = gaussian(5, 6, dim) * np.arange(1, dim + 1)
    scores, variances = component_paths(x.astype(np.float32), n_components=2)
    expected = principal_components(x.reshape(-1, dim), n_components=2)
    assert np.abs(scores).reshape(30, 2) == pytest.approx(np.abs(expected.coordinates), rel=1e-4)
    assert variances == pytest.approx(expected.explained_variance, rel=1e-5)


def test_components_of_a_standstill_have_no_share():
    scores, variances = component_paths(np.ones((3, 2, 4)), n_components=2)
    assert not scores.any()
    assert np.isnan(variances).all()


def rotated(x: np.ndarray, group: list[int], n_draws: int, seed: int = 0) -> np.ndarray:
    return np.stack(list(rotated_paths(x, np.array(group), n_draws=n_draws, generator=RNG(seed))))


def gram(moves: np.ndarray) -> np.ndarray:
    """Of all moves of all tokens with each other."""
    flat = moves.reshape(-1, moves.shape[-1])
    return flat @ flat.T


@pytest.mark.parametrize("dim", [3, 5, 30])
def test_a_rotated_path_starts_where_it_did_and_keeps_its_shape(dim: int):
    x = gaussian(5, 4, dim)
    for drawn in rotated(x, [0, 1, 2, 3], 3):
        assert np.array_equal(drawn[0], x[0])
        for token in range(4):
            here, there = (path[:, token] - path[0, token] for path in (x, drawn))
            assert gram(there) == pytest.approx(gram(here))
            assert np.abs(there - here)[1:].max() > 0.1


def test_tokens_of_a_group_turn_together_and_others_do_not():
    x = gaussian(5, 4, 30)
    moves = x - x[0]
    drawn = rotated(x, [0, 7, 0, 2], 1)[0] - x[0]
    assert gram(drawn[:, [0, 2]]) == pytest.approx(gram(moves[:, [0, 2]]))
    assert np.abs(gram(drawn[:, [0, 1]]) - gram(moves[:, [0, 1]])).max() > 1


def test_all_directions_are_as_likely():
    # The cosine with a fixed axis: squared it is Beta(1/2, (dim - 1) / 2), and has no sign.
    dim = 6
    straight = LAYERS[:, None, None] * np.arange(1.0, dim + 1)
    drawn = rotated(straight, [0], 1_500)
    moves = drawn[:, -1, 0] - drawn[:, 0, 0]
    cosine = moves[:, 0] / np.linalg.norm(moves, axis=1)
    assert kstest(cosine**2, beta(0.5, (dim - 1) / 2).cdf).pvalue > 0.01
    assert np.mean(cosine > 0) == pytest.approx(0.5, abs=0.05)
    # A path of several directions: the second is as free as the first.
    moves = np.diff(rotated(gaussian(3, 1, dim), [0], 1_500), axis=1)[:, 1, 0]
    cosine = moves[:, 0] / np.linalg.norm(moves, axis=1)
    assert kstest(cosine**2, beta(0.5, (dim - 1) / 2).cdf).pvalue > 0.01
    assert np.mean(cosine > 0) == pytest.approx(0.5, abs=0.05)


def test_one_seed_gives_one_null():
    x = gaussian(4, 3, 10)
    assert np.array_equal(rotated(x, [0, 1, 2], 2), rotated(x, [0, 1, 2], 2))
    assert not np.allclose(rotated(x, [0, 1, 2], 2), rotated(x, [0, 1, 2], 2, seed=1))

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.groups.shared_direction import shared_energy
from embspace.measure.words.evolution_paths import RANDOM, TRAINED, TokenPaths
from embspace.measure.words.evolution_steps import (
    shared_energies,
    shared_table,
    stretches,
    with_interval,
    with_null,
)

N, DIM = 40, 60


def paths_of(x: np.ndarray, y: np.ndarray | None = None) -> TokenPaths:
    n = x.shape[1]
    tokens = pd.DataFrame({"text": "a", "position": range(n), "id": range(n), "token": "t"})
    return TokenPaths(tokens, {TRAINED: x} | ({} if y is None else {RANDOM: y}))


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def drifting(common: list[float], seed: int = 0, n: int = N) -> np.ndarray:
    """Steps of length 1 in all, of which the square root of `common` is along one axis."""
    own = noise(len(common), n, DIM, seed=seed)
    own /= np.linalg.norm(own, axis=2, keepdims=True)
    share = np.array(common)[:, None, None]
    steps = np.sqrt(1 - share) * own + np.sqrt(share) * np.eye(DIM)[0]
    return np.concatenate([noise(1, n, DIM, seed=99), steps]).cumsum(axis=0)


@pytest.mark.parametrize(
    ("n_layers", "expected"),
    [(2, [(0, 1)]), (3, [(0, 1), (1, 2), (0, 2)])]
    + [(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 3), (0, 4)])],
)
def test_steps_then_the_way_without_and_with_the_last_layer(n_layers: int, expected: list):
    assert stretches(n_layers) == expected


def test_the_common_part_of_each_step_is_found():
    planted = [0.0, 0.3, 0.8, 1.0]
    table = shared_table("a", paths_of(drifting(planted), drifting([0.5] * 4, seed=1)))
    steps = table.iloc[:4]
    assert steps["shared_energy"].to_numpy() == pytest.approx(planted, abs=0.04)
    assert steps["mean_pair_cosine"].to_numpy() == pytest.approx(planted, abs=0.04)
    assert steps["random_weights_shared_energy"].to_numpy() == pytest.approx(0.5, abs=0.06)
    assert steps["previous_shared_cosine"].iloc[2:].to_numpy() == pytest.approx(1, abs=0.06)
    assert np.isnan(steps["previous_shared_cosine"].iloc[0])
    assert table["previous_shared_cosine"].iloc[4:].isna().all()


def test_a_common_step_and_its_way_back_leave_nothing_of_the_whole_way():
    x = drifting([0.9, 0.9])
    x[2] = x[1] - (x[2] - x[1])
    table = shared_table("a", paths_of(x)).set_index(["first_layer", "last_layer"])
    assert table["shared_energy"][1, 2] > 0.8
    assert table["previous_shared_cosine"][1, 2] == pytest.approx(-1, abs=0.05)
    assert table["shared_energy"][0, 2] == pytest.approx(0, abs=0.05)


def test_a_step_is_held_against_the_one_before_it_and_no_longer_way():
    steps = np.diff(drifting([0.9] * 3), axis=0) * np.array([3, -1, -1])[:, None, None]
    x = np.concatenate([noise(1, N, DIM), steps]).cumsum(axis=0)
    cosine = shared_table("a", paths_of(x))["previous_shared_cosine"]
    assert cosine[1:3].to_numpy() == pytest.approx([-1, 1], abs=0.05)


def test_two_tokens_of_one_word_are_no_pair():
    paths = paths_of(drifting([0.2]))
    paths.tokens["id"] = paths.tokens["id"] // 2
    paths.states[TRAINED][:, 1::2] = paths.states[TRAINED][:, ::2]
    (row,) = shared_table("a", paths).to_dict(orient="records")
    assert row["shared_energy"] == pytest.approx(0.2, abs=0.05)
    assert row["n_tokens"] == N


def test_energies_are_those_of_the_table():
    x = drifting([0.1, 0.6, 0.3])
    table = shared_table("a", paths_of(x))
    assert shared_energies(x, np.arange(N)) == pytest.approx(table["shared_energy"].to_numpy())
    assert table["shared_energy"][4] == pytest.approx(shared_energy(x[3] - x[0], np.arange(N)))


def test_the_null_stands_in_its_columns():
    table = shared_table("a", paths_of(drifting([0.0, 0.5])))
    null = np.repeat(np.linspace(-0.1, 0.1, 201)[:, None], 3, axis=1)
    rows = with_null(table, null, 0.9)
    assert rows["null_shared_energy"].to_numpy() == pytest.approx(0, abs=1e-12)
    assert rows["null_shared_energy_low"].to_numpy() == pytest.approx(-0.09)
    assert rows["null_shared_energy_high"].to_numpy() == pytest.approx(0.09)
    assert rows["p_value"][1] == pytest.approx(1 / 202)
    assert rows["p_value"][0] > 0.2


def test_intervals_hold_the_truth_as_often_as_they_say():
    hits = 0
    for seed in range(60):
        paths = paths_of(drifting([0.3], seed=seed))
        rows = with_interval(
            shared_table("a", paths),
            paths,
            n_resamples=100,
            level=0.9,
            generator=np.random.default_rng(seed),
        )
        hits += int(rows["shared_energy_low"][0] <= 0.3 <= rows["shared_energy_high"][0])
    assert 45 <= hits <= 60


def test_few_tokens_have_no_interval():
    paths = paths_of(drifting([0.3], n=3))
    options = {"n_resamples": 5, "level": 0.9, "generator": np.random.default_rng(0)}
    rows = with_interval(shared_table("a", paths), paths, **options)
    assert rows[["shared_energy_low", "shared_energy_high"]].isna().all(axis=None)

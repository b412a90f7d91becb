import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.toys.cubes import measure_cubes
from tests.analyses import settings_of

FEW = {"n_points": 300, "shares": [0.5, 0.95, 1.0], "n_draws": 40}
SETTINGS = settings_of(measure_cubes, **FEW)
# Points are drawn, and how the second cube is turned.
DECIDED_BY_SEED = ("explained_variance", "cumulative_explained_variance", "dimension")
DECIDED_BY_SEED += ("expected_cumulative_explained_variance", "expected_dimension")
DIMS = {"shifted": 7, "turned": 8, "flat": 9, "all": 10}


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measure_cubes(**SETTINGS)


def curve_of(outcome: Outcome, cloud: str) -> pd.DataFrame:
    return outcome["curve"][outcome["curve"]["cloud"] == cloud].set_index("n_components")


@pytest.mark.parametrize(("cloud", "dim"), [("shifted", 7), ("turned", 8), ("flat", 9)])
def test_the_exact_curve_of_a_cube_is_a_straight_line_to_its_dimension(outcome, cloud, dim):
    rows = curve_of(outcome, cloud)
    exact = np.minimum(np.arange(1, 11) / dim, 1)
    assert rows["expected_cumulative_explained_variance"].to_numpy() == pytest.approx(exact)
    assert rows["cumulative_explained_variance"][dim] == pytest.approx(1, abs=1e-12)
    assert rows["cumulative_explained_variance"][dim - 1] < 1 - 0.5 / dim


@pytest.mark.parametrize("cloud", DIMS)
def test_a_sample_comes_near_the_exact_curve_from_above(cloud):
    rows = curve_of(measure_cubes(**SETTINGS | {"n_points": 100_000, "n_draws": 2}), cloud)
    exact = rows["expected_cumulative_explained_variance"]
    excess = rows["cumulative_explained_variance"] - exact
    assert excess.abs().max() < 0.01
    # Components are those of the sample, which fit it better; but all of them hold all.
    assert cloud == "all" or (excess[: DIMS[cloud] - 1] > 0).all()


def test_all_together_say_where_the_cubes_lie_and_not_how_many_dimensions_they_have(outcome):
    rows = curve_of(outcome, "all")
    # Three centers span a plane, which holds nearly all.
    assert rows["expected_cumulative_explained_variance"][2] > 0.9
    assert rows["cumulative_explained_variance"][2] > 0.9
    ratio = outcome["dimensions"].query("cloud == 'all' and definition == 'participation_ratio'")
    assert ratio["dimension"].item() < 2


def test_the_dimension_is_read_as_it_should_be(outcome):
    table = outcome["dimensions"].set_index(["cloud", "share"])["dimension"]
    for cloud, dim in DIMS.items():
        assert table[cloud, 1.0] == dim  # the rank
        if cloud != "all":
            assert table[cloud, 0.95] == dim
            assert table[cloud, 0.5] < dim
    truth = outcome["dimensions"].groupby("cloud", sort=False)["true_dimension"].first()
    assert truth.to_dict() == DIMS
    exact = outcome["dimensions"].query("definition == 'participation_ratio'").set_index("cloud")
    for cloud in ("shifted", "turned", "flat"):
        assert exact["expected_dimension"][cloud] == pytest.approx(DIMS[cloud])
        assert exact["dimension"][cloud] == pytest.approx(DIMS[cloud], rel=0.05)


def test_all_together_are_as_many_points_as_the_cubes_have(outcome):
    n = outcome["dimensions"].groupby("cloud")["n"].unique().map(list)
    assert n.to_dict() == {"shifted": [300], "turned": [300], "flat": [300], "all": [900]}


def test_the_shares_are_those_of_another_pca(outcome):
    # The first cube is neither turned, nor does its place matter: its points are the first drawn.
    _, generator, _ = np.random.default_rng(0).spawn(3)
    x = generator.uniform(size=(300, 7))
    expected = PCA().fit(x).explained_variance_ratio_
    assert curve_of(outcome, "shifted")["explained_variance"][:7].to_numpy() == pytest.approx(
        expected
    )


def test_intervals_hold_the_level_of_new_draws(outcome):
    rows = curve_of(outcome, "turned")
    low = rows["cumulative_explained_variance_low"].to_numpy()
    high = rows["cumulative_explained_variance_high"].to_numpy()
    assert (low <= high).all()
    others = [
        curve_of(measure_cubes(**SETTINGS | {"seed": seed, "n_draws": 1}), "turned")[
            "cumulative_explained_variance"
        ].to_numpy()
        for seed in range(1, 41)
    ]
    # Turned otherwise, a cube has the same spectrum.
    inside = np.mean([(low[:7] <= x[:7]) & (x[:7] <= high[:7]) for x in others])
    assert 0.85 < inside <= 1
    dimensions = outcome["dimensions"]
    assert (dimensions["dimension_low"] <= dimensions["dimension_high"]).all()


def test_one_level_is_inside_another():
    wide, narrow = (
        curve_of(measure_cubes(**SETTINGS | {"level": level}), "flat") for level in (0.95, 0.5)
    )
    for end, sign in (("low", 1), ("high", -1)):
        name = f"cumulative_explained_variance_{end}"
        assert (sign * (narrow[name] - wide[name]) >= 0).all()


def test_no_shift_leaves_each_cube_its_curve(outcome):
    still = measure_cubes(**SETTINGS | {"shift": 0.0})
    assert curve_of(still, "shifted")["explained_variance"].to_numpy() == pytest.approx(
        curve_of(outcome, "shifted")["explained_variance"].to_numpy(), abs=1e-12
    )
    one = curve_of(still, "all")["expected_cumulative_explained_variance"][1]
    assert one < curve_of(outcome, "all")["expected_cumulative_explained_variance"][1]


def test_a_cube_larger_than_its_space_is_refused():
    with pytest.raises(InputError, match="'cube_dims': found 11, allowed: at most 10"):
        measure_cubes(**SETTINGS | {"cube_dims": [7, 8, 11]})


def test_points_on_a_line_are_a_line():
    outcome = measure_cubes(**SETTINGS | {"ambient_dim": 1, "cube_dims": [1, 1, 1]})
    assert (outcome["dimensions"]["dimension"] == 1).all()

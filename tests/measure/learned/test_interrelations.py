from typing import Any

import numpy as np
import pytest

from embspace.geometry.pairs.directions import cosine_tail
from embspace.measure.learned.interrelations import measure_interrelations
from tests.analyses import settings_of
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = settings_of(measure_interrelations, n_listed=50, n_histogram_bins=40, quantiles=[0.5])
MANY = {"n_tokens": 2000, "dim": 96}


def measured(matrices: dict[str, np.ndarray]) -> dict[str, Any]:
    return measure_interrelations(matrices, vocabulary_of(len(matrices["input"])), **SETTINGS)


def test_random_directions_lie_as_often_outside_as_the_null_says():
    scalars = measured(random_matrices(**MANY))["json"]["token_position"]
    expected = scalars["expected_outside"]
    assert expected == pytest.approx(60_000 * float(cosine_tail(0.2, 96)))
    assert abs(scalars["n_outside"] - expected) < 6 * expected**0.5
    assert scalars["n_beyond_bound"] == 0


def test_the_expected_histogram_adds_up_and_fits_random_directions():
    histogram = measured(random_matrices(**MANY))["histogram"]
    assert histogram["count"].sum() == 60_000
    # All of the null but its tails beyond the largest cosine that there was.
    assert histogram["expected"].sum() == pytest.approx(60_000, rel=1e-4)
    excess = histogram["count"] - histogram["expected"]
    assert (excess.abs() < 6 * np.sqrt(histogram["expected"] + 1)).all()


def test_a_token_planted_on_a_position_is_listed_first():
    matrices = random_matrices(**MANY)
    matrices["input"][77] = 3 * matrices["positional"][5]
    matrices["input"][78] = -matrices["positional"][6] + 0.1 * matrices["input"][78]
    listed = measured(matrices)["token_position"]
    listed = listed[listed["beyond_bound"]]
    assert listed[["id", "position"]].to_numpy().tolist() == [[77, 5], [78, 6]]
    assert listed["cosine"][0] == pytest.approx(1)
    assert listed["cosine"][1] < -0.9
    assert listed["token"][0] == "tokz77"


def planted(*cosines: float) -> dict[str, np.ndarray]:
    """Tokens with these cosines to position 0, in a space where all else is orthogonal."""
    matrices = {"input": np.zeros((300, 768)), "positional": np.eye(20, 768)}
    matrices["input"][np.arange(300), 20 + np.arange(300)] = 1
    for token, cosine in enumerate(cosines):
        matrices["input"][token] *= (1 - cosine**2) ** 0.5
        matrices["input"][token, 0] = cosine
    return matrices


def test_pairs_beyond_the_threshold_are_listed_beside_those_beyond_the_bound():
    # The thesis's table 4. A level that makes the bound of these few pairs that of BERT's.
    level = 0.01 * (300 * 20) / (28_996 * 512)
    matrices = planted(0.96, 0.48, -0.48, 0.204, 0.199)
    outcome = measure_interrelations(matrices, vocabulary_of(300), **SETTINGS | {"level": level})
    listed, scalars = outcome["token_position"], outcome["json"]["token_position"]
    assert scalars["bound"] == pytest.approx(0.2202, abs=5e-5)
    assert listed["cosine"].tolist() == pytest.approx([0.96, 0.48, -0.48, 0.204])
    assert listed["beyond_threshold"].tolist() == [True] * 4
    assert listed["beyond_bound"].tolist() == [True] * 3 + [False]
    assert (scalars["n_outside"], scalars["n_beyond_bound"]) == (4, 3)


def test_pairs_beyond_a_bound_below_the_threshold_are_listed_too():
    settings = SETTINGS | {"threshold": 0.5}
    listed = measure_interrelations(planted(0.9, 0.3), vocabulary_of(300), **settings)[
        "token_position"
    ]
    assert listed["cosine"].tolist() == pytest.approx([0.9, 0.3])
    assert listed["beyond_threshold"].tolist() == [True, False]
    assert listed["beyond_bound"].tolist() == [True, True]


def test_no_more_pairs_are_listed_than_asked_for():
    matrices = random_matrices(**MANY)
    matrices["input"][100:200] = matrices["positional"][3]
    outcome = measured(matrices)
    assert len(outcome["token_position"]) == 50
    assert outcome["json"]["token_position"]["n_beyond_bound"] == 100


def test_the_opening_token_against_position_0_by_hand():
    matrices = random_matrices()
    matrices["input"][0] = 0
    matrices["positional"][0] = 0
    matrices["input"][0, :2] = [3, 0]
    matrices["positional"][0, :2] = [3, 4]
    scalars = measured(matrices)["json"]["cls_position_0"]
    assert scalars == pytest.approx(
        {
            "norm_cls": 3,
            "norm_position_0": 5,
            "cosine": 0.6,
            "euclidean_distance": 4,
            "chebyshev_distance": 4,
        }
    )


@pytest.mark.parametrize("degrees", [0.0, 60.0, 90.0, 135.0])
def test_segments_at_a_known_angle_are_found(degrees: float):
    matrices = random_matrices()
    angle = np.deg2rad(degrees)
    matrices["segment"][:] = 0
    matrices["segment"][:, :2] = [[2, 0], [2 * np.cos(angle), 2 * np.sin(angle)]]
    scalars = measured(matrices)["json"]["segment"]
    assert scalars["cosine_0_1"] == pytest.approx(np.cos(angle), abs=1e-6)
    assert scalars["dot_product_0_1"] == pytest.approx(4 * np.cos(angle), abs=1e-6)
    assert scalars["euclidean_distance_0_1"] == pytest.approx(4 * np.sin(angle / 2), abs=1e-6)


def test_segments_are_held_against_all_positions_and_all_tokens():
    table = measured(random_matrices())["segments"]
    assert table[["segment", "space", "n"]].to_numpy().tolist() == [
        [0, "positional", 30],
        [1, "positional", 30],
        [0, "input", 120],
        [1, "input", 120],
    ]


def test_pairs_with_a_zero_vector_are_not_counted():
    matrices = random_matrices()
    matrices["input"][5] = 0
    outcome = measured(matrices)
    assert outcome["json"]["token_position"]["n_pairs"] == 119 * 30
    assert outcome["histogram"]["count"].sum() == 119 * 30
    assert outcome["segments"].set_index("space")["n"].to_dict() == {"positional": 30, "input": 119}


def test_a_zero_segment_and_a_zero_position_have_no_cosines():
    matrices = random_matrices()
    matrices["segment"][1] = 0
    matrices["positional"][0] = 0
    outcome = measured(matrices)
    assert outcome["segments"]["n"].tolist() == [29, 0, 120, 0]
    assert np.isnan(outcome["json"]["segment"]["cosine_0_1"])
    assert np.isnan(outcome["json"]["cls_position_0"]["cosine"])


def test_without_an_opening_token_there_is_no_such_pair():
    vocabulary = vocabulary_of(120).assign(role="")
    outcome = measure_interrelations(random_matrices(), vocabulary, **SETTINGS)
    assert "cls_position_0" not in outcome["json"]

from functools import cache
from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.sparse_features import measure_sparse_features, verdict
from tests.analyses import settings_of
from tests.measure.open_questions.features.planted import planted

FEW = {"n_documents": 30, "n_components": 12, "n_features": 24, "n_active": 2, "n_epochs": 1}
FEW |= {"batch_size": 50, "learning_rate": 0.02, "n_seeds": 3, "n_draws": 20, "n_listed": 4}
FEW |= {"n_top": 10, "n_examples": 2, "max_iter": 60}
DECIDED_BY_SEED = ("cosine", "recurs", "active_share", "token", "token_share", "n_texts")
DECIDED_BY_SEED += ("examples", "verdict")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return planted() | ({"corpus": None} if is_empty else {})


@cache
def measured(*, is_sparse: bool, seed: int = 0) -> Outcome:
    settings = settings_of(measure_sparse_features, **FEW)
    return measure_sparse_features(**planted(is_sparse=is_sparse, seed=seed), **settings)


def test_planted_sources_recur_beyond_a_gaussian_and_random_weights():
    own = measured(is_sparse=True)["csv"].query("method == 'ica'").set_index("cloud")
    assert own.loc["model", "verdict"] == "undecided"  # no fit at random weights converges
    assert own.loc["random_weights", "converged_share"] < 1
    assert own.loc["model", "recurring"] > 0.9
    assert own.loc["gaussian", "recurring_high"] < 0.5


@pytest.mark.parametrize(
    ("at_random", "gaussian", "converged", "expected"),
    [
        (0.3, 0.1, 1.0, "learned"),
        (0.3, 0.1, np.nan, "learned"),  # an autoencoder does not tell
        (0.3, 0.1, 0.5, "undecided"),
        (0.6, 0.1, 0.5, "also untrained"),
        (0.3, 0.6, 1.0, "not beyond chance"),
    ],
)
def test_features_are_learned_beyond_both_nulls_whose_fits_converged(
    at_random: float, gaussian: float, converged: float, expected: str
):
    shares = {"model": 0.6, "random_weights": at_random, "gaussian": gaussian}
    by_cloud = {cloud: np.array([share, share + 0.05]) for cloud, share in shares.items()}
    assert verdict(by_cloud, converged, 0.1) == expected


@pytest.mark.parametrize("seed", range(2))
def test_a_gaussian_has_no_features_beyond_chance(seed: int):
    table = measured(is_sparse=False, seed=seed)["csv"]
    assert {*table.loc[table["cloud"] == "model", "verdict"]} == {"not beyond chance"}


def test_all_clouds_of_a_layer_and_method_have_one_threshold():
    table = measured(is_sparse=True)["csv"]
    assert (table.groupby(["layer", "method"])["null_cosine"].nunique() == 1).all()
    assert table.groupby("method")["converged_share"].max().loc["ica"] == 1
    assert table.loc[table["method"] == "autoencoder", "converged_share"].isna().all()


def test_only_features_that_can_be_zero_have_a_share_of_tokens():
    features = measured(is_sparse=True)["features"]
    is_known = features.groupby("method")["active_share"].agg(lambda x: x.notna().all())
    assert is_known.to_dict() == {"autoencoder": True, "ica": False}


def test_features_are_listed_with_their_tokens():
    outcome = measured(is_sparse=True)
    features = outcome["features"].query("method == 'ica' and layer == 1 and cloud == 'model'")
    assert len(features) == 4
    assert features["cosine"].is_monotonic_decreasing
    assert set(features["recurs"]) == {"yes"}
    assert features["examples"].str.contains(r"\[t\d+\]").all()
    assert outcome["json"] == {"n_tokens": 30 * 2 * 18, "n_documents": 30}


def test_few_tokens_have_no_features():
    settings = settings_of(measure_sparse_features, **FEW | {"n_documents": 1})
    outcome = measure_sparse_features(**planted(), **settings)
    assert outcome["csv"].empty
    assert outcome["json"] == {"n_tokens": 0, "n_documents": 0}

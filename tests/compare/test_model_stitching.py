"""Joins layers of turned copies, of tuned copies and of strangers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_stitching import compare_model_stitching
from embspace.compare.model_stitching_models import ClosedModel, OpenModel
from tests.analyses import settings_of
from tests.compare.stitched import (
    DIM,
    N_LAYERS,
    SPECIAL,
    WORDS,
    module,
    opened,
    strangers,
    texts,
    tuned_pair,
    turned_pair,
    weak_strangers,
)

FEW: dict[str, Any] = {"n_texts": 40, "n_draws": 3, "n_first": 12, "n_half_samples": 40}
DECIDED_BY_SEED = ("cosine", "nearest")
Pair = tuple[OpenModel, OpenModel]


def inputs(*, is_empty: bool = False) -> dict[str, Any]:
    """Return a model and a tuned copy; if empty, one whose blocks are not known."""
    model, other = tuned_pair()
    closed = ClosedModel("tuned: has no blocks")
    return {"model": model, "other_model": closed if is_empty else other, "texts": texts()}


def joined(pair: Pair, **change: Any) -> pd.DataFrame:
    settings = settings_of(compare_model_stitching, **FEW | change)
    return compare_model_stitching(*pair, texts(), **settings)["csv"]


def verdicts(table: pd.DataFrame, stitch: str) -> list[str]:
    return table.loc[table["stitch"] == stitch, "verdict"].dropna().tolist()


@pytest.fixture(scope="module")
def turned() -> pd.DataFrame:
    return joined(turned_pair())


@pytest.fixture(scope="module")
def tuned() -> pd.DataFrame:
    return joined(tuned_pair())


def test_a_turned_copy_is_joined_through_the_vocabulary_and_not_as_it_is(
    turned: pd.DataFrame,
) -> None:
    assert set(turned["lower_model"]) == {"one", "turned"}
    assert verdicts(turned, "vocabulary") == ["joins"] * 2 * N_LAYERS
    assert "joins" not in verdicts(turned, "identity")
    own = turned[(turned["stitch"] == "vocabulary") & (turned["weights"] == "own")]
    assert own["cosine"].to_numpy() == pytest.approx(1, abs=1e-3)
    assert (own["nearest"] == 1).all()


def test_a_tuned_copy_is_joined_as_it_is(tuned: pd.DataFrame) -> None:
    assert verdicts(tuned, "identity") == ["joins"] * 2 * N_LAYERS


def test_blocks_that_keep_no_more_than_embeddings_alone_do_not_join() -> None:
    """Above all other nulls, for embeddings are the same and blocks change little."""
    table = joined(weak_strangers())
    own = table[(table["stitch"] == "identity") & (table["weights"] == "own")]
    own = own[own["layer"] > 0]
    assert (own["cosine_low"] > 0.5).all() and (own["nearest_low"] > 0.5).all()
    others = table[(table["weights"] == "random") & (table["stitch"] == "identity")]
    assert own["cosine_low"].min() > others["cosine_high"].max()
    assert set(own["verdict"]) == {"does not join"}


def test_layer_0_is_the_null_of_the_layers_above(tuned: pd.DataFrame) -> None:
    assert tuned.loc[tuned["layer"] == 0, "verdict"].isna().all()
    no_block = tuned[tuned["weights"] == "no block"]
    assert set(no_block["layer"]) == {1, 2, 3} and no_block["verdict"].isna().all()


@pytest.mark.parametrize("seed", range(3))
def test_strangers_are_joined_by_nothing(seed: int) -> None:
    table = joined(strangers(), seed=seed)
    assert len(verdicts(table, "vocabulary")) == len(verdicts(table, "identity")) == 6
    assert set(table["verdict"].dropna()) == {"does not join"}


def test_random_stitches_and_random_weights_have_no_verdict(turned: pd.DataFrame) -> None:
    judged = turned[turned["verdict"].notna()]
    assert set(judged["stitch"]) == {"vocabulary", "identity"}
    assert set(judged["weights"]) == {"own"}
    drawn = turned[turned["n_draws"].notna()]
    assert set(drawn["stitch"]) == {"turned", "shuffled tokens"} and (drawn["n"] == 12).all()
    assert (drawn["cosine_high"] < 0.5).all()


def test_a_trained_stitch_stands_beside_the_same_at_random_weights(turned: pd.DataFrame) -> None:
    trained = turned[turned["stitch"] == "trained"].groupby("weights")["cosine"].min()
    assert trained["own"] > 0.95 > trained["random"]
    without = joined(turned_pair(), n_training=0)
    assert "trained" not in set(without["stitch"])


def test_models_of_unlike_width_and_depth_have_no_identity() -> None:
    table = joined(strangers(dim=2 * DIM, n_layers=2 * N_LAYERS))
    assert "identity" not in set(table["stitch"])
    places = table[table["lower_model"] == "one"][["layer", "upper_layer"]].drop_duplicates()
    assert places.to_numpy().tolist() == [[0, 0], [1, 2], [2, 4], [3, 6]]
    assert "joins" not in set(table["verdict"])


def test_one_layer_of_a_stranger_is_named_alone() -> None:
    """A copy whose last block is another's joins below it and not above."""
    copy = module(0)
    copy.encoder.layer[-1] = module(1).encoder.layer[-1]
    table = joined((opened("one", module(0)), opened("half", copy)))
    # The blocks below the last are the same; above them the outputs of both differ.
    own = table[(table["stitch"] == "identity") & (table["weights"] == "own")]
    below = own[own["layer"].between(1, N_LAYERS - 1)]
    assert (below["verdict"] == "joins").all()
    assert (own.loc[own["layer"] == N_LAYERS, "verdict"] != "joins").all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tokens": [str(number) for number in range(400)]}, "have other vocabularies"),
        ({"tokens": [*SPECIAL, *WORDS, "more"]}, "have 400 and 401 tokens"),
    ],
)
def test_other_vocabularies_are_a_reason(change: Any, reason: str) -> None:
    table = joined((opened("one", module(0)), opened("other", module(1), **change)))
    assert len(table) == 1 and reason in table["reason"][0]


def test_few_texts_are_a_reason() -> None:
    settings = settings_of(compare_model_stitching, **FEW)
    table = compare_model_stitching(*tuned_pair(), {"small": texts()["small"]}, **settings)["csv"]
    assert table["reason"].tolist() == ["small: 3 texts"]
    none = compare_model_stitching(*tuned_pair(), {}, **settings)["csv"]
    assert none["reason"].tolist() == ["no corpus: 0 texts"]


def test_the_share_of_embeddings_that_are_explained_is_of_the_direction(
    turned: pd.DataFrame,
) -> None:
    assert turned["explained_share"].to_numpy() == pytest.approx(1)
    assert np.isfinite(turned["cosine_low"]).all()

"""Runs the stitching of a small run of two seeds, and of runs that have nothing to stitch."""

from typing import Any

import pytest

from embspace.analysis import Outcome
from embspace.measure.sequences.stitching import measure_stitching
from tests.analyses import settings_of
from tests.measure.sequences.small import run_of_two_seeds

FEW: dict[str, Any] = {"n_draws": 2, "least_count": 2, "n_resamples": 20}
DECIDED_BY_SEED = ("accuracy", "less_vocabulary")  # of random stitches
DECIDED_BY_SEED += ("shuffled_explained_share", "shuffled_frequent_explained_share")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    two = run_of_two_seeds()
    texts = None if is_empty else two.texts
    return {"run": two.run, "texts": texts, "root": two.root, "final_norm": None}


def stitched(**change: Any) -> Outcome:
    settings = settings_of(measure_stitching, **FEW)
    return measure_stitching(**{**inputs(is_empty=False), **change}, **settings)


@pytest.fixture(scope="module")
def tables() -> Outcome:
    return stitched()


def test_every_ordered_pair_has_its_rows(tables: Outcome) -> None:
    keys, layers, claims = ["upper_seed", "lower_seed"], tables["layers"], tables["claims"]
    assert tables["pairs"][keys].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    n_stitches = layers.groupby(keys)["stitch"].nunique()
    assert n_stitches.tolist() == [3, 6, 6, 3]
    assert set(layers["layer"]) == {0, 1, 2}
    assert tables["pairs"]["n_frequent_tokens"].nunique() == 1
    assert layers["accuracy"].between(0, 1).all()
    assert claims["seed"].tolist() == [0, 1, 0, 1]
    assert set(claims["verdict"]) <= {"matches", "differs", "undecided"}


def test_a_run_of_classes_alone_is_not_stitched(two_seeds: Any) -> None:
    last = {"classification": two_seeds.run.phases["classification"]}
    alone = two_seeds.run.model_copy(update={"phases": last})
    assert all(table.empty for table in stitched(run=alone).values())


def test_one_seed_alone_is_a_control(learned: Any) -> None:
    tables = stitched(run=learned.run, root=learned.root)
    assert tables["pairs"][["upper_seed", "lower_seed"]].to_numpy().tolist() == [[0, 0]]
    assert tables["claims"].empty

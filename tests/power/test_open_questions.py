"""Verdicts on the thesis's open questions, asked of vectors that hold nothing of what is asked."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from tests.measure.open_questions import (
    test_associations,
    test_oppositeness,
    test_position_shape,
    test_sparse_features,
    test_text_islands,
    test_vocabulary_clusters,
)
from tests.power.rules import MOST

N_DRAWS = 200


def associated(seed: int) -> set[str]:
    """Return whether four words lean to four of eight words that are drawn alike."""
    with pytest.MonkeyPatch.context() as patch:
        table = test_associations.measured(
            test_associations.planted(0.0, seed=seed), patch, alpha=0.05, n_resamples=2
        )["csv"]
    return {"associated"} if (table["is_present"] == "yes").any() else set()


def opposite(seed: int) -> set[str]:
    """Return the verdicts on pairs of words that are drawn alike."""
    x = np.random.default_rng(seed).normal(size=(160, 24))
    outcome = test_oppositeness.measured(x, seed=seed, n_shuffles=19)
    told = {"told": outcome["cosines"], "told by a classifier": outcome["classifiers"]}
    names = {name for name, table in told.items() if _first_is(table, "is_told")}
    names |= {"shared"} if (outcome["lines"]["is_shared"] == "yes").any() else set()
    return names | ({test_oppositeness.verdicts(outcome)["as_is"]} & {"freed", "not freed"})


def _first_is(table: pd.DataFrame, column: str) -> bool:
    return bool(table[column].iloc[0] == "yes")


def looped(seed: int) -> set[str]:
    """Return what of a random walk's shape stands: loops, and values by space."""
    walk = np.random.default_rng(seed).normal(size=(32, test_position_shape.DIM)).cumsum(axis=0)
    outcome = test_position_shape.measured(
        walk.astype(np.float32), seed=seed, n_scales=5, n_surrogates=100
    )
    values = outcome["values"].query("verdict == 'stands'")
    names = {*values["space"] + " " + values["measure"]}
    return names | ({"loop"} if "stands" in set(outcome["loops"]["verdict"]) else set())


def clustered(seed: int) -> set[str]:
    """Return whether a part of a Gaussian cloud of tokens stands."""
    x = test_vocabulary_clusters.tokens(shift=0.0, seed=seed)
    n_parts = test_vocabulary_clusters.measured(x, seed=seed, smallest=[16])["json"]["n_parts"]
    return {"part"} if n_parts else set()


def islands(seed: int) -> set[str]:
    """Return whether an island of texts without groups stands, by each pooling."""
    own = test_text_islands.measured("nothing", seed)["csv"]
    own = own[(own["weights"] == "trained") & (own["n_standing"] > 0)]
    return {*own["pooling"] + own["method"]}


def featured(seed: int) -> set[str]:
    """Return the methods by which a Gaussian cloud has features beyond chance."""
    table = test_sparse_features.measured.__wrapped__(is_sparse=False, seed=seed)["csv"]
    own = table[(table["cloud"] == "model") & (table["verdict"] != "not beyond chance")]
    return {*own["method"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "verdicts",
    [associated, opposite, looped, clustered, islands, featured],
    ids=lambda f: f.__name__,
)
def test_chance_is_seldom_called_a_property(verdicts: Callable[[int], set[str]]):
    counts = Counter(name for seed in range(N_DRAWS) for name in verdicts(seed))
    assert max(counts.values(), default=0) <= MOST[N_DRAWS], counts

from typing import Any

import numpy as np
import pandas as pd

from embspace.measure.practice.transforms import best_of, measure_transforms
from tests.analyses import settings_of
from tests.measure.practice.planted import corpus, topics

SETTINGS = settings_of(measure_transforms)

DECIDED_BY_SEED = ("value", "difference", "chance")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"corpora": {} if is_empty else {"ships": topics()}}


def measured(read: Any) -> Any:
    tables = measure_transforms({"ships": read}, **SETTINGS)
    return tables["csv"].set_index(["task", "version"]), tables["best"]["version"].item()


def test_a_common_direction_is_taken_away_without_a_loss():
    x = topics(160, noise=1.0)
    drowned = corpus(
        x.states["mean"] + 30 * np.random.default_rng(1).normal(size=(2, 160, 1)),
        labels=x.texts["subject"].tolist(),
    )
    table, best = measured(drowned)
    assert table.loc[("labels", "top_1"), "difference_low"] > 0.1
    assert best in ("top_1", "top_2", "top_3", "whitened")
    assert table.loc[("labels", "raw"), "difference"] == 0


def test_unit_length_changes_no_cosine():
    table, _ = measured(topics())
    assert abs(table.loc[("search", "unit_length"), "difference"]) < 1e-9
    assert table.loc[("anisotropy", "unit_length"), "difference_high"] == 0
    anisotropy = table.loc["anisotropy", "value"]
    assert anisotropy["centered"] < anisotropy["raw"]


def test_labels_at_random_praise_no_change():
    rng = np.random.default_rng(0)
    praised = [
        measured(corpus(rng.normal(size=(1, 80, 8)), labels=[*map(str, rng.integers(4, size=80))]))
        for _ in range(6)
    ]
    assert sum(best != "raw" for _, best in praised) <= 1


def test_a_change_that_harms_another_use_is_not_the_best():
    rows = [("search", "whitened", 0.1), ("labels", "whitened", -0.1), ("search", "centered", 0.05)]
    table = pd.DataFrame(rows, columns=["task", "version", "difference"])
    table = table.assign(
        difference_low=table["difference"] - 0.01, difference_high=table["difference"] + 0.01
    )
    assert best_of(table) == "centered"
    assert best_of(table[:2]) == "raw"

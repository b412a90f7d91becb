"""Runs the attribution of a small run, and of one that classifies no sequences."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.sequences.attribution import measure_attribution

SETTINGS: dict[str, Any] = {
    "inverse_regularization": 1.0,
    "n_random_weights": 1,
    "n_random_orders": 2,
    "n_first": [1, 3],
    "n_hidden": [1, 4, 99],
    "n_resamples": 20,
    "level": 0.95,
    "seed": 0,
}


def test_all_tables_of_a_small_run_and_their_rows(learned: Any) -> None:
    given = (learned.run, learned.placed, learned.texts, learned.root)
    found = measure_attribution(*given, **SETTINGS)
    methods = {"last_attention", "attention_rollout", "gradient_x_input", "occlusion"}
    trained = found.precision[found.precision["weights"] == "trained"]
    assert set(trained["method"]) == methods
    assert len(found.precision) == 4 + 4 + 1  # the seed, random weights, the regression
    regression = found.precision.iloc[-1]
    assert regression["precision"] > 2 * regression["chance_precision"]
    orders = {"logistic_regression", "defining_sites", "random_order"}
    assert set(found.areas["method"]) == methods | orders
    assert set(found.curves["n_hidden"]) == {0, 1, 4, 11}
    ends = found.curves[found.curves["n_hidden"] == 0].groupby("curve")["probability"]
    assert (ends.max() - ends.min()).max() == pytest.approx(0)
    assert len(found.places) == 5 * len(learned.placed.sequences.classes) * 11
    assert not found.recall.empty and not found.changes.empty
    again = measure_attribution(*given, **SETTINGS)
    assert all(
        getattr(found, each.name).equals(getattr(again, each.name)) for each in fields(found)
    )


def test_a_run_without_sequences_has_empty_tables(learned: Any) -> None:
    found = measure_attribution(learned.run, None, learned.texts, learned.root, **SETTINGS)
    assert all(getattr(found, each.name).empty for each in fields(found))
    assert "precision_low" in found.precision


def test_sequences_without_any_defining_change_are_refused(learned: Any) -> None:
    none = replace(learned.placed, has=np.zeros_like(learned.placed.has))
    with pytest.raises(InputError, match="no held-out sequence has a defining change"):
        measure_attribution(learned.run, none, learned.texts, learned.root, **SETTINGS)

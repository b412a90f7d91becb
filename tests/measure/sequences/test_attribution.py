"""Runs the attribution of a small run that classifies sequences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.measure.sequences.attribution import measure_attribution
from tests.analyses import settings_of
from tests.measure.sequences.small import in_pairs, learned_run

FEW: dict[str, Any] = {
    "n_random_weights": 1,
    "n_first": [1, 3],
    "n_hidden": [1, 4, 99],
    "n_resamples": 20,
}
DECIDED_BY_SEED = ("probability", "area", "area_less_random", "area_less_regression")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    learned = learned_run()
    placed = None if is_empty else in_pairs(learned.placed)
    return {"run": learned.run, "placed": placed, "texts": learned.texts, "root": learned.root}


def test_all_tables_of_a_small_run_and_their_rows(learned: Any) -> None:
    outcome = measure_attribution(
        **inputs(is_empty=False), **settings_of(measure_attribution, **FEW)
    )
    methods = {"last_attention", "attention_rollout", "gradient_x_input", "occlusion"}
    precision, areas, curves = outcome["precision"], outcome["areas"], outcome["curves"]
    assert set(precision.loc[precision["weights"] == "trained", "method"]) == methods
    assert len(precision) == 4 + 4 + 1  # the seed, random weights, the regression
    regression = precision.iloc[-1]
    assert regression["precision"] > 2 * regression["chance_precision"]
    orders = {"logistic_regression", "defining_sites", "random_order"}
    assert set(areas["method"]) == methods | orders
    assert set(curves["n_hidden"]) == {0, 1, 4, 11}
    ends = curves[curves["n_hidden"] == 0].groupby("curve")["probability"]
    assert (ends.max() - ends.min()).max() == pytest.approx(0)
    assert len(outcome["places"]) == 5 * len(set(in_pairs(learned.placed).sequences.label)) * 11


def test_sequences_without_any_defining_change_are_refused(learned: Any) -> None:
    none = replace(learned.placed, has=np.zeros_like(learned.placed.has))
    with pytest.raises(InputError, match="no held-out sequence has a defining change"):
        measure_attribution(
            **{**inputs(is_empty=False), "placed": none}, **settings_of(measure_attribution, **FEW)
        )

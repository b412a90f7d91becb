"""Holds the sentence and the tables of the heads over training to their rows."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from embspace.draw.runs.head_dynamics import NAMES, draw_head_dynamics, layer_means
from embspace.measure.runs.head_dynamics import HEAD_DYNAMICS

SHOWN = ["row_entropy", "mean_resultant_length"]
STEPS = (0, 1, 10)
LEARNED = pd.DataFrame({"run": ["a_decoder"], "objective": ["causal_language_modeling"]})


def heads() -> pd.DataFrame:
    rows = [
        (seed, "pretraining", step, layer, head, feature, 0.1 * layer + 0.01 * step + head / 50, 7)
        for seed, step, layer, head, feature in product(
            range(2), STEPS, (1, 2), range(2), ("row_entropy", "previous_mass")
        )
    ]
    columns = [*HEAD_DYNAMICS.tables["csv"].columns]
    return pd.DataFrame(rows, columns=columns).assign(run="a_decoder")


def dynamics(*runs: str) -> pd.DataFrame:
    rows = [
        (run, seed, "pretraining", step, layer, "as_is", measure, layer - 0.1 * step)
        for run, seed, step, layer, measure in product(
            runs, range(2), STEPS, range(3), ("mean_resultant_length", "two_nn")
        )
    ]
    names = ["run", "seed", "phase", "step", "layer", "change", "measure", "value"]
    return pd.DataFrame(rows, columns=names)


def draw(**given: pd.DataFrame) -> tuple[str, str]:
    results = {
        "csv": heads(),
        "dynamics": dynamics("a_decoder"),
        "training/held_out": LEARNED,
    }
    return draw_head_dynamics(results | given, "all runs", shown=SHOWN, digits=3)


def test_the_finding_says_which_way_features_go() -> None:
    finding, text = draw()
    assert finding == (
        "Over training, entropy of attention rises in a decoder; "
        "cone index per token falls in a decoder"
    )
    assert "attention to the previous token, largest" in text


def test_a_layer_is_the_mean_of_its_heads_and_the_table_has_the_clearest() -> None:
    rows = layer_means(heads())
    chosen = rows.query("seed == 0 and step == 10 and layer == 2")
    assert set(chosen["measure"]) == {NAMES["row_entropy"], NAMES["previous_mass"]}
    assert chosen["value"].to_numpy() == pytest.approx(np.full(2, 0.2 + 0.1 + 0.01))
    assert "0.320" in draw()[1]  # the head with most in layer 2, 0.2 + 0.1 + 1 / 50


def test_the_cone_index_of_runs_without_heads_is_left_out() -> None:
    assert "another" not in draw(**{"dynamics": dynamics("a_decoder", "another_run")})[1]


def test_nothing_trained_is_said_in_words() -> None:
    empty = {name: pd.DataFrame() for name in ("csv", "dynamics", "training/held_out")}
    assert "No checkpoint was read." in draw(**empty)[1]

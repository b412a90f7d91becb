"""Holds the figure of the heads over training to its tables."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.runs.head_dynamics import NAMES, draw_head_dynamics, of_layers
from embspace.measure.runs.head_dynamics import HEAD_DYNAMICS
from tests.draw.fits import assert_words_fit

SHOWN = ["row_entropy", "mean_resultant_length"]
SETTINGS: dict[str, Any] = {"shown": SHOWN, "row_height_mm": 50.0, "digits": 3}
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


def draw(**given: pd.DataFrame) -> tuple[Figure, str]:
    results = {
        "csv": heads(),
        "dynamics/": dynamics("a_decoder"),
        "training/held_out": LEARNED,
    }
    return draw_head_dynamics(results | given, "all runs", **SETTINGS)


def test_each_feature_has_a_map_of_layers_and_the_mean_of_the_blocks() -> None:
    figure, text = draw()
    assert_words_fit(figure)
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    titles = [ax.get_title("left") or ax.get_title() for ax in panels]
    assert titles == [
        "Entropy of attention",
        "Mean of blocks",
        "Cone index per token",
        "Mean of blocks",
    ]
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "Over training, entropy of attention rises in a decoder; "
        "cone index per token falls in a decoder"
    )
    said = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "1 run, 2 models · 7 held-out documents" in said
    assert "attention to the previous token, largest" in text


def test_a_layer_is_the_mean_of_its_heads_and_the_table_has_the_clearest() -> None:
    rows = of_layers(heads())
    chosen = rows.query("seed == 0 and step == 10 and layer == 2")
    assert set(chosen["measure"]) == {NAMES["row_entropy"], NAMES["previous_mass"]}
    assert chosen["value"].to_numpy() == pytest.approx(np.full(2, 0.2 + 0.1 + 0.01))
    assert "0.320" in draw()[1]  # the head with most in layer 2, 0.2 + 0.1 + 1 / 50


def test_the_cone_index_of_runs_without_heads_is_left_out() -> None:
    figure, _ = draw(**{"dynamics/": dynamics("a_decoder", "another_run")})
    assert not any("another" in ax.get_ylabel() for ax in figure.axes)


def test_nothing_trained_is_said_in_words() -> None:
    empty = {each: pd.DataFrame() for each in ("csv", "dynamics/", "training/held_out")}
    figure, text = draw(**empty)
    assert "No checkpoint was read." in text
    assert_words_fit(figure)

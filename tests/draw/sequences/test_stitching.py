"""Holds the sentence and the tables of stitching to their rows."""

import pandas as pd

from embspace.draw.sequences.stitching import draw_stitching
from embspace.files.tables import Tables
from tests.draw.sequences.tables import empty, joined_runs
from tests.draw.sequences.tables import stitching as tables


def draw(results: Tables) -> tuple[str, str]:
    return draw_stitching(results, "all runs", digits=3)


def test_the_finding_counts_the_pairs_of_the_first_run() -> None:
    finding, text = draw(joined_runs(tables(), "yours", "mine"))
    assert "1 of 2 pairs of seeds stitch better than at random (0.60 to 0.70; states" in finding
    first = text.partition("<details>")[0]
    assert "| yours" in first and "| mine" in first
    assert "better than random" in text


def test_another_model_below_is_named() -> None:
    names = {0: "base", 1: "other"}
    models = {
        name: table.assign(lower_model=table["lower_seed"].map(names), lower_seed=None)
        if "lower_seed" in table
        else table
        for name, table in tables().items()
    }
    models["pairs"] = models["pairs"].assign(is_control=models["pairs"]["lower_model"] == "base")
    both = {
        name: pd.concat([table.assign(run="mine"), models[name].assign(run="tuned")])
        for name, table in tables().items()
    }
    finding, text = draw(both)
    assert "of a run and another model" in finding
    assert "| tuned" in text and "other" in text


def test_one_seed_alone_is_said() -> None:
    alone = {
        name: table[(table["upper_seed"] == 0) & (table["lower_seed"] == 0)]
        if "upper_seed" in table
        else table[:0]
        for name, table in tables().items()
    }
    assert draw(joined_runs(alone, "mine"))[0].startswith("One seed alone")


def test_no_run_is_said() -> None:
    finding, text = draw(empty(tables()))
    assert finding.startswith("No run classifies sequences after another phase")
    assert "None." in text

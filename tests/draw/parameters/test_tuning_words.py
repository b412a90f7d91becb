"""Holds the page of the words of tuning to its tables."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.parameters.tuning_words import draw_tuning_words
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 55.0, "digits": 3}
GROUPS = {"attention_query": "present", "feed_forward_value": "absent"}
NULLS: dict[str, Any] = {
    "null_lists": 0.02, "null_lists_low": 0.0, "null_lists_high": 0.06, "p_value_lists": 0.01,
    "null_turned": 0.8, "null_turned_low": 0.4, "null_turned_high": 1.2, "p_value_turned": 0.02,
}  # fmt: skip


def tables(*runs: str) -> dict[str, pd.DataFrame]:
    place = [
        {"run": run, "phase": "classification", "seed": seed, "group": group}
        for run, seed, group in product(runs, (0, 1), GROUPS)
    ]
    counted = {"n_vectors": 64, "share": 0.25, "mean_listed": 2.5, **NULLS}
    shares = [
        {**row, "layer": layer, "n_rows": 64, "relative_change": 0.02, "least_listed": 4,
         "null_vectors": 0.02, **counted, "share": 0.1 * layer}
        for row, layer in product(place, (2, 3))
    ]  # fmt: skip
    claims = [
        {**row, "claim": f"words of sentiment are {GROUPS[row['group']]}", "n_layers": 2,
         **counted, "verdict": "matches"}
        for row in place
    ]  # fmt: skip
    cards = [{**row, "layer": 2, "n_listed": 9, "tokens": "good bad"} for row in place]
    classes = [
        {"run": run, "seed": 0, "label": "positive", "reading": "own", "polarity": "positive",
         "n_listed": 1, "null_listed": 0.2, "p_value": 0.2, "tokens": "fine"}
        for run in runs
    ]  # fmt: skip
    lists = [
        {"run": run, "n_words": 9, "n_listed_tokens": 7, "n_missing": 2, "missing": "x y",
         "n_tokens": 50, "is_measured": run in runs}
        for run in (*runs, "another")
    ]  # fmt: skip
    made = {"csv": shares, "claims": claims, "cards": cards, "classes": classes, "lists": lists}
    return {name: pd.DataFrame(rows) for name, rows in made.items()}


def draw(*runs: str) -> tuple[Figure, str]:
    return draw_tuning_words(tables(*runs), "all runs", **SETTINGS)


def title(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


def test_the_title_says_where_words_are_present_in_all_seeds() -> None:
    said = "Tuning writes words of sentiment into "
    assert title(draw("mine")[0]) == (
        f"{said}all kinds of weights: 20 % of rows or more, random lists at most 6 %"
    )
    made = tables("mine")
    last, rows = made["csv"]["layer"] == 3, made["csv"]
    made["csv"] = rows.assign(share=rows["share"].mask(last, 0.01))
    assert title(draw_tuning_words(made, "all runs", **SETTINGS)[0]) == (
        f"{said}all kinds of weights of layer 2, in layer 3 into none: 20 % "
        "of rows or more, random lists at most 6 %"
    )
    one = last & (rows["group"] == "attention_query") & (rows["seed"] == 0)
    made["csv"] = rows.assign(share=rows["share"].mask(one, 0.01))
    assert title(draw_tuning_words(made, "all runs", **SETTINGS)[0]) == (
        f"{said}all kinds of weights of layer 2, in layer 3 into MLP values: 20 % of "
        "rows or more, random lists at most 6 %"
    )
    made["csv"] = rows.assign(share=0.01)
    figure, _ = draw_tuning_words(made, "all runs", **SETTINGS)
    assert title(figure).startswith(f"{said}no weights")


def test_dots_are_the_shares_by_group_and_layer() -> None:
    figure, _ = draw("mine")
    assert_words_fit(figure)
    left = figure.axes[0]
    for line in [line for line in left.lines if line.get_label() == "a seed"]:
        assert np.asarray(line.get_xdata()) == pytest.approx([0.2, 0.3, 0.2, 0.3])
    names = [label.get_text() for label in left.get_yticklabels()]
    assert names[0] == "queries, layer 2" and names[-1] == "MLP values, layer 3"


def test_every_run_has_a_row_and_its_tables() -> None:
    figure, text = draw("mine", "yours")
    assert len(figure.axes) == 2
    assert "| mine" in text and "| yours" in text and "| another" not in text
    assert "good bad" in text


def test_the_table_says_of_each_layer_whether_words_are_present() -> None:
    made = tables("mine")
    made["csv"].loc[0, ["share", "mean_listed"]] = [0.01, 0.5]
    made["csv"].loc[1, "share"] = 0.01
    _, text = draw_tuning_words(made, "all runs", **SETTINGS)
    rows = [line.split("|")[-2].strip() for line in text.split("By layer")[1].splitlines()
            if line.startswith("| mine")]  # fmt: skip
    assert rows[:3] == ["absent", "undecided", "present"]


def test_nothing_tuned_is_said_in_words() -> None:
    empty = {name: table.iloc[:0] for name, table in tables("mine").items()}
    figure, text = draw_tuning_words(empty, "all runs", **SETTINGS)
    assert_words_fit(figure)
    assert "None:" in text
    assert title(figure).startswith("No run tunes a base")

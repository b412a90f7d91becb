from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.practice.outliers import MEASURED_WITH, draw_outliers
from embspace.measure.practice.outliers import OUTLIERS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit


def tables(across: float = 0.6, own: float = 0.0, *, alone: bool = False) -> dict[str, Any]:
    pairs = {("ships", "ships"): own, ("ports", "ships"): across, ("ships", "ports"): 0.0}
    rows, distances = [], []
    for (corpus, among), share in pairs.items():
        if alone and among != corpus:
            continue
        place = {"corpus": corpus, "among": among, "n": 100}
        null = {"null_share": 0.01, "null_share_high": 0.02, "n_documents": 80}
        null |= {"null_share_below": 0.05, "null_share_below_high": 0.08}
        for layer in (0, 1):
            row = place | null | {"layer": layer, "share": own * layer if own else 0.0}
            below = 0.1 + (share - 0.1) * layer if share else 0.04
            rows.append(row | {"share_below": below if corpus != among else np.nan})
        names = [column for column in OUTLIERS.tables["distances"].columns if "quantile" in column]
        distances.append(place | dict(zip(names, (0.1, 0.2, 0.3, 0.4, 0.5), strict=True)))
    given: dict[str, pd.DataFrame] = OUTLIERS.empty()
    shown = {"csv": rows, "distances": distances}
    return given | {name: OUTLIERS.tables[name].of(shown[name]) for name in shown}


def drawn(given: dict[str, Any]) -> Any:
    results = as_drawn(OUTLIERS, given, **{MEASURED_WITH: {"pooling": "cls"}})
    return draw_outliers(results, "a model", **settings_of(draw_outliers))


def title(given: dict[str, Any]) -> str:
    return " ".join(drawn(given)[0].get_suptitle().split())


def test_lines_are_the_numbers_of_the_table():
    figure, text = drawn(tables())
    assert_words_fit(figure)
    below, distances = figure.axes
    assert list(below.lines[0].get_ydata()) == pytest.approx([10, 60])
    assert list(below.lines[2].get_ydata()) == pytest.approx([8, 8])  # of halves
    assert list(distances.lines[0].get_xdata()) == pytest.approx([0.1, 0.5])
    assert "ports" in text and "0.600" in text
    words = " ".join(" ".join(part.get_text().split()) for part in figure.texts)
    assert "first token" in words


def test_a_color_is_a_corpus_in_both_panels():
    below, distances = drawn(tables())[0].axes
    ports, ships = below.lines[:2]
    own, others = distances.lines[0], distances.lines[6]
    assert ships.get_color() == own.get_color() != ports.get_color() == others.get_color()


def test_the_title_names_the_pair_whose_share_grows_most():
    assert title(tables()) == (
        "At the last layer 60 % of ports lie farther from ships than 95 % of ships do"
    )
    none = "At the last layer no corpus lies farther from another than its halves"
    assert title(tables(across=0.08)) == none


def test_one_corpus_is_held_against_itself():
    assert title(tables(own=0.05, alone=True)) == (
        "At the last layer 5 texts of ships are outliers there"
    )
    none = "At the last layer no text is an outlier in its own corpus, beyond chance"
    assert title(tables(own=0.02, alone=True)) == none
    assert title(OUTLIERS.empty()) == "Too few texts to tell outliers"

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.practice.outliers import draw_outliers
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
        null = {"null_share": 0.01, "null_share_high": 0.02, "null_share_below": 0.05}
        for layer in (0, 1):
            row = place | null | {"layer": layer, "share": share * layer, "n_documents": 80}
            rows.append(row | {"share_below": 0.7 if corpus != among else np.nan})
        names = [column for column in OUTLIERS.tables["distances"].columns if "quantile" in column]
        distances.append(place | dict(zip(names, (0.1, 0.2, 0.3, 0.4, 0.5), strict=True)))
    given: dict[str, pd.DataFrame] = OUTLIERS.empty()
    shown = {"csv": rows, "distances": distances}
    return given | {name: OUTLIERS.tables[name].of(shown[name]) for name in shown}


def drawn(given: dict[str, Any]) -> Any:
    return draw_outliers(as_drawn(OUTLIERS, given), "a model", **settings_of(draw_outliers))


def title(given: dict[str, Any]) -> str:
    return " ".join(drawn(given)[0].get_suptitle().split())


def test_lines_are_the_numbers_of_the_table():
    figure, text = drawn(tables())
    assert_words_fit(figure)
    shares, below, distances = figure.axes
    assert list(shares.lines[0].get_ydata()) == pytest.approx([0, 60])
    assert list(shares.lines[1].get_ydata()) == pytest.approx([1, 1])
    assert list(below.lines[0].get_ydata()) == pytest.approx([70, 70])
    assert list(distances.lines[0].get_xdata()) == pytest.approx([0.1, 0.5])
    assert "ports" in text and "0.600" in text


def test_the_title_holds_outliers_against_halves():
    assert title(tables()) == (
        "At the last layer 60 % of ports are outliers among ships, of one half of ships among the "
        "other 1 %"
    )
    none = "At the last layer no corpus has texts that are outliers in another, beyond chance"
    assert title(tables(across=0.02)) == none


def test_one_corpus_is_held_against_itself():
    assert title(tables(own=0.05, alone=True)) == (
        "At the last layer 5 texts of ships are outliers there"
    )
    none = "At the last layer no text is an outlier in its own corpus, beyond chance"
    assert title(tables(own=0.02, alone=True)) == none
    assert title(OUTLIERS.empty()) == "Too few texts to tell outliers"

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.open_questions.sparse_features import (
    _finding,
    _short,
    draw_sparse_features,
)
from embspace.measure.open_questions.sparse_features import SPARSE_FEATURES
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_sparse_features import measured

CONF = "conf/measure/open_questions/sparse_features.yaml"


@cache
def drawn() -> tuple[Figure, str]:
    beside: dict[str, Any] = {CONF: read_yaml(ROOT / CONF)}
    results = as_drawn(SPARSE_FEATURES, measured(is_sparse=True), **beside)
    return draw_sparse_features(results, "a model", **settings_of(draw_sparse_features))


def test_title_names_the_method_whose_features_are_learned():
    figure, text = drawn()
    title = " ".join(str(figure.get_suptitle()).split())
    assert title.startswith(
        "Undecided if features recur beyond random weights: 100 % by ICA in layer 1"
    )
    assert "(random weights " in title
    assert "| undecided" in text and "| learned" not in text
    assert_words_fit(figure)


@pytest.mark.parametrize("verdict", ["also untrained", "not beyond chance"])
def test_title_says_that_none_is_learned(verdict: str):
    table = measured(is_sparse=True)["csv"].assign(verdict=verdict)
    assert _finding(table).startswith("No features surely recur beyond random weights")


def test_title_says_where_fits_at_random_weights_ended_too_early():
    table = measured(is_sparse=True)["csv"].assign(converged_share=1.0)
    table["verdict"] = table["verdict"].replace("undecided", "learned")
    assert "not converged" not in _finding(table)
    assert "Features recur beyond random weights" in _finding(table)
    table.loc[table["cloud"] == "random_weights", "converged_share"] = 0.5
    table["verdict"] = table["verdict"].replace("learned", "undecided")
    assert " %, not converged)" in _finding(table)
    table["converged_share"] = 0.5
    assert "; both not converged)" in _finding(table)
    table["converged_share"] = table["cloud"].map({"model": 0.5}).fillna(1.0)
    assert "; the model not converged)" in _finding(table)
    assert "Undecided if features recur" in _finding(table)


def test_marks_are_the_shares_of_the_table():
    panel = drawn()[0].axes[0]
    line = next(line for line in panel.lines if line.get_label() == "the model")
    own = measured(is_sparse=True)["csv"].query("cloud == 'model'")
    assert np.array_equal(line.get_xdata(), own["recurring"])


@pytest.mark.parametrize(
    ("shares", "head", "end"),
    [
        ((0.29, 0.9), "no token above 30 %; cosine", "random weights"),
        ((0.31, 0.9), "] 31 %; cosine", "random weights: the same tokens"),
        ((0.31, 0.1), "] 31 %; cosine", "random weights: none of these tokens"),
    ],
)
def test_a_token_of_few_top_tokens_names_no_feature(
    shares: tuple[float, float], head: str, end: str
):
    outcome = measured(is_sparse=True)
    own, random = shares
    by_cloud = outcome["features"]["cloud"].map({"model": own, "random_weights": random})
    features = outcome["features"].assign(token="same", token_share=by_cloud)
    beside: dict[str, Any] = {CONF: read_yaml(ROOT / CONF)}
    results = as_drawn(SPARSE_FEATURES, {**outcome, "features": features}, **beside)
    figure, _ = draw_sparse_features(results, "a model", **settings_of(draw_sparse_features))
    heads = [words.get_text() for words in figure.axes[1].texts[::2]]
    assert heads and all(head in words for words in heads)
    assert figure.axes[2].get_title("left").endswith(end)


def test_a_long_example_keeps_its_token():
    words = "an uncommonly long beginning of [this] and a very long end of the example"
    assert "[this]" in _short(words)
    assert len(_short(words)) < len(words)


@pytest.mark.parametrize(
    ("verdicts", "start", "end"),
    [
        (
            ["undecided", "undecided"],
            "Undecided if features recur beyond random weights: ",
            ", autoencoder in layer 1; elsewhere not surely",
        ),
        (
            ["learned", "undecided"],
            "Features recur beyond random weights: ",
            "; undecided: autoencoder in layer 1; elsewhere not surely",
        ),
        (["learned", "learned"], "Features recur ", ", autoencoder in layer 1; elsewhere not"),
    ],
)
def test_title_names_all_places_and_the_numbers_of_the_first(
    verdicts: list[str], start: str, end: str
):
    layer = measured(is_sparse=True)["csv"]
    table = pd.concat([layer, layer.assign(layer=2)], ignore_index=True)
    own = table[table["cloud"] == "model"].index
    table.loc[own, "verdict"] = "also untrained"
    assert [*table.loc[own[:2], "method"]] == ["ica", "autoencoder"]
    table.loc[own[:2], "verdict"] = verdicts
    title = _finding(table)
    assert title.startswith(start) and end in title
    assert title.count("%") == 2
    table.loc[own, "verdict"] = ["undecided", "learned", "undecided", "learned"]
    assert "; undecided: ICA in layers 1 and 2" in _finding(table)
    table.loc[own, "verdict"] = ["learned", "also untrained"] * 2
    assert "undecided" not in _finding(table)


def test_the_subtitle_has_the_margin():
    said = " ".join(" ".join(text.get_text() for text in drawn()[0].texts).split())
    assert "beyond both nulls by 10 points" in said

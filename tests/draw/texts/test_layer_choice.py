from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.texts.layer_choice import draw_layer_choice
from embspace.measure.texts.layer_choice import LAYER_CHOICE, measure_layer_choice
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.texts.planted_layers import SETTINGS as PLANTED
from tests.measure.texts.planted_layers import planted, planted_table, with_own_vectors


def drawn(table: pd.DataFrame) -> tuple[Any, str]:
    results = as_drawn(LAYER_CHOICE, {"csv": table})
    settings = settings_of(draw_layer_choice)
    return draw_layer_choice(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return planted_table()


def test_the_title_counts_where_an_earlier_layer_is_better(table: pd.DataFrame):
    figure, text = drawn(table)
    assert_words_fit(figure)
    assert (
        "In 3 of 3 tasks an earlier layer is clearly better than the last one at the same pooling: "
        "planted, search (layer " in " ".join(figure.get_suptitle().split())
    )
    assert len(figure.axes) == 3
    words = " ".join(each.get_text() for each in figure.texts).replace("\n", " ")
    assert f"planted: {table['n'].max()} texts" in words
    assert [ax.get_title("left") or ax.get_title() for ax in figure.axes] == [
        "Planted: search",
        "Planted: classification",
        "Planted: clusters",
    ]
    assert "Planted: classification" in text
    assert text.index("## The best of each task") < text.index("<details>")
    assert text.startswith("# Layers of a model of a long name by what they serve for\n")


def test_the_title_names_no_task_where_the_last_layer_is_as_good(table: pd.DataFrame):
    same = table.assign(less_last_low=-1.0)
    title = drawn(same)[0].get_suptitle()
    assert " ".join(title.split()).startswith("In 0 of 3 tasks")
    assert title.strip().endswith("pooling")


def test_a_task_that_a_corpus_lacks_is_said(table: pd.DataFrame):
    figure, _ = drawn(table[table["task"] != "search"])
    assert not figure.axes[0].axison
    words = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "planted: no search" in words
    figure.draw_without_rendering()
    legend = figure.axes[0].get_legend().get_window_extent()
    assert 0 <= legend.x0 < legend.x1 <= figure.axes[1].get_window_extent().x0


def test_no_text_at_all_is_said():
    figure, text = drawn(LAYER_CHOICE.empty()["csv"])
    assert "No text to choose a layer by" in figure.get_suptitle()
    assert "labels that many texts share" in text


def test_the_vector_of_a_sentence_model_is_a_level_and_a_row(table: pd.DataFrame):
    read = {"planted": with_own_vectors(planted())}
    own = measure_layer_choice(None, None, read, **PLANTED)["csv"]
    figure, text = drawn(own)
    assert_words_fit(figure)
    for ax, task in zip(figure.axes, ("search", "labels", "clusters"), strict=True):
        (level,) = (line for line in ax.lines if line.get_label() == "sentence vector")
        value = own.loc[(own["task"] == task) & (own["embedding"] == "sentence"), "value"].iloc[0]
        assert set(np.asarray(level.get_ydata())) == {value}
    assert "| sentence vector |" in " ".join(text.split())

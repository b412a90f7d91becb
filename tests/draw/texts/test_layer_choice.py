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


def test_the_title_names_the_layer_that_exceeds_the_last_one_most(table: pd.DataFrame):
    figure, text = drawn(table)
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    best = table[(table["rank"] == 1) & (table["task"] != "clusters")]
    best = best.sort_values("less_last").iloc[-1]
    last_value = best["value"] - best["less_last"]
    assert title.startswith("For ")
    assert f" of planted, layer {best['layer']:.0f} is better than the last, " in title
    numbers = [f"{best['value']:.2f}", f"{last_value:.2f}"]
    assert f" {numbers[0]} against {numbers[1]} (" in title
    assert [note.get_text() for ax in figure.axes for note in ax.texts] == numbers
    words = " ".join(words.get_text() for words in figure.texts).replace("\n", " ")
    assert f"planted: {table['n'].max()} texts" in words
    assert [ax.get_title("left") or ax.get_title() for ax in figure.axes] == [
        "Planted: search",
        "Planted: classification",
    ]
    assert "Planted: clusters" in text
    assert text.index("## The best of each task") < text.index("<details>")
    assert text.startswith("# Layers of a model of a long name by what they serve for\n")


def test_what_is_no_layer_of_the_model_is_not_told_from_the_best(table: pd.DataFrame):
    words = table["embedding"] == "tf_idf"
    page = drawn(table)[1]
    assert words.any() and not table.loc[words, "among_best"].any()
    assert all("–" in row.split(" | ")[-2] for row in page.splitlines() if "TF-IDF" in row)
    assert "| False" in page.replace("  ", "") and "| True" in page


def test_the_title_names_no_task_where_the_last_layer_is_as_good(table: pd.DataFrame):
    figure, _ = drawn(table.assign(less_last_low=-1.0))
    assert figure.get_suptitle().startswith("No earlier layer is clearly better than the last")
    assert not any(ax.texts for ax in figure.axes)


def test_a_task_that_a_corpus_lacks_has_no_panel_and_three_are_most(table: pd.DataFrame):
    labels = table[table["task"] == "labels"]
    assert len(drawn(labels)[0].axes) == 1
    more = [labels.assign(corpus=name) for name in ("one", "two", "three", "four")]
    assert len(drawn(pd.concat([table, *more]))[0].axes) == 3


def test_no_text_at_all_is_said():
    figure, text = drawn(LAYER_CHOICE.empty()["csv"])
    assert "No text to choose a layer by" in figure.get_suptitle()
    assert "labels that many texts share" in text


def test_the_vector_of_a_sentence_model_is_a_row(table: pd.DataFrame):
    read = {"planted": with_own_vectors(planted())}
    own = measure_layer_choice(None, None, read, **PLANTED)["csv"]
    figure, text = drawn(own)
    assert_words_fit(figure)
    assert "| sentence vector |" in " ".join(text.split())


def test_random_weights_have_the_line_of_their_best_pooling(table: pd.DataFrame):
    is_layer = table["layer"].notna()
    random = table[is_layer].assign(weights="random", rank=np.nan, value=table["value"] / 2)
    lines = drawn(pd.concat([table, random], ignore_index=True))[0].axes[0].lines
    (line,) = (line for line in lines if str(line.get_label()).startswith("random"))
    random = random[random["task"] == "search"]
    best = random.loc[random["value"].idxmax(), "embedding"]
    values = random[random["embedding"] == best].sort_values("layer")["value"]
    assert list(line.get_ydata()) == list(values)


def test_the_title_says_whether_the_best_layer_of_other_tasks_is_better(table: pd.DataFrame):
    of_labels = (table["rank"] == 1) & (table["task"] == "labels")
    for low, said in ((1e-9, "an"), (-1.0, "no")):
        less_last = table["less_last"].mask(of_labels, 1e-9)
        lows = table["less_last_low"].mask(of_labels, low)
        made = table.assign(less_last=less_last, less_last_low=lows)
        title = " ".join(drawn(made)[0].get_suptitle().split())
        assert title.startswith("For search of planted, layer ")
        assert title.endswith(f"; elsewhere {said} earlier layer is clearly better")

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.draw.page.canvas import use_style
from embspace.draw.sentences.differences import draw_differences
from embspace.files.scalars import load_scalars, save_scalars
from embspace.files.tables import load_table, save_table
from embspace.measure.sentences.differences import DIFFERENCES
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.planted_sentences import Planted, planted
from tests.measure.sentences.test_differences import AXES, OFFSETS
from tests.measure.sentences.test_differences import measure as measure_with_many_draws

SETTINGS: dict[str, Any] = {"arrows": [*OFFSETS][:2], "n_listed": 3}


def measure(given: Planted, **change: Any) -> Outcome:
    """With few draws: a figure is as soon drawn of rough intervals."""
    few = {"n_half_samples": 10, "n_pairing_draws": 10, "n_sign_flips": 20}
    return measure_with_many_draws(given, **few | change)


def results_of(differences: Any, folder: Any) -> dict[str, Any]:
    """As the stage finds them in its files."""
    tables = {}
    for name in ("categories", "cosines", "map", "examples"):
        save_table(differences[name], f"{folder}/{name}.csv")
        tables[name] = load_table(f"{folder}/{name}.csv")
    save_scalars(differences["json"], f"{folder}/json.json")
    return tables | {"json": load_scalars(f"{folder}/json.json")}


def draw(results: dict[str, Any], **change: Any) -> tuple[Figure, str]:
    use_style()
    settings = settings_of(draw_differences, **SETTINGS | change)
    return draw_differences(as_drawn(DIFFERENCES, results), "a model of a long name", **settings)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    differences = measure(planted(OFFSETS, 8, n_layers=3))
    return results_of(differences, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def drawn(results) -> tuple[Figure, str]:
    return draw(results)


def shown(results: dict[str, Any], name: str) -> pd.DataFrame:
    return results[name].query("layer == 2 and pooling == 'cls'")


def test_the_title_names_the_largest_cosines_or_says_that_there_are_none(results, drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    rows = shown(results, "cosines").query("q_value < 0.05")
    largest = rows.loc[rows["cosine"].abs().idxmax()]
    words = " ".join(figure.get_suptitle().split())
    relation = "with" if largest["cosine"] > 0 else "against"
    said = f"{largest['category_1']} {relation} {largest['category_2']} ({largest['cosine']:.2f})"
    said = said.replace("(-", "(−")
    assert said in words
    printed = " ".join(text.get_text() for text in figure.axes[1].texts)
    assert f"{largest['cosine']:.2f}".replace("-", "−") in printed
    pair = results["examples"].set_index("category").loc[largest["category_1"]]
    assert f"{pair['first']} → {pair['second']}" in figure.axes[2].texts[0].get_text()
    figure, _ = draw(results, bold_q_value=1e-9)
    title = " ".join(figure.get_suptitle().split())
    assert title == "No two categories of sentence differences are clearly aligned or opposed"


def test_without_unrelated_sentences_no_reach_is_said(results):
    unknown = results["cosines"].assign(null_cosine_low=np.nan, null_cosine_high=np.nan)
    figure, _ = draw({**results, "cosines": unknown})
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    labels = [artist.get_label() for artist in figure.axes[1].collections]
    assert "unrelated sentences" in legends + labels
    assert "nan" not in figure.get_suptitle()
    assert "unrelated" not in figure.get_suptitle()


def test_the_subtitle_has_the_number_of_pairs(drawn):
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    assert "40 pairs of sentences in 5 categories" in words
    assert "layer 2, first token" in words


def test_without_the_categories_of_the_bias_the_table_says_so(tmp_path):
    differences = measure(planted({"a-b": AXES[0], "c-d": AXES[1]}, 6))
    assert "lacks one of the categories" in draw(results_of(differences, tmp_path))[1]


def test_one_pair_of_one_category_is_drawn(tmp_path):
    figure, text = draw(results_of(measure(planted({"a-b": AXES[0]}, 1)), tmp_path))
    assert_words_fit(figure)
    assert "no map" in figure.axes[0].texts[0].get_text()
    assert "None." in text


def test_a_model_that_read_nothing_says_so(tmp_path):
    given = planted(OFFSETS, 3)
    states = {name: x[:, :0] for name, x in given.states.items()}
    differences = measure(type(given)(given.stimuli, given.tokens[:0], states))
    figure, text = draw(results_of(differences, tmp_path))
    assert_words_fit(figure)
    assert "no pairs of sentences" in figure.axes[0].texts[0].get_text()
    assert "None." in text

from typing import Any

import pandas as pd
import pytest

from embspace.draw.texts.text_clouds import draw_text_clouds
from embspace.measure.texts.text_clouds import KEYS, TextClouds, measure_text_clouds
from tests.draw.fits import assert_words_fit
from tests.text_corpora import CLOUD_SETTINGS as SETTINGS
from tests.text_corpora import no_corpora, three_corpora

LABEL = "a model of a long name"


def results_of(found: TextClouds) -> dict[str, Any]:
    return {table: getattr(found, table) for table in ("corpora", *KEYS)}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return results_of(measure_text_clouds(three_corpora(), **SETTINGS))


@pytest.fixture(scope="module")
def drawn(results: dict[str, Any]):
    return draw_text_clouds(results, LABEL, height_mm=235.0, digits=3)


def test_words_fit_and_say_who_was_left_out(drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    assert figure.get_supxlabel() == "measure_text_clouds"
    words = [text.get_text() for text in figure.texts]
    assert any("posts 16 · left out: notes" in each for each in words)
    assert any("sentences 24 vectors of 12 documents" in each for each in words)


def test_densities_are_those_of_the_table(results, drawn):
    cosine = drawn[0].axes[3]
    assert cosine.get_title() == "mean, layer 1"
    rows = results["histogram"].query(
        "corpus == 'posts' and other_corpus == 'posts' and quantity == 'cosine'"
    )
    drawn_values = [patch.get_data().values.tolist() for patch in cosine.patches]
    assert drawn_values.count(rows["density"].tolist()) == 2  # an area and its outline


def test_lines_run_over_all_layers(results, drawn):
    rows = results["distributions"].query(
        "corpus == 'articles' and other_corpus == 'articles' and quantity == 'cosine'"
    )
    lines = [line.get_ydata().tolist() for line in drawn[0].axes[4].lines]
    for _, state in rows.groupby("pooling"):
        assert state["mean"].tolist() in lines
    assert len(lines) == 9


def test_marks_are_the_shares_of_the_last_layer(results, drawn):
    marks = {float(line.get_xdata()[0]) for line in drawn[0].axes[5].lines[: 9 * 4]}
    last = results["positive"].query("layer == 1 and corpus == other_corpus")
    assert set(last["share_not_positive"]) <= marks
    assert set(last["centered_share_not_positive"]) <= marks


def test_one_corpus_has_nothing_to_be_compared_with():
    found = measure_text_clouds({"posts": three_corpora()["posts"]}, **SETTINGS)
    figure, text = draw_text_clouds(results_of(found), LABEL, height_mm=235.0, digits=3)
    assert_words_fit(figure)
    assert "nothing to compare" in figure.axes[7].texts[0].get_text()
    assert "## Separation" in text


@pytest.mark.parametrize("from_file", [False, True])
def test_a_model_that_reads_no_text_says_so(from_file: bool):
    results = results_of(measure_text_clouds(no_corpora(), **SETTINGS))
    if from_file:  # where an empty word is missing
        results["corpora"] = results["corpora"].replace({"left_out": {"": None}})
        results = {name: pd.DataFrame(table) for name, table in results.items()}
    figure, text = draw_text_clouds(results, LABEL, height_mm=235.0, digits=3)
    assert_words_fit(figure)
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "fewer than 8 documents" in text

from typing import Any

import pandas as pd
import pytest

from embspace.draw.texts.text_clouds import draw_text_clouds
from embspace.measure.texts.text_clouds import TEXT_CLOUDS, measure_text_clouds
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.text_corpora import CLOUD_SETTINGS as SETTINGS
from tests.text_corpora import no_corpora, three_corpora

LABEL = "a model of a long name"


def draw(results: dict[str, Any]):
    settings = settings_of(draw_text_clouds)
    return draw_text_clouds(as_drawn(TEXT_CLOUDS, results), LABEL, **settings)


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return measure_text_clouds(three_corpora(), **SETTINGS)


@pytest.fixture(scope="module")
def drawn(results: dict[str, Any]):
    return draw(results)


def test_words_fit_and_say_who_was_left_out(drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    assert figure.get_label() == "measure_text_clouds"
    words = [text.get_text() for text in figure.texts]
    words = [each.replace("\n", " ") for each in words]
    assert any("posts: 16 vectors · left out, too few texts: notes" in each for each in words)
    assert any("sentences: 24 vectors of 12 documents" in each for each in words)


def test_densities_are_those_of_the_table(results, drawn):
    cosine = drawn[0].axes[3]
    assert cosine.get_xlabel() == "cosine"
    rows = results["histogram"].query(
        "corpus == 'posts' and other_corpus == 'posts' and quantity == 'cosine'"
    )
    drawn_values = [patch.get_data().values.tolist() for patch in cosine.patches]
    assert drawn_values.count(rows["density"].tolist()) == 2  # an area and its outline


def test_the_title_says_the_mean_cosine_of_each_corpus(results):
    table = results["distributions"].copy()
    is_cosine = (table["quantity"] == "cosine") & (table["corpus"] == table["other_corpus"])
    table.loc[is_cosine, "mean"] = table["corpus"].map(
        {"articles": 0.2, "posts": 0.9, "sentences": 0.5}
    )
    given = results | {"distributions": table}
    title = draw(given)[0].get_suptitle()
    assert title.replace("\n", " ").startswith(
        "Two posts are the most alike: mean cosine 0.90, sentences 0.50, articles 0.20 (mean "
        "pooling of layer 1)"
    )


def test_the_texts_of_one_corpus_are_alike_beside_nothing(results):
    given = dict(results)
    for name in ("distributions", "histogram"):
        table = results[name]
        given[name] = table[(table["corpus"] == "posts") & (table["other_corpus"] == "posts")]
    title = " ".join(draw(given)[0].get_suptitle().split())
    assert title.startswith("The mean cosine of two posts is ") and "alike" not in title


@pytest.mark.parametrize("from_file", [False, True])
def test_a_model_that_reads_no_text_says_so(from_file: bool):
    results = measure_text_clouds(no_corpora(), **SETTINGS)
    if from_file:  # where an empty word is missing
        results["corpora"] = results["corpora"].replace({"left_out": {"": None}})
        results = {name: pd.DataFrame(table) for name, table in results.items()}
    figure, text = draw(results)
    assert_words_fit(figure)
    assert "enough texts" in figure.axes[0].texts[0].get_text()
    assert "fewer than 8 documents" in text

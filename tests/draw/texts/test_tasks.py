from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.looks import POOLINGS
from embspace.draw.texts.tasks import MEASURED_WITH, draw_tasks
from tests.analyses import settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.texts.test_search import table as search_table
from tests.draw.texts.test_text_classification import table as labels_table

MEASURED = {
    "texts": "data/texts/letters.jsonl",
    "label_column": "mood",
    "group_column": "writer",
}


def draw(search: pd.DataFrame, labels: pd.DataFrame) -> tuple[Figure, str]:
    results: dict[str, Any] = {
        "search": search,
        "text_classification": labels,
        MEASURED_WITH: MEASURED,
    }
    return draw_tasks(results, "a model of a long name", **settings_of(draw_tasks))


def search(less: float = 0.5, *corpora: str) -> pd.DataFrame:
    names = {f"mean_reciprocal_rank_minus_tf_idf{end}": less for end in ("", "_low", "_high")}
    return search_table(*(corpora or ("articles",))).assign(**names)


def title_of(figure: Figure) -> str:
    return " ".join(figure.get_suptitle().split())


@pytest.mark.parametrize(
    ("less", "verb"), [(0.5, "better than"), (-0.5, "worse than"), (0.0, "no better than")]
)
def test_the_title_compares_the_last_layer_with_words(less: float, verb: str):
    figure, _ = draw(search(less), labels_table())
    assert_words_fit(figure)
    numbers = ["0.70", f"{0.7 - less:.2f}"]
    said = f"By mean pooling the last layer finds texts {verb} TF-IDF, at a reciprocal rank of "
    assert title_of(figure).startswith(f"{said}{' against '.join(numbers)}; ")
    assert "mean pooling 0.70" in [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize(
    ("difference", "said"),
    [(0.1, "layer 2 labels letters better"), (0.0, "no layer surely labels letters better")],
)
def test_the_title_says_whether_a_layer_labels_better(difference: float, said: str):
    figure, _ = draw(search(), labels_table(difference=difference))
    assert title_of(figure).endswith(f"; {said} than words")


def test_lines_are_the_tables_and_the_named_one_has_a_band():
    figure, text = draw(search(), labels_table())
    ranks, labels = figure.axes
    named = {line.get_label(): line for line in ranks.lines}
    assert list(named["mean pooling 0.70"].get_ydata()) == pytest.approx([0.1, 0.4, 0.7])
    assert named["mean pooling 0.70"].get_color() == POOLINGS["mean"].color
    assert {str(name).rpartition(" ")[0] for name in named} == {
        *("chance", "TF-IDF", "BM25", "first token", "mean pooling", "maximum pooling")
    }
    assert len(ranks.collections) == 1
    at_random = [line for line in labels.lines if "random weights, " in str(line.get_label())]
    assert len({line.get_label() for line in at_random}) == 2
    words = " ".join(" ".join(part.get_text() for part in figure.texts).split())
    assert "articles: 20 texts" in words and "440 texts held out by writer (22 groups)" in words
    assert "| words alone" in text


def test_two_corpora_have_a_panel_each():
    figure, _ = draw(search(0.5, "articles", "notes_of_mine", "more"), labels_table())
    assert_words_fit(figure)
    titles = [ax.get_title("left") for ax in figure.axes]
    assert titles == ["Articles: search", "Notes of mine: search", "Letters: good or bad"]


def test_a_model_that_reads_no_text_says_so():
    figure, _ = draw(search()[:0], labels_table(models=False))
    assert_words_fit(figure)
    assert title_of(figure) == "The model reads no text to search for"
    assert figure.axes[0].texts[0].get_text() == "no corpus has enough texts to halve"


def test_the_vector_of_a_sentence_model_is_a_level():
    own = labels_table().iloc[[1]].assign(features="sentence", layer=np.nan, accuracy=0.77)
    figure, text = draw(search(), pd.concat([labels_table(), own]))
    (level,) = (line for line in figure.axes[1].lines if line.get_label() == "sentence vector 77 %")
    assert set(np.asarray(level.get_ydata())) == {0.77}
    assert "| sentence vector" in text

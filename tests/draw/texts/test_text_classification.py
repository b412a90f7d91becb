from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.texts.text_classification import MEASURED_WITH, draw_text_classification
from embspace.measure.texts.text_classification import TEXT_CLASSIFICATION
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

MEASURED: dict[str, Any] = {
    "texts": "data/texts/letters.jsonl",
    "label_column": "mood",
    "group_column": "writer",
}


def draw(given: dict[str, Any]) -> tuple[Figure, str]:
    settings = settings_of(draw_text_classification, digits=2)
    return draw_text_classification(as_drawn(TEXT_CLASSIFICATION, given), "a model", **settings)


def results(**change: Any) -> dict[str, Any]:
    return {"csv": table(**change), MEASURED_WITH: MEASURED}


def table(difference: float = 0.1, models: bool = True) -> pd.DataFrame:
    keys: list[tuple[str, int | None, str]] = [("bag_of_words", None, "none")]
    if models:
        keys += [
            (kind, layer, weights)
            for weights in ("trained", "random")
            for kind in ("cls", "mean")
            for layer in range(3)
        ]
    rows = []
    for kind, layer, weights in keys:
        less = 0.0 if layer is None else difference
        value = 0.7 + less
        low, high = less - 0.05, less + 0.05
        of_chance = [0.5, 0.45, 0.55]
        rows.append(
            [kind, layer, weights, 440, 22, 0.9, value, value - 0.04, value + 0.04, *of_chance]
            + [less, low, high]
        )
    return pd.DataFrame(rows, columns=[*TEXT_CLASSIFICATION.tables["csv"].columns])


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.1, "that is more"), (-0.1, "that is less"), (0.02, "no clear difference")],
)
def test_the_title_says_what_was_found(difference: float, verdict: str):
    figure, _ = draw(results(difference=difference))
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    written = " ".join(each.get_text() for each in figure.texts)
    assert "bands: 90 % intervals" in " ".join(written.split())
    assert "mood of letters by" in " ".join(written.split())
    assert "440 texts of 22 groups (same writer)" in " ".join(written.split())
    assert (
        f"{100 * (0.7 + difference):.0f} % of texts correctly, words alone 70 %: {verdict}" in title
    )


def test_lines_of_two_poolings_at_two_weights_and_the_level_of_words():
    figure, text = draw(results())
    (ax,) = figure.axes
    assert len(ax.lines) == 1 + 4
    assert list(ax.lines[1].get_xdata()) == [0, 1, 2]
    assert "words alone" in text
    assert "bag_of_words" not in text
    assert text.startswith("# Classification of texts by a model\n")


def test_a_model_that_reads_no_text_leaves_words_alone():
    figure, text = draw(results(models=False))
    assert_words_fit(figure)
    assert figure.get_suptitle().startswith("Words alone label 70 % of texts correctly")
    assert figure.axes[0].texts[0].get_text() == "the model reads no text"
    assert "The model reads no text" in text


def test_the_vector_of_a_sentence_model_is_a_level_and_a_row():
    own = table().iloc[[1]].assign(features="sentence", layer=np.nan, accuracy=0.77)
    given = {"csv": pd.concat([table(), own]), MEASURED_WITH: MEASURED}
    figure, text = draw(given)
    assert_words_fit(figure)
    (level,) = (line for line in figure.axes[0].lines if line.get_label() == "sentence vector")
    assert set(np.asarray(level.get_ydata())) == {0.77}
    assert "sentence vector" in text

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.draw.texts.label_overlap import draw_label_overlap
from embspace.measure.texts.label_overlap import LABEL_OVERLAP
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.texts.test_label_overlap import states, table_of


def drawn(table: pd.DataFrame) -> tuple[Any, str]:
    results = as_drawn(LABEL_OVERLAP, {"csv": table})
    settings = settings_of(draw_label_overlap)
    return draw_label_overlap(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(states()).assign(random_weights_value=0.5)


def test_the_title_names_the_layer_with_most_neighbors_of_one_label(table: pd.DataFrame) -> None:
    figure, text = drawn(table)
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("Mail: at best ") and "(layer 2, " in title
    assert title.endswith("50 % by chance")
    names = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert names == ["Mail: neighbors of one label", "Mail: the same, labels alike"]
    words = " ".join(" ".join(each.get_text() for each in figure.texts).split())
    assert "mail: 120 texts of 2 labels" in words and "95 % intervals" in words
    assert text.startswith("# Labels among the neighbors of texts of a model of a long name\n")
    assert "first token" in text and "random weights" in text


def test_random_weights_are_drawn_where_they_are_known(table: pd.DataFrame) -> None:
    without = table.assign(random_weights_value=float("nan"))
    lines = [len(drawn(rows)[0].axes[0].lines) for rows in (table, without)]
    assert lines[0] - lines[1] == 3


def test_no_labels_are_said() -> None:
    figure, text = drawn(LABEL_OVERLAP.empty()["csv"])
    assert "No labels to look for among neighbors" in figure.get_suptitle()
    assert "see `fewest_documents`" in text


def test_the_vector_of_a_sentence_model_is_a_level_and_a_row(table: pd.DataFrame) -> None:
    rows = table[(table["pooling"] == "mean") & (table["layer"] == 2)]
    own = rows.assign(pooling="sentence", layer=np.nan, less_last=np.nan, value=0.99)
    figure, text = drawn(pd.concat([table, own]))
    assert_words_fit(figure)
    for ax in figure.axes:
        (level,) = (line for line in ax.lines if line.get_label() == "sentence vector")
        assert set(np.asarray(level.get_ydata())) == {0.99}
    assert "(layer 2, " in " ".join(figure.get_suptitle().split())
    assert "sentence vector" in text

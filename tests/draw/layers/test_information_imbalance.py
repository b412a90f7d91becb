from typing import Any

import pandas as pd
import pytest

from embspace.draw.layers.information_imbalance import draw_information_imbalance
from embspace.measure.layers.information_imbalance import INFORMATION_IMBALANCE
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.layers.test_information_imbalance import planted, table_of


def drawn(table: pd.DataFrame, label: str = "a") -> tuple[Any, str]:
    results = as_drawn(INFORMATION_IMBALANCE, {"csv": table})
    return draw_information_imbalance(results, label, **settings_of(draw_information_imbalance))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(planted()).assign(random_weights_value=0.5)


def test_the_title_counts_layers_that_hold_more_than_the_last(table: pd.DataFrame) -> None:
    figure, text = drawn(table, "a model of a long name")
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("By mean pooling ") and "of 2 earlier layers" in title
    names = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    expected = ["News: mean pooling", "News: to the last", "News: from the last"]
    assert [name for name in names if name] == expected
    words = " ".join(" ".join(words.get_text() for words in figure.texts).split())
    assert "news: 40 documents" in words and "95 % intervals over documents" in words
    assert text.startswith("# Information imbalance of the layers of a model of a long name\n")
    assert "from the last layer" in text


def test_the_map_has_all_layers_and_their_values(table: pd.DataFrame) -> None:
    figure, _ = drawn(table)
    written = {words.get_text() for words in figure.axes[0].texts}
    rows = table[table["pooling"] == "mean"]
    assert {f"{value:.2f}".removeprefix("0") for value in rows["value"]} <= written
    assert figure.axes[0].get_xlabel() == "distances in layer"


def test_one_layer_alone_is_no_picture() -> None:
    figure, text = drawn(INFORMATION_IMBALANCE.empty()["csv"])
    assert "No documents to compare the layers by" in figure.get_suptitle()
    assert "No corpus has enough documents" in text

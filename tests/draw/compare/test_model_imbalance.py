from typing import Any

import pandas as pd
import pytest

from embspace.compare.model_imbalance import MODEL_IMBALANCE
from embspace.draw.compare.model_imbalance import draw_model_imbalance
from tests.compare.test_model_imbalance import pair, table_of
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 38.0, "digits": 3}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(pair())


def test_a_row_a_corpus_with_both_directions(table: pd.DataFrame) -> None:
    figure, text = draw_model_imbalance({"csv": table}, "one--two", **SETTINGS)
    assert_words_fit(figure)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("At the last layer, ")
    names = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert [name for name in names if name] == [
        "News, 80 texts: difference",
        "News: both directions",
        "Stimuli, 50 texts: difference",
        "Stimuli: both directions",
    ]
    assert text.startswith("# Information imbalance of one and two\n")


def test_the_title_names_the_corpora_that_tell_the_models_apart(table: pd.DataFrame) -> None:
    clear = table.assign(asymmetry_low=0.1, asymmetry_high=0.2)
    figure, _ = draw_model_imbalance({"csv": clear}, "one--two", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("At the last layer, two holds more of one than the other way round: ")
    unclear = table.assign(asymmetry_low=-0.1, asymmetry_high=0.2)
    figure, _ = draw_model_imbalance({"csv": unclear}, "one--two", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    assert title == "At the last layer, neither one nor two clearly holds more of the other"


def test_no_text_in_common_is_said() -> None:
    empty = MODEL_IMBALANCE.tables["csv"].of()
    figure, text = draw_model_imbalance({"csv": empty}, "one--two", **SETTINGS)
    assert "one and two cannot be compared" in figure.get_suptitle()
    assert "too few texts in common" in text

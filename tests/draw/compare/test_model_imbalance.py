import pandas as pd
import pytest

from embspace.compare.model_imbalance import MODEL_IMBALANCE
from embspace.draw.compare.model_imbalance import draw_model_imbalance
from tests.compare.test_model_imbalance import pair, table_of


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(pair())


def drawn(table: pd.DataFrame) -> tuple[str, str]:
    return draw_model_imbalance({"csv": table}, "one--two", digits=3)


def test_a_table_of_the_last_layers_and_one_a_corpus(table: pd.DataFrame) -> None:
    _, text = drawn(table)
    assert text.startswith("# Information imbalance of one and two\n")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Last layers", "## News: all layers", "## Stimuli: all layers"]


def test_the_finding_names_the_corpora_that_tell_the_models_apart(table: pd.DataFrame) -> None:
    finding, _ = drawn(table.assign(asymmetry_low=0.1, asymmetry_high=0.2))
    assert finding.startswith("At the last layer, two holds more of one than the other way round: ")
    finding, _ = drawn(table.assign(asymmetry_low=-0.1, asymmetry_high=0.2))
    assert finding == "At the last layer, neither one nor two clearly holds more of the other"


def test_no_text_in_common_is_said() -> None:
    finding, text = drawn(MODEL_IMBALANCE.tables["csv"].of())
    assert finding == "one and two cannot be compared"
    assert "too few texts in common" in text

import pandas as pd
import pytest

from embspace.draw.layers.information_imbalance import draw_information_imbalance
from embspace.measure.layers.information_imbalance import INFORMATION_IMBALANCE
from tests.analyses import as_drawn
from tests.measure.layers.test_information_imbalance import planted, table_of


def drawn(table: pd.DataFrame) -> tuple[str, str]:
    results = as_drawn(INFORMATION_IMBALANCE, {"csv": table})
    return draw_information_imbalance(results, "a model", digits=3)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(planted()).assign(random_weights_value=0.5)


def test_the_finding_counts_layers_that_hold_more_than_the_last(table: pd.DataFrame) -> None:
    finding, text = drawn(table.assign(asymmetry_low=-0.2, asymmetry_high=-0.1))
    assert finding.startswith("By mean pooling 2 of 2 earlier layers of all corpora hold surely")
    assert text.startswith("# Information imbalance of the layers of a model\n")
    assert "from the last layer" in text
    assert "95 % intervals over documents" in text


def test_layers_that_hold_as_much_of_each_other_are_not_counted(table: pd.DataFrame) -> None:
    unsure = table.assign(asymmetry_low=-0.1, asymmetry_high=0.1)
    assert drawn(unsure)[0] == (
        "By mean pooling no earlier layer surely holds more of the last layer than the last layer "
        "holds of it, or less"
    )


def test_without_an_earlier_layer_nothing_is_said_of_it(table: pd.DataFrame) -> None:
    last = table["other_layer"].max()
    alone = table[(table["pooling"] != "mean") | (table["layer"] == last)]
    assert drawn(alone)[0] == "There is no layer before the last to compare by mean pooling"


def test_the_first_table_has_the_pooling_of_the_finding(table: pd.DataFrame) -> None:
    headings = [line for line in drawn(table)[1].splitlines() if line.startswith("## ")]
    assert headings[0] == "## News, mean pooling"


def test_one_layer_alone_is_no_picture() -> None:
    finding, text = drawn(INFORMATION_IMBALANCE.empty()["csv"])
    assert finding == "No documents to compare the layers by"
    assert "No corpus has enough documents" in text

import numpy as np
import pandas as pd
import pytest

from embspace.draw.texts.label_overlap import draw_label_overlap
from embspace.measure.texts.label_overlap import LABEL_OVERLAP
from tests.analyses import as_drawn
from tests.measure.texts.test_label_overlap import states, table_of


def drawn(table: pd.DataFrame) -> tuple[str, str]:
    results = as_drawn(LABEL_OVERLAP, {"csv": table})
    return draw_label_overlap(results, "a model of a long name", digits=3)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return table_of(states()).assign(random_weights_value=0.5)


def test_the_finding_names_the_layer_with_most_neighbors_of_one_label(table: pd.DataFrame) -> None:
    finding, text = drawn(table)
    assert finding.startswith("Mail: at best ") and "(layer 2, " in finding
    assert finding.endswith("50 % by chance")
    assert text.startswith("# Labels among the neighbors of texts of a model of a long name\n")
    assert "Mail: the same, labels alike" in text
    assert "first token" in text and "random weights" in text


def test_no_labels_are_said() -> None:
    finding, text = drawn(LABEL_OVERLAP.empty()["csv"])
    assert finding == "No labels to look for among neighbors"
    assert "see `fewest_documents`" in text


def test_the_vector_of_a_sentence_model_is_a_row_and_no_layer(table: pd.DataFrame) -> None:
    rows = table[(table["pooling"] == "mean") & (table["layer"] == 2)]
    own = rows.assign(pooling="sentence", layer=np.nan, less_last=np.nan, value=0.99)
    finding, text = drawn(pd.concat([table, own]))
    assert "(layer 2, " in finding
    assert "sentence vector" in text

from typing import Any

import pandas as pd
import pytest

from embspace.draw.learned.separability import draw_separability

TABLE = pd.DataFrame(
    {
        "preparation": ["raw", "unit_length"],
        "n_input": 600,
        "n_positional": 150,
        "n_folds": 5,
        "inverse_regularization": 1.0,
        "auc": [0.9, 0.75],
        "auc_standard_deviation": [0.01, 0.02],
        "null_auc": [0.5, 0.49],
        "null_auc_standard_deviation": [0.03, 0.03],
        "input_recall": [1.0, 0.98],
        "positional_recall": [0.0059, 0.99],
        "balanced_accuracy": [0.503, 0.985],
        "null_balanced_accuracy": [0.5, 0.5],
    }
)


TOLD = "A plane tells 99 % of positions from tokens (unit length), that of raw vectors 0.6 %, "


def drawn(table: pd.DataFrame, label: str = "tiny") -> tuple[str, str]:
    results: Any = {"json": table.set_index("preparation").to_dict("index")}
    return draw_separability(results, label, digits=2)


def test_the_table_has_each_preparation():
    _, text = drawn(TABLE)
    assert "| Raw vectors " in text
    assert "| Unit length " in text
    assert "0.75" in text


@pytest.mark.parametrize(
    ("auc", "said"),
    [
        (0.999971, f"{TOLD}though its AUC is 0.99997"),
        (1.0, f"{TOLD}though its AUC is 1.00"),
        (0.51, "Logistic regression does not tell positions from tokens: AUC 0.51 at best"),
    ],
)
def test_the_finding_says_what_can_be_told(auc: float, said: str):
    assert drawn(TABLE.assign(auc=auc))[0] == said


def test_where_all_planes_tell_the_finding_names_the_best():
    table = TABLE.assign(balanced_accuracy=[0.99, 0.985], positional_recall=[0.98, 0.99])
    assert drawn(table)[0] == "A plane tells 98 % of positions from tokens (raw vectors)"


def test_a_model_without_positions_says_so():
    finding, text = draw_separability({"json": {}}, "tiny", digits=2)
    assert finding == "tiny has no position embeddings to tell from tokens"
    assert "tiny has no learned positional table: its file in conf/model says" in text

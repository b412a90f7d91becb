from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.learned.separability import draw_separability
from tests.draw.fits import assert_words_fit

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


def scores() -> pd.DataFrame:
    """Tokens around −1 and positions around 2; with labels shuffled, all far away."""
    rng = np.random.default_rng(0)
    is_position = np.repeat([False, True], [600, 150])
    near = pd.DataFrame({"is_labeled": is_position, "score": rng.normal(3.0 * is_position - 1)})
    return pd.concat(
        near.assign(preparation=preparation, labels=labels, fold=0, score=near["score"] + shift)
        for preparation in ("raw", "unit_length")
        for labels, shift in (("true", 0), ("shuffled", 1000))
    )


def drawn(table: pd.DataFrame, label: str = "tiny") -> tuple[Figure, str]:
    results: dict[str, Any] = {"json": table.set_index("preparation").to_dict("index")}
    results["data/measured/separability.parquet"] = scores()
    return draw_separability(results, label, height_mm=55.0, digits=2)


def test_each_preparation_has_the_distributions_of_true_labels():
    figure, text = drawn(TABLE, "a model of a long name")
    assert_words_fit(figure)
    first, second = figure.axes
    assert [ax.get_title("left") for ax in figure.axes] == ["Raw vectors", "Unit length"]
    assert "AUC 0.90, labels shuffled 0.50" in first.get_xlabel()
    assert "AUC 0.75, labels shuffled 0.49" in second.get_xlabel()
    assert "positions right of 0: 0.6 %" in first.get_xlabel()
    assert len(first.collections) == 2  # tokens and positions
    assert first.get_xlim()[1] < 10
    assert "0.75" in text
    assert any("600 against 150" in text.get_text() for text in figure.texts)


@pytest.mark.parametrize(
    ("auc", "said"),
    [
        (0.999971, f"{TOLD}though its AUC is 0.99997"),
        (1.0, f"{TOLD}though its AUC is 1.00"),
        (0.51, "No linear classifier tells positions from tokens: AUC 0.51 at best"),
    ],
)
def test_the_title_says_what_can_be_told(auc: float, said: str):
    figure, _ = drawn(TABLE.assign(auc=auc))
    assert " ".join(figure.get_suptitle().split()) == said


def test_where_all_planes_tell_the_title_names_the_best():
    figure, _ = drawn(TABLE.assign(balanced_accuracy=[0.99, 0.985], positional_recall=[0.98, 0.99]))
    said = "A plane tells 98 % of positions from tokens (raw vectors)"
    assert " ".join(figure.get_suptitle().split()) == said


def test_a_model_without_positions_says_so():
    empty = {"json": {}, "data/measured/separability.parquet": scores()[:0]}
    figure, text = draw_separability(empty, "tiny", height_mm=55.0, digits=2)
    assert "tiny has no learned positional table" in figure.axes[0].texts[0].get_text()
    assert "tiny has no learned positional table: its file in conf/model says" in text

import pandas as pd
import pytest

from embspace.compare.measures import MEASURES
from embspace.draw.compare.measure_tables import consistencies, tables_of


def row(group: str, at: float, low: float | None, **change: str) -> dict[str, object]:
    about = {"noun": "differences", "table": "categories", "quantity": "consistency"} | change
    values = {"model_value": 0.5, "other_model_value": 0.25, "difference": 0.25}
    bounds = {"difference_low": low, "difference_high": low and low + 0.3, "n_paired": 14}
    return about | values | bounds | {"group": group, "at": at, "other_at": at}


ROWS = pd.DataFrame(
    [
        row("mean / warm-cold", 0, 0.1),
        row("mean / warm-cold", 1, 0.15),
        row("mean / warm-cold", 2, None),  # that only one model has
        row("cls / warm-cold", 1, 0.15),
        row("texts / mean / as_is", 1, 0.1, noun="search", table="search", quantity="recall_at_1"),
        row("texts / cls / as_is", 1, 0.1, noun="search", table="search", quantity="recall_at_1"),
    ]
).reindex(columns=[*MEASURES.tables["csv"].columns])


def test_consistencies_are_of_mean_pooling_at_the_last_layer_of_both():
    rows = consistencies(ROWS)
    assert rows[["category", "at", "difference_low"]].to_numpy().tolist() == [
        ["warm-cold", 1.0, pytest.approx(0.15)]
    ]


def test_sentences_come_first_and_the_rest_is_folded():
    text = tables_of(ROWS, "one and two", 2)
    first, _, others = text.partition("<details>")
    assert "## Sentences" in first
    assert "0.25 [0.15, 0.45]" in first
    search = others.split("## Search")[1].partition("## ")[0]
    assert "texts / mean / as is" in search
    assert "cls" not in search

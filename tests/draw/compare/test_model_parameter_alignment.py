"""Holds the sentence and the tables of matched layers of a pair to their rows."""

from itertools import product
from typing import Any

import pandas as pd
import pytest

from embspace.compare.model_parameter_alignment import MODEL_PARAMETER_ALIGNMENT
from embspace.draw.compare.model_parameter_alignment import draw_model_parameter_alignment

GROUPS = ("attention_query", "feed_forward_value")
MATCHES = {1: 1, 3: 2}


def table(*, spaces: tuple[str, ...] = ("vocabulary", "raw")) -> pd.DataFrame:
    rows = [
        {"group": group, "space": space, "layer": layer, "other_layer": other,
         "similarity": 0.02 + 0.001 * layer * other, "is_assigned": MATCHES.get(layer) == other,
         "is_above_dealt_rows": space == "vocabulary", "is_in_order": False}
        for group, space, layer, other in product(GROUPS, spaces, (1, 2, 3), (1, 2))
    ]  # fmt: skip
    given: dict[str, Any] = {
             "n_layers": 3, "n_other_layers": 2, "n_tokens": 100, "n_shuffles": 9, "margin": 0.01,
             "matches": "1 - 2", "mean_similarity": 0.03, "p_value": 0.1, "holm_p_value": 0.2,
             "in_order": 1.0,
             "p_value_in_order": 0.5, "holm_p_value_in_order": 1.0,
             "null_mean_similarity": 0.02, "null_in_order": 0.5,
             "null_mean_similarity_low": 0.01, "null_mean_similarity_high": 0.025,
             "null_in_order_low": 0.0, "null_in_order_high": 1.0}  # fmt: skip
    return MODEL_PARAMETER_ALIGNMENT.tables["csv"].of(pd.DataFrame(rows).assign(**given))


def draw(rows: pd.DataFrame) -> tuple[str, str]:
    return draw_model_parameter_alignment({"csv": rows}, "A--B", digits=3)


def test_tables_have_a_row_a_group_and_space() -> None:
    _, text = draw(table())
    alike, order = text.split("## ")[1:]
    rows = [line for line in alike.splitlines() if line.startswith(("| MLP values", "| queries"))]
    assert len(rows) == 4
    assert all("1 - 2" in row for row in rows)
    assert [row.split("|")[-2].strip() for row in rows] == ["yes", "no", "yes", "no"]
    assert "0.5 at random" in order


@pytest.mark.parametrize(
    ("spaces", "words"),
    [(("vocabulary", "raw"), " (raw space: 0)"), (("vocabulary",), "")],
)
def test_the_finding_says_in_how_many_groups(spaces: tuple[str, ...], words: str) -> None:
    assert draw(table(spaces=spaces))[0] == (
        "Through the vocabulary, layers of A and B are more alike than dealt rows in 2 of 2 groups "
        f"of parameters{words}; which layer is which can be told in 0 (smallest p of the order 0.5)"
    )


def test_other_vocabularies_are_said_in_a_sentence() -> None:
    rows = MODEL_PARAMETER_ALIGNMENT.tables["csv"].of(
        [{"reason": "A and B: have other vocabularies"}]
    )
    finding, text = draw(rows)
    assert finding == "The layers of A and B cannot be matched by their parameters"
    assert "Not compared: A and B: have other vocabularies." in text

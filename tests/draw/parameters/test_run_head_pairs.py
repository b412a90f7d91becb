"""Holds the page of the pairs of heads of runs to its tables."""

from itertools import product
from typing import Any

import pandas as pd

from embspace.draw.parameters.run_head_pairs import SETTINGS, draw_run_head_pairs

MEASURED = {
    "n_pairs": 50,
    "least_count": 5,
    "significance": 0.05,
    "least_share": 0.1,
    "n_shuffled_heads": 12,
}
FORMS, CATEGORIES = ("value_output", "query_key"), ("equal", "topic")
HEADS = list(product((1, 2), (1, 2)))


def checkpoints(n_above: int) -> pd.DataFrame:
    rows = [
        ("pretraining", step, seed, form, category, n_above * (step == 9 and category == "topic")
         + (step == 0 and category == "equal"), int(step == 9 and category == "topic" and not seed))
        for step, seed, form, category in product((0, 9), (0, 1), FORMS, CATEGORIES)
    ]  # fmt: skip
    columns = ["phase", "step", "seed", "form", "category", "n_above_null"]
    columns += ["n_above_null_and_anew"]
    return pd.DataFrame(rows, columns=columns).assign(
        n_tokens=40, n_words=30, n_heads=4, share=0.5, permuted_mean=0.1, paired_anew_mean=0.2,
        shuffled_mean=0.1, largest_share=0.9,
    )  # fmt: skip


def shares(n_above: int) -> pd.DataFrame:
    rows = [
        ("pretraining", 9, seed, form, *head, category, 0.3 if category == "topic" else 0.0)
        for seed, form, head, category in product((0, 1), FORMS, HEADS, CATEGORIES)
    ]
    columns = ["phase", "step", "seed", "form", "layer", "head", "category", "share"]
    table = pd.DataFrame(rows, columns=columns)
    table["above_null"] = (table["category"] == "topic") & (table["head"] <= n_above)
    return table.assign(permuted_mean=0.1, p_value_over_heads=0.01, paired_anew_p_value=0.5)


def pairs() -> pd.DataFrame:
    rows = [
        ("pretraining", 9, seed, form, *head, 1, "bado", "gike")
        for seed, form, head in product((0, 1), FORMS, HEADS)
    ]
    columns = ["phase", "step", "seed", "form", "layer", "head", "rank", "row", "column"]
    return pd.DataFrame(rows, columns=columns)


def draw(*runs: str, n_above: int = 1) -> tuple[str, str]:
    tables = {"checkpoints": checkpoints(n_above), "shares": shares(n_above), "pairs": pairs()}
    results: dict[str, Any] = {
        name: pd.concat([table.assign(run=run) for run in runs]) for name, table in tables.items()
    }
    return draw_run_head_pairs({**results, SETTINGS: MEASURED}, "all runs", n_cards=1, digits=3)


def test_the_finding_says_the_most_frequent_category_and_what_random_weights_have() -> None:
    assert draw("mine")[0] == (
        "2 of 8 heads of the mine prefer words of one topic by values and outputs, more heads than "
        "any other pairs have; 1 of them also more than the same tokens paired at random, of the "
        "others this is not found; before training at most 2"
    )
    assert draw("mine", n_above=0)[0].startswith("No head of a trained run relates")


def test_the_first_table_has_what_is_beyond_chance_alone() -> None:
    first, _, rest = draw("mine", "yours")[1].partition("<details>")
    rows = [line for line in first.splitlines() if line.startswith(("| mine", "| yours"))]
    assert len(rows) == 2 * 2
    assert all("words of one topic" in row and "2 of 8" in row for row in rows)
    assert "a token with itself" in rest and "`bado` `gike`" in rest


def test_nothing_trained_is_said_in_words() -> None:
    empty = {name: pd.DataFrame() for name in ("checkpoints", "shares", "pairs")}
    finding, text = draw_run_head_pairs(
        {**empty, SETTINGS: MEASURED}, "all runs", n_cards=1, digits=3
    )
    assert "None:" in text
    assert finding == "No run with a vocabulary that is no language was trained"

from typing import Any

import pandas as pd

from embspace.draw.attention.head_features import SETTINGS as MEASURED_WITH
from embspace.draw.attention.head_features import draw_head_features
from embspace.draw.attention.head_names import FEATURE_NAMES
from embspace.measure.attention.head_features import HEAD_FEATURES
from tests.analyses import as_drawn
from tests.draw.attention.tables import COUNTS, SETTINGS, heads, offsets


def draw(given: dict[str, Any]) -> tuple[str, str]:
    return draw_head_features(as_drawn(HEAD_FEATURES, given), "a model", digits=3)


def results(undefined: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "heads": heads(undefined),
        "offsets": offsets(),
        "json": COUNTS,
        MEASURED_WITH: SETTINGS,
    }


def test_the_finding_and_the_tables_say_where_heads_look():
    finding, tables = draw(results())
    start = "Half of the heads hold 80 % of their attention in 11 % of the tokens"
    assert finding.startswith(start)
    assert "head 3.4 gives 16 % to the previous token" in finding
    assert "Of 9 texts 9 end in a separator, 7 have punctuation" in tables
    first = tables.partition("<details>")[0]
    rows = [line for line in first.splitlines() if line.startswith("|")][2:]
    assert [row.split("|")[1].strip() for row in rows] == [*FEATURE_NAMES.values()]
    assert {row.split("|")[2].strip() for row in rows} == {"3.4"}


def test_heads_like_random_ones_are_said_to_be_and_none_is_named():
    given = results()
    given["heads"]["random_weights"] = given["heads"]["value"]
    finding, _ = draw(given)
    assert finding.startswith("Heads spread their attention as with random weights: half hold 80 %")
    assert "previous token" not in finding


def test_a_first_token_with_most_of_the_attention_gives_the_finding():
    given = results()
    is_first = given["heads"]["feature"] == "first_token_mass"
    given["heads"].loc[is_first, "value"] = 0.52
    assert draw(given)[0] == (
        "The first token gets 52 % of the attention of the median head, with random weights 5 %; "
        "head 3.4 gives 16 % to the previous token"
    )
    for change in (
        {"value": 0.48},
        {"value": 0.52, "random_weights": 0.5},
    ):  # too little; as without training
        changed = results()
        changed["heads"].loc[is_first, [*change]] = [*change.values()]
        assert draw(changed)[0].startswith("Half of the heads hold")


def test_what_no_text_has_is_a_row_without_a_value():
    _, tables = draw(results(("separator_mass",)))
    [row, *_] = [line for line in tables.splitlines() if "mass to the separator" in line]
    assert "–" in row


def test_a_model_that_reads_no_text_has_no_heads():
    empty = results() | {"heads": pd.DataFrame(columns=heads().columns), "json": {"n_texts": 0}}
    finding, tables = draw(empty)
    assert finding.startswith("No heads")
    assert "The model reads no text, or gives no attention of every layer." in tables

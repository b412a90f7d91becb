"""Holds the sentence and the tables of the layers' roles to their rows."""

import pandas as pd

from embspace.draw.blocks.layer_roles import PANELS, draw_layer_roles
from embspace.measure.blocks.layer_roles import CHOICES, FORWARD, LAYER_ROLES
from embspace.measure.blocks.layer_roles_statistics import STATISTICS, WORDS
from tests.analyses import as_drawn

CLAIM = "lower layers choose and upper ones carry forward"
RANDOM = {f"random_weights_{end}": 0.1 for end in ("mean", "smallest", "largest")}


def tables() -> dict[str, pd.DataFrame]:
    """Every statistic grows with the layer; each verdict in turn."""
    facts = {"corpus": "articles", "n_texts": 9, "n_tokens": 1234, "n_blocks": 6, "p_value": 0.01}
    layers = [
        {"layer": layer, "statistic": statistic, "value": layer / 10, "low": 0.0, "high": 0.5}
        for layer in (1, 2, 3)
        for statistic in STATISTICS
    ]
    claims = [
        {
            "claim": CHOICES if number < 2 else FORWARD,
            "statistic": WORDS[statistic],
            "expected_sign": "+",
            "value": 0.5,
            "low": 0.4,
            "high": 0.9,
            "holds_if": "value > 0",
            "verdict": ("matches", "undecided", "differs")[number % 3],
        }
        for number, statistic in enumerate(STATISTICS)
    ]
    return {
        name: pd.DataFrame([facts | RANDOM | row for row in rows], columns=[*table.columns])
        for (name, table), rows in zip(LAYER_ROLES.tables.items(), (layers, claims), strict=True)
    }


def drawn(tables: dict[str, pd.DataFrame]) -> tuple[str, str]:
    return draw_layer_roles(as_drawn(LAYER_ROLES, tables), "a model", digits=3)


def test_the_tables_have_the_claims_and_every_statistic_by_layer() -> None:
    _, text = drawn(tables())
    first, _, rest = text.partition("<details>")
    assert all(words in first for words in WORDS.values())
    assert "0.50 [0.40, 0.90]" in first and "1,234 tokens" in first
    assert all(words in rest for words in PANELS.values())


def test_the_finding_counts_the_verdicts() -> None:
    finding, _ = drawn(tables())
    counts = "3 for it, 2 against it, 2 undecided"
    assert finding == f"Of 7 statistics on whether {CLAIM}: {counts}"


def test_the_only_statistic_that_decides_stands_beside_random_weights() -> None:
    one = tables()
    one["claims"]["verdict"] = ["undecided"] * 4 + ["differs"] + ["undecided"] * 2
    name = WORDS[STATISTICS[4]]
    said = f"against the claim that {CLAIM}; 6 others undecided"
    assert drawn(one)[0] == (
        f"{name[0].upper()}{name[1:]}, rises with the layer (+0.50; random weights +0.10 to "
        f"+0.10), {said}"
    )
    one["claims"].loc[4, ["value", "verdict"]] = [-0.6, "matches"]
    one["claims"]["random_weights_smallest"] = float("nan")
    assert "falls with the layer (\N{MINUS SIGN}0.60), for the claim" in drawn(one)[0]


def test_what_few_layers_or_no_statistic_decides_is_no_count() -> None:
    few = tables()
    few["claims"] = few["claims"].assign(n_blocks=2, p_value=1.0)
    said = f"too few to decide whether {CLAIM}"
    assert drawn(few)[0] == f"2 layers are {said}: no p below 1"
    few["claims"] = few["claims"].assign(n_blocks=1, p_value=float("nan"))
    assert drawn(few)[0] == f"1 layer is {said}"
    few["claims"]["n_blocks"] = 6
    few["claims"]["verdict"] = "undecided"
    assert drawn(few)[0] == f"No statistic of 7 decides whether {CLAIM}"


def test_an_architecture_that_is_not_known_has_a_sentence() -> None:
    finding, text = drawn(LAYER_ROLES.empty())
    assert "was not measured" in finding
    assert "cannot be rebuilt" in text

"""Holds the figure of the layers' roles to its tables."""

from typing import Any

import pandas as pd

from embspace.draw.blocks.layer_roles import NAMES, PANELS, draw_layer_roles
from embspace.measure.blocks.layer_roles import CHOICES, CLAIM_COLUMNS, COLUMNS, FORWARD
from embspace.measure.blocks.layer_roles_statistics import STATISTICS, WORDS
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {"row_height_mm": 40.0, "digits": 3}
RANDOM = {f"random_weights_{end}": 0.1 for end in ("mean", "smallest", "largest")}


def tables() -> dict[str, pd.DataFrame]:
    """Every statistic grows with the layer; each verdict in turn."""
    facts = {"corpus": "articles", "n_texts": 9, "n_tokens": 1234, "n_blocks": 3, "p_value": 0.01}
    rows = [
        {"layer": layer, "statistic": each, "value": layer / 10, "low": 0.0, "high": 0.5}
        for layer in (1, 2, 3)
        for each in STATISTICS
    ]
    claims = [
        {
            "claim": CHOICES if number < 2 else FORWARD,
            "statistic": WORDS[each],
            "expected_sign": "+",
            "value": 0.5,
            "low": 0.4,
            "high": 0.9,
            "holds_if": "value > 0",
            "verdict": ("matches", "undecided", "differs")[number % 3],
        }
        for number, each in enumerate(STATISTICS)
    ]
    made = {"csv": (rows, COLUMNS), "claims": (claims, CLAIM_COLUMNS)}
    return {
        name: pd.DataFrame([{**facts, **RANDOM, **row} for row in each], columns=columns)
        for name, (each, columns) in made.items()
    }


def test_a_panel_a_statistic_and_one_of_correlations() -> None:
    figure, text = draw_layer_roles(tables(), "a model", **SETTINGS)
    assert_words_fit(figure)
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == [*PANELS.values(), "Rank correlation with the layer"]
    assert [NAMES[each] for each in WORDS.values()] == [*PANELS]
    for ax in figure.axes[: len(PANELS)]:
        assert list(ax.lines[1].get_ydata()) == [0.1, 0.2, 0.3]
    assert all(words in text for words in WORDS.values())


def test_the_title_counts_the_verdicts() -> None:
    figure, _ = draw_layer_roles(tables(), "a model", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    assert "choices”: of 2 statistics 1 for it, 0 against it, 1 undecided" in title
    assert "previous achievements”: of 5 statistics 2 for it, 2 against it, 1 undecided" in title


def test_an_architecture_that_is_not_known_has_a_sentence() -> None:
    empty = {name: table.iloc[:0] for name, table in tables().items()}
    figure, text = draw_layer_roles(empty, "a model", **SETTINGS)
    assert "cannot be rebuilt" in text
    assert "cannot be rebuilt" in figure.axes[0].texts[0].get_text()

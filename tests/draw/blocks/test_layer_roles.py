"""Holds the figure of the layers' roles to its tables."""

from typing import Any

import pandas as pd

from embspace.draw.blocks.layer_roles import NAMES, PANELS, draw_layer_roles
from embspace.measure.blocks.layer_roles import CHOICES, FORWARD, LAYER_ROLES
from embspace.measure.blocks.layer_roles_statistics import STATISTICS, WORDS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

RANDOM = {f"random_weights_{end}": 0.1 for end in ("mean", "smallest", "largest")}


def tables() -> dict[str, pd.DataFrame]:
    """Every statistic grows with the layer; each verdict in turn."""
    facts = {"corpus": "articles", "n_texts": 9, "n_tokens": 1234, "n_blocks": 3, "p_value": 0.01}
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


def drawn(tables: dict[str, pd.DataFrame]) -> tuple[Any, str]:
    results = as_drawn(LAYER_ROLES, tables)
    return draw_layer_roles(results, "a model", **settings_of(draw_layer_roles))


def test_a_panel_a_statistic_and_one_of_correlations() -> None:
    figure, text = drawn(tables())
    assert_words_fit(figure)
    titles = [ax.get_title("left") or ax.get_title() for ax in figure.axes]
    assert titles == [*PANELS.values(), "Rank correlation with the layer"]
    assert [NAMES[words] for words in WORDS.values()] == [*PANELS]
    for ax in figure.axes[: len(PANELS)]:
        assert list(ax.lines[1].get_ydata()) == [0.1, 0.2, 0.3]
    assert all(words in text for words in WORDS.values())


def test_the_title_counts_the_verdicts() -> None:
    figure, _ = drawn(tables())
    title = " ".join(figure.get_suptitle().split())
    assert "choices”: of 2 statistics 1 for it, 0 against it, 1 undecided" in title
    assert "previous achievements”: of 5 statistics 2 for it, 2 against it, 1 undecided" in title


def test_an_architecture_that_is_not_known_has_a_sentence() -> None:
    figure, text = drawn(LAYER_ROLES.empty())
    assert "cannot be rebuilt" in text
    assert "cannot be rebuilt" in figure.axes[0].texts[0].get_text()

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.practice.thresholds import draw_thresholds
from embspace.measure.practice.thresholds import THRESHOLDS
from embspace.measure.texts.text_cloud_random import RANDOM_TEXTS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit


def tables(
    above: tuple[float, float] = (0.9, 0.0), gap: float = 0.2, n_pairs: int = 20_000
) -> dict[str, pd.DataFrame]:
    """Two corpora at two layers; `above` are shares of pairs of ships above .8 by layer."""
    rates, fixed = [], []
    for number, corpus in enumerate(("ships", "ports")):
        place = {"corpus": corpus, "n_pairs": n_pairs, "n_documents": 46}
        for layer in (0, 1):
            for kind in ("raw", "centered"):
                cosine = 0.7 - gap * number - 0.1 * layer - 0.2 * (kind == "centered")
                bounds = {"cosine_low": cosine - 0.02, "cosine_high": cosine + 0.02}
                row = place | {"layer": layer, "preparation": kind, "n_above": 1}
                rates.append(row | {"rate": 1e-3, "cosine": cosine} | bounds)
                rates.append(row | {"rate": 1e-5, "cosine": np.nan})
            share = above[layer] * (number == 0)
            row = {"corpus": corpus, "layer": layer, "cosine": 0.8, "n_pairs": n_pairs}
            fixed.append(row | {"share": share, "n_above": n_pairs * share})
    given = {"csv": rates, "fixed": fixed}
    return {name: table.of(given[name]) for name, table in THRESHOLDS.tables.items()}


def drawn(given: dict[str, Any], random: float | None = None) -> Any:
    """With the share of pairs of ships that are above .8 at random weights, if given."""
    rows = [{"corpus": "ships", "layer": n, "n": 46, "share_above": random} for n in (0, 1)]
    beside = RANDOM_TEXTS.of([] if random is None else rows)
    results = as_drawn(THRESHOLDS, given, **{"text_clouds/random": beside})
    return draw_thresholds(results, "a model", **settings_of(draw_thresholds))


def title(given: dict[str, Any], random: float | None = None) -> str:
    return " ".join(drawn(given, random)[0].get_suptitle().split())


def test_lines_are_the_numbers_of_the_table():
    figure, text = drawn(tables())
    assert_words_fit(figure)
    above, raw, centered = figure.axes
    assert list(raw.lines[0].get_ydata()) == pytest.approx([0.7, 0.6])
    assert list(centered.lines[1].get_ydata()) == pytest.approx([0.3, 0.2])
    assert list(above.lines[0].get_ydata()) == pytest.approx([0.9, 0])
    assert "90 %" in [text.get_text() for text in above.texts]
    assert "1,000" in text and "100,000" not in text  # where no cosine is measured


def test_the_title_names_the_layer_where_a_guessed_threshold_is_common():
    assert title(tables()) == (
        "Up to layer 0, 90 % or more of pairs of ships exceed a cosine of 0.8, "
        "none at the last; less the mean, hardly any"
    )
    assert "exceed a cosine of 0.8 (random weights: all), none at the last" in title(tables(), 1.0)
    assert title(tables(), 0.0) == title(tables())
    many = tables()
    many["csv"].loc[many["csv"]["preparation"] == "centered", "cosine"] = 0.9
    assert title(many).endswith("none at the last")
    assert title(tables((0.9, 0.5))) == (
        "A cosine of 0.8 is not rare: 90 % of pairs of ships lie above it at layer 0"
    )


def test_else_the_corpora_or_one_cosine():
    assert title(tables((0.05, 0.0))) == (
        "At the last layer one pair in 1,000 reaches 0.60 among ships, 0.40 among ports"
    )
    assert title(tables((0.05, 0.0), gap=0.01)) == (
        "At the last layer one pair in 1,000 reaches 0.60 among ships"
    )
    assert title(THRESHOLDS.empty()) == "Too few texts to tell a rare pair"


def test_the_title_names_a_corpus_that_is_drawn_by_its_own_centered_cosines():
    few = tables()
    is_ships = few["csv"]["corpus"] == "ships"
    few["csv"].loc[is_ships, "cosine"] = np.nan
    assert title(few) == "At the last layer one pair in 1,000 reaches 0.40 among ports"
    lacking = tables()
    is_centered = is_ships & (lacking["csv"]["preparation"] == "centered")
    lacking["csv"].loc[is_centered, "cosine"] = np.nan
    assert title(lacking).endswith("none at the last")


def test_rates_that_few_pairs_reach_are_left_out():
    figure, text = drawn(tables(n_pairs=9_999))
    assert_words_fit(figure)
    assert len(figure.axes) == 1
    assert list(figure.axes[0].lines[0].get_ydata()) == pytest.approx([0.9, 0])
    assert "None." in text and "1,000" not in text
    assert title(tables(n_pairs=9_999)).endswith("none at the last")
    assert len(drawn(tables(n_pairs=10_000))[0].axes) == 3


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.05, "At most 5 % of pairs of ships exceed a cosine of 0.8 at any layer"),
        (0.0, "Not one pair of ships exceeds a cosine of 0.8 at any layer"),
    ],
)
def test_rare_shares_of_few_pairs_have_a_title_and_the_panel_has_the_number(
    share: float, said: str
):
    few = tables((share, 0.0), n_pairs=9_999)
    assert title(few) == said and not says_nothing(said)
    figure, _ = drawn(few)
    assert_words_fit(figure)
    numbers = [text.get_text() for text in figure.axes[0].texts]
    assert numbers == (["5 %"] if share else [])
    assert not drawn(tables((share, 0.0)))[0].axes[0].texts


def test_what_all_pairs_exceed_at_random_weights_too_is_no_finding():
    said = "All pairs of ships lie above a cosine of 0.8 at every layer, no more than with random"
    assert title(tables((1.0, 1.0)), 1.0).startswith(said)
    assert says_nothing(title(tables((1.0, 1.0)), 1.0))
    assert says_nothing(title(tables((1.0, 0.995)), 0.999))
    for given in (title(tables((1.0, 1.0)), 0.9), title(tables((1.0, 0.95)), 1.0)):
        assert not says_nothing(given)


@pytest.mark.parametrize(
    ("least", "random", "said"),
    [
        (0.999, 0.0, "nearly all pairs of ships lie above it at every layer; at random weights"),
        (1.0, 0.0, "all pairs of ships lie above it at every layer; at random weights no pair"),
        (0.95, 1.0, "95 % or more of pairs of ships lie above it at every layer (random weights:"),
        (0.95, None, "95 % or more of pairs of ships lie above it at every layer"),
        (0.95, 0.05, "95 % or more of pairs of ships lie above it at every layer"),
    ],
)
def test_what_is_common_at_every_layer_is_said_of_none(least: float, random: float, said: str):
    given = tables((1.0, least))
    assert title(given, random).startswith(f"A cosine of 0.8 is not rare: {said}")
    numbers = {text.get_text() for text in drawn(given, random)[0].axes[0].texts}
    assert numbers == ({"95 %"} if least == 0.95 else {"100 %"})


def test_random_weights_are_drawn() -> None:
    above = drawn(tables(), 1.0)[0].axes[0]
    lines = {line.get_label(): list(line.get_ydata()) for line in above.lines}
    assert lines["random weights, by corpus"] == [1.0, 1.0]
    one = {name: table[table["corpus"] == "ships"] for name, table in tables().items()}
    labels = [line.get_label() for line in drawn(one, 1.0)[0].axes[0].lines]
    assert "random weights" in labels and "random weights, by corpus" not in labels

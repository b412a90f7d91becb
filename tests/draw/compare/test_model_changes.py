"""The figure of changes says what moved, and never calls rounding a change."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import rc_context

from embspace.compare.model_changes import CHANGES, STATES, TOKENS, WORDS
from embspace.draw.compare.model_changes import draw_model_changes
from embspace.draw.page.canvas import letter_panels, use_style
from embspace.draw.page.latex import latex_tables
from embspace.draw.page.markdown import harmless
from tests.draw.fits import assert_words_fit

SETTINGS: dict[str, Any] = {
    "height_mm": 58.0,
    "row_height_mm": 6.0,
    "largest_written": 24,
    "n_shown": 12,
    "digits": 3,
}
GROUPS = ("attention_query", "feed_forward_value", "norm")


def row(
    group: str, layer: float, verdict: str, size: float, rank: float = np.nan
) -> dict[str, Any]:
    return {
        "group": group,
        "layer": layer,
        "layers": "" if np.isnan(layer) else str(int(layer)),
        "n_rows": 24,
        "n_rows_changed": 0 if verdict == "identical" else 24,
        "relative_change": size,
        "relative_change_rounding": 0.0017,
        "relative_change_dealt": 1.4,
        "verdict": verdict,
        "rounding": "bfloat16" if verdict == "rounded" else "",
        "rank": rank,
        "largest_rank": np.nan if np.isnan(rank) else 24,
        "participation_ratio": np.nan if np.isnan(rank) else min(rank, 9),
        "random_participation_ratio": np.nan if np.isnan(rank) else 12,
    }


def table(*moved: dict[str, Any], whole: dict[str, Any], rest: str = "identical") -> pd.DataFrame:
    places = {(part["group"], part["layer"]) for part in moved}
    rows = [row("token_embedding", np.nan, rest, 0.0)]
    rows += [
        row(group, layer, rest, 0.0)
        for layer in (1, 2, 3)
        for group in GROUPS
        if (group, layer) not in places
    ]
    return CHANGES.of([*rows, *moved, whole])


def drawn(
    changes: pd.DataFrame, words: list[Any] | None = None, **settings: Any
) -> tuple[Any, str]:
    results = {
        "csv": changes,
        "words": WORDS.of(words or []),
        "tokens": TOKENS.of(),
        "states": settings.pop("states", STATES.of()),
    }
    with rc_context():
        use_style()
        figure, text = draw_model_changes(results, "A--B", **{**SETTINGS, **settings})
        letter_panels(figure)
        assert_words_fit(figure)
    latex_tables(harmless(text), "model_changes", "draw_compare")  # as the page is saved
    return figure, text


def title_of(figure: Any) -> str:
    return " ".join(figure.get_suptitle().split())


def all_of(verdict: str, size: float) -> dict[str, Any]:
    return row("all", np.nan, verdict, size)


def test_the_one_part_that_moved_is_in_the_title_with_size_and_rank() -> None:
    moved = row("attention_query", 2, "moved", 0.1, rank=1)
    figure, text = drawn(table(moved, whole=all_of("moved", 0.01)))
    assert title_of(figure) == (
        "From A to B one part alone moved, the queries of layer 2, by 10 % of their norm, in 1 "
        "direction"
    )
    sizes, directions, outside = figure.axes
    written = [label.get_text() for label in sizes.texts]
    assert written.count("10") == 1 and written.count("=") == 8
    assert [label.get_text() for label in directions.texts if label.get_text()] == ["1 of 1"]
    assert [label.get_text() for label in outside.texts] == ["=", "1"]
    first = text.split("<details>")[0]
    assert "| Queries of layer 2 |" in first and "Norms of layer 1" not in first


def test_of_several_parts_the_title_names_the_most_moved() -> None:
    parts = (row("norm", 1, "moved", 0.02), row("feed_forward_value", 3, "moved", 0.3, rank=24))
    figure, _ = drawn(table(*parts, whole=all_of("moved", 0.05)))
    assert title_of(figure) == (
        "From A to B all weights together moved by 5 % of their norm, most the MLP values of "
        "layer 3, by 30 % of their norm"
    )


def test_rounding_is_no_change() -> None:
    figure, _ = drawn(table(whole=all_of("rounded", 0.0017), rest="rounded"))
    assert title_of(figure) == "A and B differ by rounding to bfloat16 alone"
    assert {label.get_text() for label in figure.axes[0].texts} == {"≈"}


def test_rounding_beside_a_change_is_told() -> None:
    moved = row("attention_query", 2, "moved", 0.1, rank=24)
    figure, _ = drawn(table(moved, whole=all_of("moved", 0.01), rest="rounded"))
    assert title_of(figure).startswith("From A to B one part alone moved, but for rounding, the q")


def test_a_copy_is_a_copy() -> None:
    figure, text = drawn(table(whole=all_of("identical", 0.0)))
    assert title_of(figure) == "No parameter differs between A and B"
    assert "no matrix of a layer moved" in figure.axes[1].texts[0].get_text()
    assert "None." in text


def test_weights_without_a_relation_are_beside_chance() -> None:
    parts = [
        row("attention_query", layer, "no nearer than dealt rows", 1.4, 24) for layer in (1, 2)
    ]
    figure, _ = drawn(table(*parts, whole=all_of("no nearer than dealt rows", 1.41)))
    assert title_of(figure) == (
        "The weights of B are no nearer to A's than dealt rows: 140 % of their norm away, by "
        "chance 140 %"
    )


def test_a_block_of_several_layers_is_called_so() -> None:
    shared = {**row("attention_query", 1, "moved", 0.1, 24), "layers": "1-12"}
    changes = CHANGES.of([shared, all_of("moved", 0.05)])
    figure, _ = drawn(changes)
    assert "the queries of layers 1-12, by" in title_of(figure)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["1-12"]


def test_models_that_are_no_pair_are_told_why() -> None:
    changes = CHANGES.of([{"reason": "A has 6 layers, B 3"}])
    figure, text = drawn(changes)
    assert title_of(figure) == "How far B lies from A is not checkable"
    assert "A has 6 layers, B 3" in figure.axes[0].texts[0].get_text()
    assert "Not checkable: A has 6 layers, B 3." in text


@pytest.mark.parametrize("largest_written", [0, 24])
def test_many_layers_are_drawn_without_numbers(largest_written: int) -> None:
    parts = [row(group, layer, "moved", 0.1, 24) for layer in (1, 2, 3) for group in GROUPS[:2]]
    figure, _ = drawn(table(*parts, whole=all_of("moved", 0.1)), largest_written=largest_written)
    assert bool([label for label in figure.axes[0].texts if label.get_text()]) == bool(
        largest_written
    )


def test_states_have_a_line_beside_other_texts() -> None:
    rows = [
        {"corpus": "articles", "layer": layer, "n": 30, "cosine": 1 - layer / 10}
        | {"cosine_low": 0.5, "cosine_high": 1.0, "other_cosine": 0.2}
        for layer in range(3)
    ]
    moved = row("attention_query", 2, "moved", 0.1, 1)
    states = STATES.of(rows)
    figure, text = drawn(table(moved, whole=all_of("moved", 0.01)), states=states)
    ax = figure.axes[3]
    own, other = (list(line.get_ydata()) for line in ax.lines[:2])
    assert own == pytest.approx([1, 0.9, 0.8]) and other == [0.2] * 3
    assert {label.get_text() for label in ax.get_legend().get_texts()} == {"articles", "two texts"}
    assert "## States of the same texts" in text


def test_parts_that_are_not_compared_are_told_and_not_drawn() -> None:
    head = {"group": "masked_head", "verdict": "not checkable", "reason": "B has none"}
    changes = table(row("norm", 1, "moved", 0.1), whole=all_of("moved", 0.01))
    is_table = changes["group"] == "token_embedding"
    changes["reason"] = ["50 of 60 rows, of both" if applies else None for applies in is_table]
    figure, text = drawn(pd.concat([changes, pd.DataFrame([head])], ignore_index=True))
    assert "Masked head not checkable: B has none." in text
    assert "Token embeddings compared by 50 of 60 rows, of both." in text
    names = {label.get_text() for label in figure.axes[2].get_yticklabels()}
    assert names == {"token embeddings", "all weights"}


def test_what_moved_from_zero_has_no_share() -> None:
    moved = row("norm", 2, "moved", np.nan)
    figure, text = drawn(table(moved, whole=all_of("moved", 0.01)))
    assert title_of(figure) == "From A to B one part alone moved, the norms of layer 2, from zero"
    assert "nan" not in text


def test_no_direction_is_counted_where_none_stands_above_rounding() -> None:
    moved = row("attention_query", 2, "moved", 0.01, rank=0)
    figure, _ = drawn(table(moved, whole=all_of("moved", 0.01)))
    assert title_of(figure).endswith("the queries of layer 2, by 1 % of their norm")

"""Draws how far permuted texts move the states of each layer, from `measure_word_order`."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    legend_below,
    new_figure,
    percent,
    say_instead,
    shade,
)
from embspace.draw.page.looks import BLUE, GRAY, NULLS, VERMILION
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_word_order"
REMOVED = {
    "table": "its table of positions set to zero",
    "rotation": "all its position ids equal",
    "nothing": "no positions that can be removed",
}
COLUMNS = ["layer", "positions", "cosine", "distance", "distance_of_other_tokens"]
COLUMNS += ["random_weights_distance", "largest_distance"]


def draw_word_order(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the distance by layer with positions, and the largest one without them."""
    table, facts = results["csv"], results["json"]
    finding, subtitle = _finding(table, facts), _subtitle(table, facts, label)
    figure, axes = new_figure(
        1, 2, height_mm=height_mm, title=finding, subtitle=subtitle, stage=STAGE
    )
    title = f"Order of tokens in {label}"
    if table.empty:
        say_instead(axes, "the model reads no text")
        return figure, tables_page(title, STAGE, "The model reads no text.\n")
    kept, removed = (table[table["positions"] == name] for name in ("kept", "removed"))
    _with_positions(axes[0], kept)
    _without(axes[1], removed, facts)
    legend_below(figure, [axes[0], axes[1]], ncols=3)
    return figure, _tables(results, title, digits)


def _finding(table: pd.DataFrame, facts: dict[str, Any]) -> str:
    if table.empty:
        return "No order to look at: the model reads no text"
    last = table[table["positions"] == "kept"].iloc[-1]
    moved = f"with them its last states move by {percent(last['distance'])} of their norm"
    verdict = facts["knows_no_order_without_positions"]
    if verdict is None:
        return f"Positions cannot be taken away from this model; {moved} in a permuted text"
    if verdict:
        return f"Without positions a permuted text has the same states, permuted; {moved}"
    hidden = "" if facts["sees_later_tokens"] else ", for its mask hides later tokens"
    return f"Even without positions the model knows the order of tokens{hidden}; {moved}"


def _subtitle(table: pd.DataFrame, facts: dict[str, Any], label: str) -> str:
    if table.empty:
        return label
    return (
        f"{label}, {REMOVED[facts['removed']]} · ordinary tokens of {count(facts['n_texts'])} "
        f"texts ({count(facts['n_tokens'])} tokens) in random order, each state beside that of the "
        f"same token in the text as it is · band: {100 * table['level'].iloc[0]:g} % interval "
        "over texts"
    )


def _with_positions(ax: Axes, rows: pd.DataFrame) -> None:
    ax.plot(rows["layer"], rows["distance"], color=BLUE, marker="o", ms=4, label="trained")
    shade(ax, rows, "layer", "distance", color=BLUE, alpha=0.2)
    random = NULLS["random_initialization"]
    ax.plot(
        rows["layer"],
        rows["random_weights_distance"],
        color=random.color,
        ls=random.line,
        label=random.name,
    )
    others = "another token of the text as it is"
    ax.plot(rows["layer"], rows["distance_of_other_tokens"], color=GRAY, ls=":", label=others)
    ax.set(title="with positions", xlabel="layer (0: embedding output)")
    ax.set(ylabel="mean distance over the norm")
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _without(ax: Axes, rows: pd.DataFrame, facts: dict[str, Any]) -> None:
    if rows["largest_distance"].isna().all():
        ax.set_title("without positions")
        reason = "attention has positions inside, or none that is known, which cannot be removed"
        say_instead([ax], fill(reason, 40))
        return
    # A layer that rounds nothing has 0, which a logarithmic axis has no place for.
    shown = rows[rows["largest_distance"] > 0]
    ax.plot(
        shown["layer"],
        shown["largest_distance"],
        color=VERMILION,
        marker="s",
        ms=4,
        label="largest distance without positions",
    )
    ax.axhline(facts["tolerance"], color=GRAY, ls="--", lw=1, label="tolerance for rounding")
    ax.set_yscale("log")
    exact = ", ".join(map(str, rows.loc[rows["largest_distance"] == 0, "layer"]))
    title = f"without positions (layer {exact}: equal)" if exact else "without positions"
    ax.set(title=title, xlabel="layer (0: embedding output)")
    ax.set(ylabel="largest distance over the norm")
    ax.set_xlim(rows["layer"].min() - 0.3, rows["layer"].max() + 0.3)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(results: Results, title: str, digits: int) -> str:
    shown = results.for_readers("csv", columns=COLUMNS)
    seen = "see" if results["json"]["sees_later_tokens"] else "do not see"
    first = section(
        "States of permuted texts",
        "Each state is held against that of the same token in the text as it is, its distance over "
        "the norm of the latter; means over tokens, then over texts, with intervals over texts. "
        f"Tokens {seen} those after them. Another token is half a text away.",
        markdown_table(shown, digits, exact=["largest distance"]),
    )
    return tables_page(title, STAGE, first)

"""Draws how far permuted texts move the states of each layer, from `measure_word_order`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, new_figure, percent, say_instead, shade
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLUE, GRAY, NULLS, VERMILION
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_word_order"
RANDOM = NULLS["random_initialization"]
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
    """Draw how far states move in a permuted text, by layer, with positions and without."""
    table, facts = results["csv"], results["json"]
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title=_finding(table, facts),
        subtitle=_subtitle(table, facts, label),
        stage=STAGE,
    )
    title = f"Order of tokens in {label}"
    if table.empty:
        say_instead([ax], "the model reads no text")
        return figure, tables_page(title, STAGE, "The model reads no text.\n")
    kept, removed = (table[table["positions"] == name] for name in ("kept", "removed"))
    _by_layer(ax, kept, removed)
    return figure, _tables(results, title, digits)


def _finding(table: pd.DataFrame, facts: dict[str, Any]) -> str:
    if table.empty:
        return "No order to look at: the model reads no text"
    kept = table[table["positions"] == "kept"]
    most = kept[["distance", "random_weights_distance"]].max()
    moved = f"with them states move on average by up to {percent(most['distance'])} of their norm"
    is_largest_first = percent(kept["distance"].iloc[0]) == percent(most["distance"])
    if is_largest_first and len(kept) > 1:
        moved += f", at layer {kept['layer'].iloc[0]} already"
    if pd.notna(most["random_weights_distance"]):
        moved += f", with {RANDOM.name} by up to {percent(most['random_weights_distance'])}"
    verdict = facts["knows_no_order_without_positions"]
    if verdict is None:
        return f"Positions cannot be taken away from this model; {moved} in a permuted text"
    if verdict:
        return f"Without positions shuffling a text only shuffles its states; {moved}"
    hidden = "" if facts["sees_later_tokens"] else ", for its mask hides later tokens"
    return f"Even without positions the model knows the order of tokens{hidden}; {moved}"


def _subtitle(table: pd.DataFrame, facts: dict[str, Any], label: str) -> str:
    if table.empty:
        return label
    level = table["level"].iloc[0]
    return (
        f"{label} · without positions: {REMOVED[facts['removed']]} · another token: half a text "
        "away · ordinary tokens of "
        f"{count(facts['n_texts'])} texts ({count(facts['n_tokens'])} tokens) in random order, "
        "each state beside that of the same token in the text as it is · band: "
        f"{100 * level:g} % interval over texts"
    )


def _by_layer(ax: Axes, kept: pd.DataFrame, removed: pd.DataFrame) -> None:
    """Draw mean distances with positions and, where they can be removed, the largest without."""
    lines: list[tuple[pd.Series, str, dict[str, Any]]] = [
        (kept["distance_of_other_tokens"], "another token", {"color": GRAY, "ls": ":"}),
        (kept["random_weights_distance"], RANDOM.name, {"color": RANDOM.color, "ls": RANDOM.line}),
        (removed["largest_distance"], "without positions", {"color": VERMILION, "marker": "s"}),
        (kept["distance"], "with positions", {"color": BLUE, "marker": "o"}),
    ]
    for values, name, look in lines:
        if values.notna().any():
            name = f"{name}, up to {percent(round(values.max(), 3))}"
            ax.plot(kept["layer"].iloc[: len(values)], values, label=name, ms=4, **look)
    shade(ax, kept, "layer", "distance", color=BLUE, alpha=0.2)
    ax.set(xlabel="layer (0: embedding output)", ylabel="mean distance / norm of the state")
    ax.set_ylim(bottom=min(0, -0.03 * ax.get_ylim()[1]))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(ax)


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

"""Tells by layer how much the attention of heads differs, from `measure_head_features`."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt

from embspace.draw.attention.head_names import head_name
from embspace.draw.page.canvas import HALO, draw_line, write_beside
from embspace.draw.page.looks import BLUE, MODELS, VERMILION, Look
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.draw.page.wording import side_by_side

DRAWN_IN = "attention_patterns"
STAGE = "measure_head_features"
RESULTS = ("head_features/plane.csv", "head_features/divergence.csv")
LESS, MORE = "less than", "more than"
NEGLIGIBLE = 0.01  # bits
ROOM = 0.2  # of a panel's height, for a name below a line
LEAST = 0.001  # bits; fewer are said to be less than that
COMPARED = {
    "same_layer": Look("heads of the same layer", BLUE, "o", "-"),
    "other_layers": Look("heads of other layers", VERMILION, "s", "--"),
}
DIVERGENCES = {
    **same("layer"),
    "compared_with": "compared with",
    **interval("divergence", "divergence (bits)"),
    "random_weights": "random weights",
}
NEAREST = {"head": "head", "nearest": "nearest head", "nearest_divergence": "divergence (bits)"}


def draw_head_map(
    results: dict[str, Any], label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return how much heads of the same layer and of different layers differ, and tables."""
    plane, divergence = results["head_features/plane"], results["head_features/divergence"]
    title = f"Map of heads of {label}"
    if plane.empty:
        none = "There are no two heads to compare.\n"
        return _finding(divergence), tables_page(title, STAGE, none)
    return _finding(divergence), _tables(plane, divergence, title, digits)


def _finding(divergence: pd.DataFrame) -> str:
    if divergence.empty:
        return "No heads: the model reads no text, or gives no attention of every layer"
    means = divergence[divergence["layer"].isna()].set_index("compared_with")
    own, other = means.loc[[*COMPARED], "divergence"].to_numpy(float)
    random = means["random_weights"].to_numpy(float)[0]
    verdict = beside_others(divergence)
    if is_negligible(divergence):
        beside = "" if np.isnan(random) else f", with random weights by {_small(random)}"
        return (
            f"All heads attend alike: they differ by {_small(np.nanmax([own, other]))} bits{beside}"
        )
    is_sure = verdict in (LESS, MORE)
    one, two = side_by_side([own, other], 2, differ=is_sure)
    beside = "" if np.isnan(random) else f"; with random weights by {_small(random)}"
    if not verdict:
        place, bits = ("one layer", one) if np.isnan(other) else ("different layers", two)
        return f"Heads of {place} differ by {bits} bits{beside}"
    if one == two and is_sure:  # the digits of a title do not tell them apart
        return (
            f"Heads of one layer differ by {one} bits, as much as those of different layers{beside}"
        )
    return (
        f"Heads of one layer differ by {one} bits, {verdict} those of different layers, "
        f"{two} bits{beside}"
    )


def beside_others(divergence: pd.DataFrame) -> str:
    """Return whether heads of one layer differ less than those of other layers, in words.

    Nothing is said where no difference is known: a model of one layer has no other layers.
    """
    means = divergence[divergence["layer"].isna()].set_index("compared_with")
    less = means.loc["difference"]
    if np.isnan(less["divergence"]):
        return ""
    if less["divergence_low"] > 0:
        return LESS
    return MORE if less["divergence_high"] < 0 else "not clearly otherwise than"


def is_negligible(divergence: pd.DataFrame) -> bool:
    """Return whether heads differ by less than a hundredth of a bit on average."""
    means = divergence[divergence["layer"].isna()].set_index("compared_with")
    return bool(means.loc[[*COMPARED], "divergence"].max() < NEGLIGIBLE)


def _small(bits: float) -> str:
    """Return a number that may be near 0, without an exponent."""
    return f"less than {LEAST:g}" if 0 < bits < LEAST else f"{bits:.2g}"


def draw_divergence(ax: Axes, divergence: pd.DataFrame) -> None:
    """Draw by layer how much the heads differ, among themselves and from other layers' heads."""
    by_layer = divergence[divergence["layer"].notna()]
    for name, look in COMPARED.items():
        rows = by_layer[by_layer["compared_with"] == name]
        draw_line(ax, rows, "layer", "divergence", look)
    rows = by_layer[by_layer["compared_with"] == "same_layer"]
    draw_line(ax, rows, "layer", "random_weights", MODELS["random"])
    if rows["random_weights"].notna().any():
        place = (rows["layer"].mean(), rows["random_weights"].mean())
        name = f"{MODELS['random'].name}, same layer"
        # Below, where there is room, for the lines of the model are most often above.
        is_low = place[1] < ROOM * ax.get_ylim()[1]
        at: dict[str, Any] = {"ha": "center", "va": "baseline" if is_low else "top"}
        write_beside(ax, name, place, (0, 6 if is_low else -6), path_effects=HALO, **at)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(
        title="Difference of heads by layer",
        xlabel="layer",
        ylabel="Jensen-Shannon divergence (bits)",
    )
    ax.set_ylim(bottom=0)


def _tables(plane: pd.DataFrame, divergence: pd.DataFrame, title: str, digits: int) -> str:
    pairs = plane.sort_values("nearest_divergence", kind="stable").head(12)
    names = {
        "head": map(head_name, pairs["layer"], pairs["head"]),
        "nearest": map(head_name, pairs["nearest_layer"], pairs["nearest_head"]),
        "nearest_divergence": pairs["nearest_divergence"],
    }
    nearest = section(
        "Heads most alike",
        "Named by layer and head.",
        markdown_table(
            pd.DataFrame({key: list(column) for key, column in names.items()}).rename(
                columns=NEAREST
            ),
            digits,
        ),
    )
    return tables_page(title, STAGE, divergence_section(divergence, digits), nearest)


def divergence_section(divergence: pd.DataFrame, digits: int) -> str:
    """Return the table of the divergences by layer, under a heading."""
    words = {name: look.name for name, look in COMPARED.items()} | {"difference": "difference"}
    shown = divergence.assign(compared_with=divergence["compared_with"].map(words))
    return section(
        "Divergence",
        "From 0, equal attention, to 1, no key in common. The difference is that from other layers "
        "less that in the same layer, over the same texts; a row without a layer is the mean.",
        markdown_table(shown.reindex(columns=[*DIVERGENCES]).rename(columns=DIVERGENCES), digits),
    )

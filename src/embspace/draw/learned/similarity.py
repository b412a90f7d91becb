"""Draws the figure and the tables of `measure_similarity`, after Luisto's figure 10."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    ARROW,
    QUANTITIES,
    absent,
    counted,
    legend_below,
    new_figure,
    quantile_range,
    say_instead,
    step,
)
from embspace.draw.page.looks import CLOUDS, SPACES, names
from embspace.draw.page.markdown import (
    code,
    markdown_table,
    section,
    tables_page,
)
from embspace.draw.page.saving import Results
from embspace.draw.page.token_kinds import drawable
from embspace.draw.page.wording import side_by_side
from embspace.files.tables import coarse_quantiles
from embspace.geometry.pairs.directions import norms

FURTHER_RESULTS = ("data/extracted/embeddings.safetensors", "data/extracted/embeddings.parquet")
ORDERS = {
    "largest": "Most similar",
    "nearest_to_zero": "Most nearly orthogonal",
    "smallest": "Least similar",
}
TOKEN_SETS = {
    "ordinary": ("tokens", "All tokens but special and unused ones."),
    "word": ("words", "Letters alone, from the start of a word."),
}


def draw_similarity(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_pairs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the densities of norms, distances, dot products and cosines by space."""
    summary, histogram = results["summary"], results["histogram"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_finding(summary),
        subtitle=f"{label} · raw learned matrices · {_population(summary)} · all pairs · "
        "axes cut at the 1 % and 99 % quantiles",
        stage="measure_similarity",
    )
    for ax, quantity in zip(axes, QUANTITIES, strict=True):
        if quantity not in set(histogram["quantity"]):
            say_instead([ax], f"{QUANTITIES[quantity]}: undefined, of vectors of length zero")
            continue
        for space in SPACES:
            rows = histogram[(histogram["space"] == space) & (histogram["quantity"] == quantity)]
            # A narrow peak would press all others to the axis.
            rows = rows.assign(density=rows["density"] / rows["density"].max())
            look = SPACES[space]
            step(ax, rows, look.name, look.color, look.line)
        ax.set(xlabel=QUANTITIES[quantity], ylabel="density, largest = 1", ylim=(0, 1.22))
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.locator_params(axis="x", nbins=6)
        ax.set_xlim(*quantile_range(summary[summary["quantity"] == quantity]))
    _name_longest(axes[0], results)
    legend_below(figure, axes[-1:], ncols=3)
    return figure, _tables(results, label, n_pairs, digits)


def _finding(summary: pd.DataFrame) -> str:
    median = summary[summary["quantity"] == "norm"].set_index("space")["quantile_0.5"]
    if "positional" not in median:
        return f"The median token embedding has norm {median['input']:.2f}"
    both = [float(median[space]) for space in ("input", "positional")]
    token, position = side_by_side(both, 2, differ=False)
    if token == position:
        return f"Token embeddings are as long as position embeddings: norm {token}"
    return (
        f"Token embeddings are {'longer' if both[0] > both[1] else 'shorter'} than position "
        f"embeddings: norm {token} against {position}"
    )


def _name_longest(ax: Axes, results: Results) -> None:
    """Name the longest position and the longest token if the axis does not reach them."""
    _, right = ax.get_xlim()
    tokens = results["data/extracted/embeddings.parquet"]["token"]
    for space in ("positional", "input"):
        matrix = results["data/extracted/embeddings.safetensors"].get(space)
        length = norms(matrix) if matrix is not None else np.zeros(1)
        number = int(length.argmax())
        if length[number] > right:
            name = (
                f"position {number}"
                if space == "positional"
                else f"“{drawable(str(tokens[number]))}”"
            )
            height = 1.13 if space == "positional" else 1.05
            look: dict[str, Any] = {"ha": "right", "fontsize": 7, "color": SPACES[space].color}
            ax.text(right, height, f"{name}: {length[number]:.2f}{ARROW.rstrip()}", **look)


def _population(summary: pd.DataFrame) -> str:
    n = summary[summary["quantity"] == "norm"].set_index("space")["n"]
    parts = [counted(n["input"], "token")]
    if "positional" in n:
        parts.append(counted(n["positional"], "position"))
    return ", ".join(parts)


def _tables(results: Results, label: str, n_pairs: int, digits: int) -> str:
    summary, pairs = results["summary"], results["pairs"]
    named = summary.assign(quantity=summary["quantity"].str.replace("_", " "))
    shown = results.for_readers("summary", named, space=names(CLOUDS | SPACES))
    has_positions = "positional" in set(summary["space"])
    reason = "" if has_positions else f" {absent(label, 'positional')}"
    told = coarse_quantiles(summary)
    note = f"Over all vectors or pairs.{reason}{' ' * bool(told)}{told}"
    sections = [section("Distributions", note, markdown_table(shown, digits))]
    for tokens, (name, note) in TOKEN_SETS.items():
        for order, title in ORDERS.items():
            rows = pairs[(pairs["tokens"] == tokens) & (pairs["order"] == order)][:n_pairs]
            rows = rows.assign(token_1=rows["token_1"].map(code), token_2=rows["token_2"].map(code))
            shown = results.for_readers("pairs", rows)
            exact = ["cosine"] if order == "nearest_to_zero" else []
            sections.append(section(f"{title} {name}", note, markdown_table(shown, digits, exact)))
    title = f"Norms and pairs of the learned vectors of {label}"
    return tables_page(title, "measure_similarity", *sections)

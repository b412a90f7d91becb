"""Figure and tables of `measure_similarity`: Luisto's figure 10 and table 2."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import (
    QUANTITIES,
    absent,
    counted,
    legend_below,
    new_figure,
    quantile_range,
    say_instead,
    step,
)
from embspace.draw.page.looks import SPACES
from embspace.draw.page.markdown import DISTRIBUTION, code, markdown_table, section

RESULTS = ("summary.csv", "histogram.csv", "pairs.csv")
ORDERS = {
    "largest": "Most similar",
    "nearest_to_zero": "Most nearly orthogonal",
    "smallest": "Least similar",
}
SUMMARY = {"space": "space", "quantity": "quantity", **DISTRIBUTION}
TOKEN_SETS = {
    "ordinary": ("tokens", "All tokens but special and unused ones."),
    "word": ("words", "Letters alone, from the start of a word."),
}


def draw_similarity(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_pairs: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Densities of norms, distances, dot products and cosines by space; the extreme pairs."""
    summary, histogram = results["summary"], results["histogram"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title="Norms, distances, dot products and cosines of the learned vectors",
        subtitle=f"{label} · raw learned matrices · {_population(summary)} · all pairs · "
        "axes cut near the 1 % and 99 % quantiles",
        stage="measure_similarity",
    )
    for ax, quantity in zip(axes, QUANTITIES, strict=True):
        if quantity not in set(histogram["quantity"]):
            say_instead([ax], f"{QUANTITIES[quantity]}: undefined, of vectors of length zero")
            continue
        for space in SPACES:
            rows = (histogram["space"] == space) & (histogram["quantity"] == quantity)
            step(ax, histogram[rows], *SPACES[space][:2])
        ax.set(xlabel=QUANTITIES[quantity], ylabel="density", ylim=(0, None))
        ax.locator_params(axis="x", nbins=6)
        ax.set_xlim(*quantile_range(summary[summary["quantity"] == quantity]))
    legend_below(figure, axes[-1:], ncols=3)
    return figure, _tables(summary, results["pairs"], label, n_pairs, digits)


def _population(summary: pd.DataFrame) -> str:
    n = summary[summary["quantity"] == "norm"].set_index("space")["n"]
    parts = [counted(n["input"], "token")]
    if "positional" in n:
        parts.append(counted(n["positional"], "position"))
    return ", ".join(parts)


def _tables(
    summary: pd.DataFrame, pairs: pd.DataFrame, label: str, n_pairs: int, digits: int
) -> str:
    shown = summary[[*SUMMARY]].rename(columns=SUMMARY)
    has_positions = "positional" in set(summary["space"])
    reason = "" if has_positions else f" {absent(label, 'positional')}"
    sections = [
        f"# Norms and pairs of the learned vectors of {label}\n\nStage `measure_similarity`.\n",
        section(
            "Distributions", f"Over all vectors or pairs.{reason}", markdown_table(shown, digits)
        ),
    ]
    for tokens, (name, note) in TOKEN_SETS.items():
        for order, title in ORDERS.items():
            rows = pairs[(pairs["tokens"] == tokens) & (pairs["order"] == order)][:n_pairs]
            shown = pd.DataFrame(
                {
                    "token 1": rows["token_1"].map(code),
                    "token 2": rows["token_2"].map(code),
                    "cosine": rows["cosine"],
                    "Euclidean distance": rows["euclidean_distance"],
                }
            )
            exact = ["cosine"] if order == "nearest_to_zero" else []
            sections.append(section(f"{title} {name}", note, markdown_table(shown, digits, exact)))
    return "\n".join(sections)

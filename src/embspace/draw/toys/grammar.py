"""Draws exact quantities of the generated language beside those that `measure_grammar` took."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure
from embspace.draw.page.looks import BLACK, BLUE
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "measure_grammar"
AGREEMENT = {
    "distance": ("Distance of agreement", "words from noun to verb"),
    "attractors": ("Attractors", "nouns of the other number\nbetween noun and verb"),
}


def draw_grammar(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    smallest_probability: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw entropies per word and both distributions of agreement, exact and in texts."""
    summary, agreement = results["summary"], results["agreement"]
    agreement = agreement[agreement["exact"] >= smallest_probability]
    quantities = summary.set_index("quantity")
    subtitle = (
        f"{label} · exact from the rules, measured in "
        f"{counted(quantities['n']['entropy'], 'document')} · bars: two standard "
        "errors · band: exact bounds"
    )
    figure, axes = new_figure(
        1, 3, height_mm=height_mm, title=_finding(quantities), subtitle=subtitle, stage=STAGE
    )
    _entropies(axes[0], quantities)
    for ax, (quantity, (title, words)) in zip(axes[1:], AGREEMENT.items(), strict=True):
        rows = agreement[agreement["quantity"] == quantity]
        _distribution(ax, rows)
        ax.set(title=title, xlabel=words, ylim=(0, None))
    axes[1].set_ylabel("share of main clauses")
    axes[2].legend(loc="upper right")
    return figure, _tables(summary, agreement, label, digits)


def _finding(quantities: pd.DataFrame) -> str:
    exact, entropy = quantities["exact"], quantities.loc["entropy"]
    low, high = exact["entropy_lower_bound"], exact["entropy_upper_bound"]
    error = 2 * entropy["standard_error"]
    inside = low - error <= entropy["measured"] <= high + error
    return (
        f"The generated texts have {entropy['measured']:.2f} nats per word, "
        f"{'between' if inside else 'outside'} the exact bounds {low:.2f} and {high:.2f}"
    )


def _entropies(ax: Axes, quantities: pd.DataFrame) -> None:
    exact, entropy = quantities["exact"], quantities.loc["entropy"]
    bounds = (exact["entropy_lower_bound"], exact["entropy_upper_bound"])
    ax.axhspan(*bounds, color=BLUE, alpha=0.35, linewidth=0)
    error = 2 * entropy["standard_error"]
    ax.errorbar([0], [entropy["measured"]], yerr=[error], fmt="o", color=BLUE, markersize=3)
    single = exact["entropy_of_single_words"]
    ax.plot([1], [single], "o", color=BLACK, markersize=6, markerfacecolor="none")
    ax.set_xticks([0, 1], ["by the rules", "by frequency\nof words"])
    ax.set(xlim=(-0.5, 1.5), ylim=(0, 1.1 * single), ylabel="nats per word")
    ax.set_title("Entropy")
    ax.grid(visible=False, axis="x")


def _distribution(ax: Axes, rows: pd.DataFrame) -> None:
    ring: dict[str, Any] = {"markersize": 6, "markerfacecolor": "none"}
    ax.plot(rows["count"], rows["exact"], "o", color=BLACK, label="exact", **ring)
    error = 2 * rows["standard_error"]
    bars: dict[str, Any] = {"fmt": "o", "color": BLUE, "markersize": 3, "label": "measured"}
    ax.errorbar(rows["count"], rows["measured"], yerr=error, **bars)
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %", decimals=0))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(summary: pd.DataFrame, agreement: pd.DataFrame, label: str, digits: int) -> str:
    words = summary.assign(quantity=summary["quantity"].str.replace("_", " "))
    first = section(
        "Quantities",
        "Exact values follow from the rules; measured ones are means over n documents, "
        "sentences or main clauses. The entropy lies between its bounds.",
        markdown_table(words.astype({"n": "Int64"}), digits),
    )
    more = section(
        "Agreement of noun and verb",
        "The share of main clauses with each distance from noun to verb, in words, "
        "and with each number of attractors, nouns of the other number between them. "
        "Those of a small probability are left out.",
        markdown_table(agreement, digits),
    )
    heading = f"# The generated language, {label}\n\nStage `measure_grammar`.\n"
    return f"{heading}\n{first}\n{folded(more)}"

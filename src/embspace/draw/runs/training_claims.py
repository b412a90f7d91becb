"""Draws figure and table of `measure_training_claims`: which claims hold of which run, by seed."""

from math import inf
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, join_panels, legend_below, new_figure, say_instead
from embspace.draw.page.looks import GREEN, VERDICTS
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import size_of, with_runs

STATISTICS = {"value": "statistic", "second_value": "second_statistic"}
LINE = 46  # characters that half the figure's width holds
AROUND_MM = 17.0  # that the title and the axis of a panel take
APART = 0.22  # of a run's row, between two seeds
# What each claim is about, with anisotropy for the share of variance along the first axis.
CLAIMS = {
    "flat over layers": "anisotropy is flat over layers",
    "bell-shaped over layers": "anisotropy is a bell over layers",
}
# Stands at an axis; the table has the statistic in full.
SHORT = {
    "top variance share, range over the blocks, over the mean": (
        "range over the blocks (share of mean)"
    ),
    "top variance share, middle third of the blocks less the others, over the mean": (
        "middle third less the others (share of mean)"
    ),
    "largest of the inner blocks less the larger of the first and the last": (
        "largest inner block less the larger end"
    ),
    "rank correlation of the step with the top variance share, mean over blocks": (
        "rank correlation of anisotropy with the step"
    ),
    "share of its range that the last quarter of checkpoints moves by": (
        "change in the last quarter (share of range)"
    ),
    "rise of the TwoNN dimension, mean over blocks, to its largest, as a share of that": (
        "rise of the dimension to its largest (share)"
    ),
    "fall from its largest to the last checkpoint, as a share of that": (
        "fall from its largest to the end (share)"
    ),
}


def draw_training_claims(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a panel for each statistic of a claim: a row for each run, a mark for each seed.

    The mark is that of the verdict on the claim as a whole; the condition on the statistic is
    shaded. A run that only classifies has no row.
    """
    heading = "# Claims on training\n\nStage `measure_training_claims`.\n"
    if results["csv"].empty:
        figure, axes = _page(1, 1, 40.0, "No published claim on training is about a run", label)
        say_instead(axes, f"{label}: no run models language, and no claim is about another")
        return figure, f"{heading}\nNone.\n"
    table = with_runs(results["csv"], label).sort_values(["section", "claimed_of", "run", "seed"])
    groups = [rows for _, rows in table.groupby(["section", "claim"], sort=False)]
    heights = [AROUND_MM + row_height_mm * rows["run"].nunique() for rows in groups]
    figure, axes = _page(len(groups), 2, 30 + sum(heights), _title(table), size_of(table))
    gridspec = axes[0].get_gridspec()
    if gridspec is not None:
        gridspec.set_height_ratios(heights)
    panels = [
        ax
        for number, rows in enumerate(groups)
        for ax in _claim(axes[2 * number : 2 * number + 2], rows)
    ]
    legend_below(figure, panels, ncols=4)
    return figure, f"{heading}\n{_tables(table, digits)}"


def _page(
    n_rows: int, n_columns: int, height_mm: float, title: str, size: str
) -> tuple[Figure, list[Axes]]:
    figure, axes = new_figure(
        n_rows,
        n_columns,
        height_mm=height_mm,
        title=title,
        subtitle=f"{size} · a mark for each seed · claims of Razzhigaev et al. 2024, sections 4.1 "
        "to 4.3 · without layer 0; a verdict that layer 0 would turn depends on the rule",
        stage="measure_training_claims",
    )
    return figure, list(axes)


def _title(table: pd.DataFrame) -> str:
    """Return in how many of the models that it speaks of each claim holds."""
    own = table[table["claimed_of"] == table["kind"]]
    claims: dict[str, list[str]] = {}
    for (claim, kind), rows in own.groupby(["claim", "claimed_of"], sort=False):
        held = f"{(rows['verdict'] == 'matches').sum()} of {counted(len(rows), str(kind))}"
        claims[held] = [*claims.get(held, []), f"“{CLAIMS.get(str(claim), str(claim))}”"]
    is_held = own["verdict"].eq("matches").groupby(own["claim"]).min()
    verb = "holds" if is_held.sum() == 1 else "hold"
    words = f"{is_held.sum()} of {counted(len(is_held), 'published claim')} {verb} in every model"
    found = [f"{' and '.join(each)} in {held}" for held, each in claims.items()]
    return f"{words} ({'; '.join(found)})"


def _claim(axes: list[Axes], rows: pd.DataFrame) -> list[Axes]:
    """Draw the panels of a claim, one over both places where it has a single statistic."""
    names = [name for name, words in STATISTICS.items() if rows[words].fillna("").any()]
    panels = axes if len(names) == len(axes) else [join_panels(axes)]
    for ax, name in zip(panels, names, strict=True):
        _panel(ax, rows, name)
    first = rows.iloc[0]
    claim = CLAIMS.get(first["claim"], first["claim"])
    title, kind = f"{first['section']}  {claim}", f"(claimed of {first['claimed_of']}s)"
    panels[0].set_title(title if len(panels) > 1 else f"{title} {kind}")
    for ax in panels[1:]:
        ax.set_title(f"second condition {kind}")
        ax.set_yticklabels([])
    return panels


def bounds_of(rule: str, name: str) -> tuple[float, float]:
    """Return the values between which a rule on a statistic holds, infinite where it is open."""
    low, high = -inf, inf
    for part in rule.split(" and "):
        column, sign, bound = part.split()
        if column == name and sign.startswith(">"):
            low = float(bound)
        elif column == name:
            high = float(bound)
    return low, high


def _panel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """Draw a statistic by run and seed, and shade where the condition on it holds."""
    low, high = bounds_of(rows["holds_if"].iloc[0], name)
    finite = [bound for bound in (low, high) if abs(bound) < inf]
    left, right = _with_room([*rows[name].dropna(), *finite])
    for bound in finite:
        ax.axvline(bound, color=GREEN, linewidth=1)
    shaded: dict[str, Any] = {"color": GREEN, "alpha": 0.15, "lw": 0, "label": "condition holds"}
    ax.axvspan(max(low, left), min(high, right), **shaded)
    runs, place = list(dict.fromkeys(rows["run"])), rows.groupby("run").cumcount()
    n_seeds = rows.groupby("run")["seed"].transform("size")
    y = rows["run"].map(runs.index) + APART * (place - (n_seeds - 1) / 2)
    for verdict, look in VERDICTS.items():
        chosen = (rows["verdict"] == verdict) & rows[name].notna()
        if chosen.any():
            words = f"claim: {look.name}"
            mark: dict[str, Any] = {"marker": look.marker, "color": look.color, "ms": 4.5}
            ax.plot(rows.loc[chosen, name], y[chosen], ls="", label=words, zorder=3, **mark)
    ax.set(xlim=(left, right), ylim=(len(runs) - 0.5, -0.5))
    ax.set_yticks(range(len(runs)), runs)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    words = str(rows[STATISTICS[name]].iloc[0])
    ax.set_xlabel(fill(SHORT.get(words, words), LINE))
    if not rows[name].notna().any():
        ax.text(0.5, 0.5, VERDICTS["not checkable"].name, transform=ax.transAxes, ha="center")


def _with_room(values: list[float]) -> tuple[float, float]:
    """Return the ends of an axis off whose edges values and bounds lie, with 0 to compare with."""
    low, high = min([*values, 0.0]), max([*values, 0.0])
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin


def _tables(table: pd.DataFrame, digits: int) -> str:
    """Return the verdicts by claim and run, and folded all statistics by seed."""
    counts = table.groupby(["section", "claim", "claimed_of", "run", "verdict"], sort=False).size()
    named = [
        f"{verdict} ({n})"
        for verdict, n in zip(counts.index.get_level_values(-1), counts, strict=True)
    ]
    cells = counts.reset_index().assign(words=named)
    keys = ["section", "claim", "claimed_of"]
    matrix = cells.groupby([*keys, "run"], sort=False)["words"].agg("; ".join).unstack()
    shown = matrix.fillna("not asked").reset_index().astype({"section": str})
    note = (
        "With the number of seeds. Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3; "
        "the claims on training are asked of encoders, too. A claim depends on the rule where its "
        "verdict is another if the embeddings are one of the layers; it is undecided where one "
        "checkpoint less, or other batches, would move it across its bound."
    )
    rules = "The rules stand in conf/measure/runs/training_claims.yaml."
    every = markdown_table(table.astype({"section": str}), digits)
    return "\n".join(
        [
            section("Verdicts, by claim and run", note, markdown_table(shown, digits)),
            folded(section("Statistics, by seed", rules, every)),
        ]
    )

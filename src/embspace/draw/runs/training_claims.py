"""Figure and table of `measure_training_claims`: which claims hold of a run, by seed."""

from math import inf
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead
from embspace.draw.page.looks import GREEN, VERDICTS
from embspace.draw.page.markdown import markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("csv",)
STATISTICS = ("value", "second_value")
LINE = 46  # characters that half the figure's width holds
# What stands at an axis; the table has the statistic in full.
SHORT = {
    "top variance share, middle third of the blocks less the others, over the mean": (
        "Middle third less the others (share of mean)"
    ),
    "largest of the inner blocks less the larger of the first and the last": (
        "Largest inner block less the larger end"
    ),
    "rank correlation of the step with the top variance share, mean over blocks": (
        "Rank correlation of anisotropy with the step"
    ),
    "share of its range that the last quarter of checkpoints moves by": (
        "Change in the last quarter (share of range)"
    ),
    "rise of the TwoNN dimension, mean over blocks, to its largest, as a share of that": (
        "Rise of the dimension to its largest (share)"
    ),
    "fall from its largest to the last checkpoint, as a share of that": (
        "Fall from its largest to the end (share)"
    ),
}


def draw_training_claims(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """One row a claim, one panel a statistic of it, one mark a seed, with the claim's verdict."""
    table = results["csv"]
    claims = list(dict.fromkeys(table["claim"]))
    n_columns = 2 if table["second_statistic"].fillna("").any() else 1
    figure, axes = new_figure(
        max(len(claims), 1),
        n_columns,
        height_mm=row_height_mm * max(len(claims), 1) + 26,
        title=_finding(table),
        subtitle=f"{label} · {counted(table['seed'].nunique(), 'seed')} · Razzhigaev et al. 2024 · "
        "blocks alone, without the embeddings",
        stage="measure_training_claims",
    )
    heading = f"# Claims on training, {label}\n\nStage `measure_training_claims`.\n"
    if table.empty:
        say_instead(axes, f"{label}: models no language, so that no claim is about it")
        return figure, f"{heading}\nNone.\n"
    for number, claim in enumerate(claims):
        rows = table[table["claim"] == claim]
        for column, name in enumerate(STATISTICS[:n_columns]):
            _panel(axes[number * n_columns + column], rows, name)
        axes[number * n_columns].set_title(_title(rows.iloc[0]), loc="left")
    legend_below(figure, axes, ncols=2)
    text = section(
        "Verdicts, by seed",
        "Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3. The rules stand in "
        "conf/measure/runs/training_claims.yaml. A claim depends on the rule where its verdict is "
        "another if the embeddings are one of the layers.",
        markdown_table(table.assign(section=table["section"].astype(str)), digits),
    )
    return figure, f"{heading}\n{text}"


def _finding(table: pd.DataFrame) -> str:
    """Return which claims hold in how many seeds."""
    if table.empty:
        return "No published claim on training is about this run"
    held = table.groupby("claim", sort=False)["verdict"].agg(
        lambda verdicts: (verdicts == "matches").sum()
    )
    n_seeds = table["seed"].nunique()
    full = [str(claim) for claim, n in held.items() if n == n_seeds]
    some = [f"{claim} ({n} of {n_seeds})" for claim, n in held.items() if 0 < n < n_seeds]
    number = len(full) or "None"
    words = f"{number} of {counted(len(held), 'published claim')} hold in every seed"
    words += f": {'; '.join(full)}" if full else ""
    return words + (f"; in some: {'; '.join(some)}" if some else "")


def _title(row: pd.Series) -> str:
    """The claim, and of which kind it is, where that is another."""
    other = "" if row["claimed_of"] == row["kind"] else f" (of {row['claimed_of']}s)"
    return f"{row['section']}  {row['claim']}{other}"


def bounds_of(rule: str, name: str) -> tuple[float, float]:
    """Between which values of a statistic a rule, as in `holds_if`, holds; infinite where open."""
    low, high = -inf, inf
    for part in rule.split(" and "):
        column, sign, bound = part.split()
        if column == name and sign.startswith(">"):
            low = float(bound)
        elif column == name:
            high = float(bound)
    return low, high


def _panel(ax: Axes, rows: pd.DataFrame, name: str) -> None:
    """One statistic of a claim: where the rule holds, and where the seeds are."""
    words = rows["statistic" if name == "value" else "second_statistic"].fillna("").iloc[0]
    if not words:
        ax.set_axis_off()
        return
    seeds = list(rows["seed"])
    low, high = bounds_of(rows["holds_if"].iloc[0], name)
    finite = [bound for bound in (low, high) if abs(bound) < inf]
    for bound in finite:
        ax.axvline(bound, color=GREEN, linewidth=1)
    left, right = _with_room([*rows[name].dropna(), *finite])
    ax.set_xlim(left, right)
    span = max(low, left), min(high, right)
    ax.axvspan(*span, color=GREEN, alpha=0.15, lw=0, label="condition holds")
    for verdict, look in VERDICTS.items():
        of_verdict = rows[(rows["verdict"] == verdict) & rows[name].notna()]
        if len(of_verdict):
            y = [seeds.index(seed) for seed in of_verdict["seed"]]
            words_of = f"the claim as a whole: {look.name}"
            ax.plot(of_verdict[name], y, look.marker, color=look.color, label=words_of, zorder=3)
            for value, height in zip(of_verdict[name], y, strict=True):
                near = [bound for bound in finite if abs(value - bound) < 0.2 * (right - left)]
                to_left = value < near[0] if near else value > (left + right) / 2
                _write_beside(ax, value, height, to_left=to_left)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.set_yticks(range(len(seeds)), [f"seed {seed}" for seed in seeds])
    ax.set_ylim(len(seeds) - 0.4, -0.6)
    ax.set_xlabel(fill(SHORT.get(words, words), LINE))
    if not rows[name].notna().any():
        ax.text(0.5, 0.5, VERDICTS["not checkable"].name, transform=ax.transAxes, ha="center")


def _write_beside(ax: Axes, value: float, height: int, *, to_left: bool) -> None:
    """The number, for a mark may lie on a bound."""
    ax.annotate(
        f"{round(value, 3) + 0.0:.3f}".replace("-", "\N{MINUS SIGN}"),  # + 0.0: no minus before 0
        (value, height),
        (-6 if to_left else 6, 0),
        textcoords="offset points",
        ha="right" if to_left else "left",
        va="center",
        fontsize=7,
    )


def _with_room(values: list[float]) -> tuple[float, float]:
    """The ends of an axis off whose edges values and bounds lie, with 0 to compare with."""
    low, high = min([*values, 0.0]), max([*values, 0.0])
    margin = 0.25 * (high - low) or 1.0  # the numbers beside the marks take a sixth of the width
    return low - margin, high + margin

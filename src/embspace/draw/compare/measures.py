"""Figure and tables of `compare_measures`: what was measured of two models, side by side."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.compare.measure_tables import consistencies, tables_of
from embspace.draw.page.canvas import counted, legend_below, new_figure, percent, say_instead
from embspace.draw.page.looks import BLACK, BLUE, VERMILION
from embspace.settings.params import models_of

RESULTS = ("csv",)
HALF = 0.5  # of the variance
SIDES = {"model_value": (BLUE, "-"), "other_model_value": (VERMILION, "--")}  # color and line
SEARCH = ("search", "search", " / mean / as_is", "recall_at_1")  # the group after its corpus
SENSES = ("homonyms", "recovery", "centered / cosine", "accuracy")
OTHER_UNITS = "other units"  # what `compare_measures` says of bounds that there cannot be

Models = tuple[str, str]


def draw_measures(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    profile_length: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw search, senses, differences of sentences, variance and positions of two models.

    Positions are Luisto's figure 15: another model's beside the first one's, up to an offset of
    `profile_length`. `label` joins the labels of the pair.
    """
    table, models = results["csv"], models_of(label)
    paired = consistencies(table)["n_paired"]
    n = counted(paired.max(), "pair") if len(paired) else "no pairs"
    figure, axes = new_figure(
        2,
        3,
        height_mm=height_mm,
        title=_title(table, models),
        subtitle=f"{models[0]} and {models[1]} · mean pooling · all learned vectors · {n} of "
        f"sentences a category, {models[0]} less {models[1]}, intervals over pairs",
        stage="compare_measures",
    )
    _layers(axes[0], _search(table), models, "Other half found", "Texts")
    _layers(axes[1], _senses(table), models, "Sense told", "Sentences")
    _paired(axes[2], table, models)
    _curves(axes[3], table, models, "input", "Variance of tokens")
    _curves(axes[4], table, models, "positional", "Variance of positions")
    _profiles(axes[5], table, models, profile_length)
    legend_below(figure, axes, ncols=2)
    return figure, tables_of(table, f"{models[0]} and {models[1]}", digits)


def _title(table: pd.DataFrame, models: Models) -> str:
    """Return which share of texts either model finds by their other half at its last layer.

    Where neither has searched, return how many components hold half of the variance of tokens.
    """
    found = _search(table)
    if len(found):
        shares = [f"{percent(found[side].dropna().iloc[-1])}" for side in SIDES]
        corpus = found["group"].iloc[0].partition(" / ")[0]
        return (
            f"The last layer of {models[0]} finds the other half of {shares[0]} of {corpus}, "
            f"that of {models[1]} of {shares[1]}"
        )
    curve = _along(table, "explained_variance", "curve", "input")
    halves = {
        model: curve.loc[curve[side] >= HALF, "at"].min()
        for model, side in zip(models, SIDES, strict=True)
    }
    components = [f"{n:.0f} in {model}" for model, n in halves.items() if n == n]
    if not components:
        return f"{models[0]} and {models[1]} have no measure in common"
    return f"Half of the variance of token embeddings takes components: {', '.join(components)}"


def _along(table: pd.DataFrame, noun: str, name: str, group: str) -> pd.DataFrame:
    """Return the rows of a group of a table of a noun, in order."""
    rows = table[(table["noun"] == noun) & (table["table"] == name)]
    return rows[rows["group"].fillna("") == group].sort_values("at")


def _search(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of texts found by layer, of the first corpus that both models searched."""
    noun, name, ending, quantity = SEARCH
    rows = table[(table["noun"] == noun) & table["group"].fillna("").str.endswith(ending)]
    rows = rows[(rows["table"] == name) & (rows["quantity"] == quantity) & rows["at"].notna()]
    for _, of_corpus in rows.groupby("group", sort=False):
        if of_corpus[[*SIDES]].notna().any().all() and not _of_other_units(of_corpus):
            return of_corpus.sort_values("at")
    return rows[:0]


def _of_other_units(rows: pd.DataFrame) -> bool:
    """Return whether the models have read other texts or words: fewer texts are found sooner."""
    return bool((rows["no_bounds"] == OTHER_UNITS).any())


def _senses(table: pd.DataFrame) -> pd.DataFrame:
    noun, name, group, quantity = SENSES
    rows = _along(table, noun, name, group)
    rows = rows[rows["quantity"] == quantity]
    return rows[:0] if _of_other_units(rows) else rows


def _draw_both(ax: Axes, rows: pd.DataFrame, models: Models, marker: str = "") -> None:
    """Draw a line for each model that has values along the rows."""
    for model, (side, (color, style)) in zip(models, SIDES.items(), strict=True):
        own = rows.dropna(subset=side)
        if len(own):
            ax.plot(
                own["at"],
                own[side],
                label=model,
                linestyle=style,
                color=color,
                marker=marker,
                markersize=3.5,
            )
    if not ax.lines:
        say_instead([ax], "nothing that both have read, or have")


def _layers(ax: Axes, rows: pd.DataFrame, models: Models, title: str, of: str) -> None:
    """Draw a share of both models by layer."""
    ax.set(xlabel="Layer", ylabel=of, ylim=(0, 1.02))
    ax.set_title(title, loc="left")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _draw_both(ax, rows, models, "o")


def _profiles(ax: Axes, table: pd.DataFrame, models: Models, profile_length: int) -> None:
    rows = _along(table, "positions", "profiles", "")
    ax.set(xlabel="Offset", ylabel="Mean cosine")
    ax.set_title("Structured positions", loc="left")
    _draw_both(ax, rows[rows["at"] <= profile_length], models)


def _curves(ax: Axes, table: pd.DataFrame, models: Models, space: str, title: str) -> None:
    ax.set(xscale="log", ylim=(0, 1.02), xlabel="Principal components", ylabel="Share explained")
    ax.set_title(title, loc="left")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    _draw_both(ax, _along(table, "explained_variance", "curve", space), models)


def _paired(ax: Axes, table: pd.DataFrame, models: Models) -> None:
    """Draw the consistency of differences, one model less the other, at the last layer of both."""
    rows = consistencies(table)
    ax.set_title("Consistency", loc="left")
    if rows.empty:
        say_instead([ax], "the two models have not read the same sentences")
        return
    value = rows["difference"]
    bounds = [value - rows["difference_low"], rows["difference_high"] - value]
    ax.errorbar(
        value,
        range(len(rows)),
        xerr=[each.clip(lower=0) for each in bounds],
        fmt="o",
        markersize=3,
        color=BLACK,
    )
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(rows)), rows["category"], fontsize=7)
    ax.set_xlabel(f"Difference, layer {rows['at'].iloc[0]:g}")
    ax.invert_yaxis()

"""Figure and tables of `compare_measures`: what was measured of two models, side by side."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.looks import BLACK, BLUE, VERMILION
from embspace.draw.page.markdown import markdown_table, section
from embspace.settings.params import models_of

RESULTS = ("csv",)
POOLING = "mean"
HALF = 0.5  # of the variance
SIDES = {"model_value": (BLUE, "-"), "other_model_value": (VERMILION, "--")}  # color and line

Models = tuple[str, str]


def draw_measures(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    profile_length: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw positions, the variance of tokens and positions, and paired differences of sentences.

    Positions are Luisto's figure 15: another model's beside the first one's, up to an offset of
    `profile_length`. `label` is the name of the pair.
    """
    table, models = results["csv"], models_of(label)
    paired = _consistencies(table)["n_paired"]
    n = counted(paired.max(), "pair") if len(paired) else "no pairs"
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title=_title(table, models),
        subtitle=f"{models[0]} and {models[1]} · all learned vectors, {n} of sentences in each "
        "category · bars: intervals over pairs",
        stage="compare_measures",
    )
    _profiles(axes[0], table, models, profile_length)
    _curves(axes[1], table, models, "input", "Variance of token embeddings")
    _curves(axes[2], table, models, "positional", "Variance of position embeddings")
    _paired(axes[3], table, models)
    return figure, _tables(table, f"{models[0]} and {models[1]}", digits)


def _title(table: pd.DataFrame, models: Models) -> str:
    """Return in how many categories either model has the more consistent differences of sentences.

    Where there are none, return how many components hold half of the variance of tokens.
    """
    rows = _consistencies(table)
    if len(rows):
        n_above, n_below = (rows["difference_low"] > 0).sum(), (rows["difference_high"] < 0).sum()
        return (
            f"Differences of sentences are more consistent in {models[0]} for {n_above}, in "
            f"{models[1]} for {n_below} of {len(rows)} categories"
        )
    curve = _along(table, "explained_variance", "curve", "input")
    halves = {
        model: curve.loc[curve[side] >= HALF, "at"].min()
        for model, side in zip(models, SIDES, strict=True)
    }
    found = [f"{n:.0f} in {model}" for model, n in halves.items() if n == n]
    if not found:
        return f"{models[0]} and {models[1]} have no measure in common"
    return f"Half of the variance of token embeddings takes components: {', '.join(found)}"


def _draw_both(ax: Axes, rows: pd.DataFrame, models: Models) -> None:
    """Draw a line for each model that has values along the rows."""
    for model, (side, (color, style)) in zip(models, SIDES.items(), strict=True):
        own = rows.dropna(subset=side).sort_values("at")
        if len(own):
            ax.plot(own["at"], own[side], linestyle=style, color=color, label=model)


def _along(table: pd.DataFrame, noun: str, name: str, group: str) -> pd.DataFrame:
    """Return the rows of a group of a table of a noun."""
    rows = table[(table["noun"] == noun) & (table["table"] == name)]
    return rows[rows["group"].fillna("") == group]


def _profiles(ax: Axes, table: pd.DataFrame, models: Models, profile_length: int) -> None:
    rows = _along(table, "positions", "profiles", "")
    _draw_both(ax, rows[rows["at"] <= profile_length], models)
    ax.set(title="Structured positions", xlabel="Offset", ylabel="Mean cosine", ylim=(None, 1))
    _legend(ax, "neither model has structured positions")


def _curves(ax: Axes, table: pd.DataFrame, models: Models, space: str, title: str) -> None:
    _draw_both(ax, _along(table, "explained_variance", "curve", space), models)
    ax.set(
        title=title,
        xscale="log",
        ylim=(0, 1.02),
        xlabel="Number of principal components",
        ylabel="Share explained",
    )
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    _legend(ax, "neither model has such a matrix")


def _legend(ax: Axes, reason: str) -> None:
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")
    else:
        say_instead([ax], reason)


def _paired(ax: Axes, table: pd.DataFrame, models: Models) -> None:
    """Consistency of differences, one model less the other, at the last layer that both have."""
    rows = _consistencies(table)
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
    ax.set_yticks(range(len(rows)), rows["category"])
    ax.set(
        title=f"Differences of sentences,\nlayer {rows['at'].iloc[0]:g}, the last that both have",
        xlabel=f"Consistency, {models[0]} less {models[1]}",
    )
    ax.invert_yaxis()


def _consistencies(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[(table["noun"] == "differences") & (table["table"] == "categories")]
    rows = rows[rows["difference_low"].notna()]
    pooling, category = (rows["group"].str.split(" / ").str[place] for place in (0, 1))
    rows = rows.assign(category=category)[pooling == POOLING]
    return rows[rows["at"] == rows["at"].max()]


SECTIONS = {
    "similarity": ("Learned vectors", "Stage `measure_similarity`: a summary of all pairs."),
    "explained_variance": (
        "Directions that hold the variance",
        "Stage `measure_explained_variance`: as many components as explain the share.",
    ),
    "positions": ("Positions", "Stage `measure_positions`: properties among pairs of offsets."),
}


BOUNDED = {
    ("evolution", "layers"): (
        "Tokens through the layers",
        "Stage `measure_evolution`: one token each of independent texts.",
    ),
    ("evolution", "shared_steps"): (
        "What steps have in common",
        "Stage `measure_evolution`: by the layer from which on, to the last.",
    ),
    ("search", "search"): ("Search", "Stage `measure_search`, by corpus and preparation."),
    ("probing", "accuracy"): (
        "Probes",
        "Stage `measure_probing`: by features, weights, probe and task.",
    ),
    ("homonyms", "layers"): ("Senses apart", "Stage `measure_homonyms`: means over words."),
    ("homonyms", "recovery"): ("Senses told", "Stage `measure_homonyms`: means over words."),
    ("synonyms", "groups"): ("Groups of sentences", "Stage `measure_synonyms`."),
    ("synonyms", "contrasts"): (
        "Meaning or wording",
        "Stage `measure_synonyms`: paraphrases beside each kind of pair.",
    ),
    ("text_clouds", "distributions"): (
        "Texts of corpora",
        "Stage `measure_text_clouds`: means over texts, or over pairs of texts.",
    ),
}


def _bounded(rows: pd.DataFrame) -> pd.DataFrame:
    """Those with bounds at the last layer that has any, of the mean where there are poolings."""
    rows = rows[rows["difference_low"].notna() & rows["at"].notna()]
    other_poolings = rows["group"].str.contains(r"\b(?:cls|max|bag_of_words)\b")
    return rows[~other_poolings & (rows["at"] == rows["at"].max())]


def _tables(rows: pd.DataFrame, models: str, digits: int) -> str:
    text = [
        f"# Measures of {models}\n\nStage `compare_measures`. The difference is that of the first "
        "model less the other. Learned matrices are whole populations; bounds are of halves of "
        "the units, texts, words or pairs of sentences, that both models have in common. Of layers "
        "the last is shown that both have, of poolings the mean; all are in the table of results.\n"
    ]
    values = ["at", "quantity", "model_value", "other_model_value", "difference"]
    for noun, (title, note) in SECTIONS.items():
        chosen = rows[(rows["noun"] == noun) & ~rows["table"].isin(["curve", "profiles"])]
        chosen = chosen[~chosen["quantity"].isin(["n", "dim"])]
        shown = chosen[["group", *values]].dropna(axis=1, how="all")
        text.append(section(title, note, markdown_table(shown, digits)))
    columns = [*values[2:], "difference_low", "difference_high", "n_paired"]
    for (noun, name), (title, note) in BOUNDED.items():
        chosen = _bounded(rows[(rows["noun"] == noun) & (rows["table"] == name)])
        shown = chosen[["group", "at", "quantity", *columns]].rename(columns={"at": "layer"})
        shown = shown.astype({"layer": int, "n_paired": int})
        text.append(section(title, note, markdown_table(shown, digits)))
    paired = _consistencies(rows)[["category", "at", *columns]].rename(columns={"at": "layer"})
    note = f"Consistency of differences, pooling {POOLING}, the last layer that both have."
    shown = paired.astype({"layer": int, "n_paired": int})
    text.append(section("Sentences", note, markdown_table(shown, digits)))
    return "\n".join(text)

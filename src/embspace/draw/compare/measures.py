"""Figure and tables of `compare_measures`: measures of several models side by side."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter, StrMethodFormatter
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import new_figure, say_instead
from embspace.draw.page.markdown import markdown_table, section

RESULTS = ("csv",)
POOLING = "mean"
STYLES = ("-", "--", ":", "-.")


def draw_measures(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    height_mm: PositiveFloat,
    profile_length: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Positions, the variance of tokens and positions, and paired differences of sentences.

    Positions are Luisto's figure 15: another model's beside the first one's, up to an offset of
    `profile_length`.
    """
    table = results["csv"]
    figure, axes = new_figure(
        2,
        2,
        height_mm=height_mm,
        title="Models side by side",
        subtitle=label,
        stage="compare_measures",
    )
    if table.empty:
        say_instead(axes, "two models under `models` in params.yaml are needed")
        return figure, _tables(table, label, digits)
    _profiles(axes[0], table, profile_length)
    _curves(axes[1], table, "input", "Variance of input embeddings")
    _curves(axes[2], table, "positional", "Variance of positional embeddings")
    _paired(axes[3], table)
    return figure, _tables(table, label, digits)


def _by_model(
    table: pd.DataFrame, noun: str, name: str, group: str
) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Each model once, its color and line, and its own values along a group."""
    rows = table[(table["noun"] == noun) & (table["table"] == name)]
    rows = rows[rows["group"].fillna("") == group]
    sides = [
        rows[[side, "at", value]].set_axis(["model", "at", "value"], axis=1)
        for side, value in (("model", "model_value"), ("other_model", "other_model_value"))
    ]
    values = pd.concat(sides).dropna(subset="value").drop_duplicates(["model", "at"])
    models = list(dict.fromkeys([*table["model"], *table["other_model"]]))
    for number, model in enumerate(models):
        chosen = values[values["model"] == model].sort_values("at")
        if len(chosen):
            yield model, f"C{number}", STYLES[number % len(STYLES)], chosen


def _profiles(ax: Axes, table: pd.DataFrame, profile_length: int) -> None:
    for model, color, style, rows in _by_model(table, "positions", "profiles", ""):
        shown = rows[rows["at"] <= profile_length]
        ax.plot(shown["at"], shown["value"], linestyle=style, color=color, label=model)
    ax.set(title="Structured positions", xlabel="offset", ylabel="mean cosine", ylim=(None, 1))
    _legend(ax, "no model has structured positions")


def _curves(ax: Axes, table: pd.DataFrame, space: str, title: str) -> None:
    for model, color, style, rows in _by_model(table, "explained_variance", "curve", space):
        ax.plot(rows["at"], rows["value"], linestyle=style, color=color, label=model)
    ax.set(
        title=title,
        xscale="log",
        ylim=(0, 1.02),
        xlabel="number of principal components, logarithmic",
        ylabel="share explained",
    )
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    _legend(ax, "no model has such a matrix")


def _legend(ax: Axes, reason: str) -> None:
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best")
    else:
        say_instead([ax], reason)


def _paired(ax: Axes, table: pd.DataFrame) -> None:
    """Consistency of differences, one model less the other, at the last layer that both have."""
    rows = _consistencies(table)
    categories = list(dict.fromkeys(rows["category"]))
    pairs = list(rows.groupby(["model", "other_model"], sort=False))
    for number, ((one, other), chosen) in enumerate(pairs):
        y = chosen["category"].map(categories.index) + 0.15 * (number - (len(pairs) - 1) / 2)
        value = chosen["difference"]
        bounds = [value - chosen["difference_low"], chosen["difference_high"] - value]
        ax.errorbar(
            value,
            y,
            xerr=[each.clip(lower=0) for each in bounds],
            fmt="o",
            markersize=3,
            color=f"C{number}",
            label=f"{one} less {other}, layer {chosen['at'].iloc[0]:g}",
        )
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set_yticks(range(len(categories)), categories)
    layers = rows["at"].unique()
    layer = f"layer {layers[0]:g}, the last" if len(layers) == 1 else "the last layer"
    ax.set(
        title=f"Differences of sentences,\n{layer} that both have",
        xlabel="consistency, the one less the other",
    )
    ax.invert_yaxis()
    if len(pairs) == 1:
        ax.set_xlabel(f"consistency, {pairs[0][0][0]} less {pairs[0][0][1]}")
    elif pairs:  # inside, the legend would hide points
        ax.legend(loc="upper center", bbox_to_anchor=(0.4, -0.2))
    else:
        say_instead([ax], "no two models have read the sentences")


def _consistencies(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[(table["noun"] == "differences") & (table["table"] == "categories")]
    rows = rows[rows["difference_low"].notna()]
    pooling, category = (rows["group"].str.split(" / ").str[place] for place in (0, 1))
    rows = rows.assign(category=category)[pooling == POOLING]
    last = rows.groupby(["model", "other_model"])["at"].transform("max")
    return rows[rows["at"] == last]


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


def _tables(table: pd.DataFrame, label: str, digits: int) -> str:
    text = [
        f"# Measures of {label}\n\nStage `compare_measures`. The difference is that of the first "
        "model less the other. Learned matrices are whole populations; bounds are of halves of "
        "the units, texts, words or pairs of sentences, that both models have in common. Of layers "
        "the last is shown that both have, of poolings the mean; all are in the table of results.\n"
    ]
    values = ["at", "quantity", "model_value", "other_model_value", "difference"]
    for (one, other), rows in table.groupby(["model", "other_model"], sort=False):
        for noun, (title, note) in SECTIONS.items():
            chosen = rows[(rows["noun"] == noun) & ~rows["table"].isin(["curve", "profiles"])]
            chosen = chosen[~chosen["quantity"].isin(["n", "dim"])]
            shown = chosen[["group", *values]].dropna(axis=1, how="all")
            text.append(section(f"{title}: {one}, {other}", note, markdown_table(shown, digits)))
        columns = [*values[2:], "difference_low", "difference_high", "n_paired"]
        for (noun, name), (title, note) in BOUNDED.items():
            chosen = _bounded(rows[(rows["noun"] == noun) & (rows["table"] == name)])
            shown = chosen[["group", "at", "quantity", *columns]].rename(columns={"at": "layer"})
            shown = shown.astype({"layer": int, "n_paired": int})
            text.append(section(f"{title}: {one}, {other}", note, markdown_table(shown, digits)))
        paired = _consistencies(rows)[["category", "at", *columns]].rename(columns={"at": "layer"})
        note = f"Consistency of differences, pooling {POOLING}, the last layer that both have."
        shown = paired.astype({"layer": int, "n_paired": int})
        text.append(section(f"Sentences: {one}, {other}", note, markdown_table(shown, digits)))
    return "\n".join(text)

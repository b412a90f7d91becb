"""Draws what `compare_alignment` found: layers of two models on the same texts and words."""

from collections.abc import Sequence
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.draw.page.canvas import count, legend_below, new_figure, say_instead, sentence_case
from embspace.draw.page.looks import corpus_looks
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.own_texts import corpus_called, units_of
from embspace.settings.params import models_of

SHOWN = "debiased_linear_cka"
MEASURES = {
    "debiased_linear_cka": "debiased linear CKA",
    "procrustes_similarity": "Procrustes similarity",
    "mutual_nearest_neighbors": "mutual nearest neighbors",
}
UNITS = {"text": "texts", "word": "words"}
N_COLUMNS = 3
LINE = 22  # characters that a third of the width holds
N_NUMBERED = 8  # layers along a side, at most


def draw_alignment(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    largest_written: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a heat map of the layers of two models a set of texts, and three measures by depth.

    Values are written into the maps of models of up to `largest_written` layers. `label` is the
    name of the pair.
    """
    table, (one, other) = results["csv"], models_of(label)
    n_rows = -(-len(_sets(table)) // N_COLUMNS) + 1
    figure, axes = new_figure(
        n_rows,
        N_COLUMNS,
        height_mm=row_height_mm * n_rows + 35,
        title=_title(table, one, other),
        subtitle=f"{one} and {other} · n in the panel titles · maps: {MEASURES[SHOWN]} · lines: "
        "layers of equal relative depth · bands: 95 % intervals · dotted: null, texts or words "
        "permuted",
        stage="compare_alignment",
    )
    if table.empty:
        say_instead(axes, "both models have read too few texts in common")
    else:
        _maps(axes[:-N_COLUMNS], table, one, other, largest_written)
        _scale(figure, axes[:-N_COLUMNS])
        _lines(axes[-N_COLUMNS:], table, one)
        legend_below(figure, axes[-N_COLUMNS:], ncols=3)
    return figure, _tables(table, one, other, digits)


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    """Return how alike the last layers are beside the null, and which two layers are most alike."""
    rows = table[table["measure"] == SHOWN].dropna(subset="value")
    if rows.empty:
        return f"The layers of {one} and {other} cannot be compared"
    corpus, unit = rows[["corpus", "unit"]].iloc[0]
    rows = rows[(rows["corpus"] == corpus) & (rows["unit"] == unit)]
    best, last = (
        rows.loc[rows["value"].idxmax()],
        rows.sort_values(["layer", "other_layer"]).iloc[-1],
    )
    how = (
        "more alike than by chance"
        if last["value"] > last["null_high"]
        else "no more alike than by chance"
    )
    return (
        f"On {units_of(UNITS[unit], corpus)}, the last layers of {one} and {other} are "
        f"{how} (CKA {last['value']:z.2f}); most alike: layers {best['layer']:.0f} and "
        f"{best['other_layer']:.0f} ({best['value']:z.2f})"
    )


def _grouped(table: pd.DataFrame, keys: list[str]) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    """Return the groups and their rows in the order of the table."""
    return [(tuple(map(str, key)), rows) for key, rows in table.groupby(keys, sort=False)]


def _sets(rows: pd.DataFrame) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    return _grouped(rows, ["corpus", "unit"])


def _maps(
    axes: Sequence[Axes], rows: pd.DataFrame, one: str, other: str, largest_written: int
) -> None:
    for ax in axes[len(_sets(rows)) :]:
        ax.set_axis_off()
    for place, (ax, ((corpus, unit), table)) in enumerate(zip(axes, _sets(rows), strict=False)):
        shown = table[table["measure"] == SHOWN]
        values = shown.pivot(index="layer", columns="other_layer", values="value")
        _heat_map(ax, values, max(values.shape) <= largest_written)
        n = count(table["n"].iloc[0])
        ylabel = "" if place % N_COLUMNS else f"layer of {one}"
        ax.set(title=f"{sentence_case(corpus_called(corpus))}, {n} {UNITS[unit]}")
        ax.set(xlabel=fill(f"layer of {other}", LINE), ylabel=ylabel)


def _scale(figure: Figure, axes: Sequence[Axes]) -> None:
    """Draw one bar of colors beside all maps."""
    bar = figure.colorbar(
        axes[0].collections[0], ax=list(axes), aspect=40, pad=0.01, label=MEASURES[SHOWN]
    )
    bar.outline.set_visible(False)


def _heat_map(ax: Axes, values: pd.DataFrame, written: bool) -> None:
    """Draw values from 0 to 1 as colors; what is less than 0 has the color of 0."""
    import seaborn as sns

    every, every_other = (-(-n // N_NUMBERED) for n in values.shape)
    is_square = max(values.shape) < 1.5 * min(values.shape)
    look = {"cmap": "viridis", "vmin": 0, "vmax": 1, "square": is_square, "cbar": False}
    numbers = {
        "annot": values.map(_short) if written else False,
        "fmt": "",
        "annot_kws": {"fontsize": 7},
    }
    sns.heatmap(values, xticklabels=every_other, yticklabels=every, ax=ax, **look, **numbers)
    ax.invert_yaxis()
    ax.tick_params(rotation=0)
    ax.grid(visible=False)


def _short(value: float) -> str:
    """Return a value with two digits and no 0 before the point."""
    return f"{value:z.2f}".replace("0.", ".", 1)


def _lines(axes: Sequence[Axes], rows: pd.DataFrame, one: str) -> None:
    """Draw the pairs of layers of equal relative depth, of which Procrustes has a value."""
    keys = ["layer", "other_layer"]
    deep = rows.loc[rows["measure"] == "procrustes_similarity", keys].drop_duplicates()
    looks = corpus_looks(rows["corpus"])
    for ax, (measure, words) in zip(axes, MEASURES.items(), strict=True):
        chosen = rows[rows["measure"] == measure].merge(deep, on=keys)
        for (corpus, unit), table in _sets(chosen):
            look, style = looks[corpus], "-" if unit == "text" else "--"
            color = look.color
            ax.plot(
                table["layer"],
                table["value"],
                color=color,
                linestyle=style,
                marker=look.marker,
                markersize=3.5,
                label=f"{look.name}, {UNITS[unit]}",
            )
            ax.fill_between(
                table["layer"], table["low"], table["high"], color=color, alpha=0.2, linewidth=0
            )
            ax.plot(table["layer"], table["null"], color=color, linestyle=":", linewidth=0.8)
        ax.set(
            title=sentence_case(words),
            xlabel=f"layer of {one}",
            ylim=(min(0.0, ax.get_ylim()[0]), 1.02),
        )
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(rows: pd.DataFrame, one: str, other: str, digits: int) -> str:
    text = [
        f"# Alignment of {one} and {other}\n\nStage `compare_alignment`. CKA and Procrustes "
        "similarity are 1 for spaces equal up to a rotation and one scale; mutual nearest "
        "neighbors is the share that both have. Points are independent: one text or word of each "
        "document, words among those that are whole in both tokenizers, so that another pair of "
        "models may be on other ones. The null permutes the points of the other model; its upper "
        "bound is one-sided, and Procrustes has none. Intervals are by half-samples of the points, "
        "those of Procrustes with the rotation held fixed; those of neighbors by the jackknife.\n"
    ]
    columns = ["corpus", "unit", "n", "measure", "layer", "other_layer", "value", "low", "high"]
    columns += ["null", "null_high", "random_weights_value"]
    last = rows[rows["layer"] == rows["layer"].max()]
    last = last[last["other_layer"] == rows["other_layer"].max()][columns]
    best = rows[rows["measure"] == SHOWN].sort_values("value", ascending=False, kind="stable")
    keys = ["corpus", "unit", "layer"]
    best = best.drop_duplicates(keys).sort_values(keys, kind="stable")
    text.append(
        section(
            f"Last layers of {one} and {other}",
            "All measures, by what was read.",
            markdown_table(_named(last), digits),
        )
    )
    text.append(
        section(
            f"The layer of {other} that is most like each of {one}",
            f"By {MEASURES[SHOWN]}, chosen by these very numbers.",
            markdown_table(_named(best[columns].drop(columns=["measure"])), digits),
        )
    )
    return "\n".join(text)


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """Name the bounds after their value, as `markdown_table` joins them, and the measures."""
    named = rows.rename(columns={"low": "value_low", "high": "value_high"})
    if "measure" not in named:
        return named
    return named.assign(measure=[_spelled(str(measure)) for measure in named["measure"]])


def _spelled(measure: str) -> str:
    return MEASURES.get(measure, measure.replace("_", " ").replace("cka", "CKA"))

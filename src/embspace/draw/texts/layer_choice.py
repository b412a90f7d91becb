"""Draws how well each layer serves each task, which `measure_layer_choice` measures."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    shade,
)
from embspace.draw.page.looks import GRAY, NULLS, POOLINGS, corpus_looks
from embspace.draw.page.markdown import folded, interval, markdown_table, same, section
from embspace.draw.page.saving import Drawing, draw_and_save, functions_of
from embspace.files.tables import Tables
from embspace.settings.stage import StageConfig, run_stage

RESULTS = ("csv",)
VALUES = {
    **same("embedding", "layer"),
    **interval("value", "value"),
    **interval("less_last", "difference from the last layer"),
}
BEST = {**same("corpus", "task"), **VALUES}
COLUMNS = {
    "rank": "rank",
    **VALUES,
    "weights": "weights",
    **interval("less_best", "difference from the best"),
    "among_best": "not told from the best",
    "chance": "chance level",
}
RANDOM = NULLS["random_initialization"]
TASKS = {  # name and measure of each
    "search": ("search", "mean reciprocal rank"),
    "labels": ("classification", "accuracy"),
    "clusters": ("clusters", "silhouette"),
}
NO_TASK = "No corpus that the model reads has texts to halve, or labels that many texts share"


def draw_layer_choice(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the value by layer, with one row for each corpus and one panel for each task."""
    table = results["csv"]
    corpora = list(dict.fromkeys(table["corpus"]))
    n_rows = max(len(corpora), 1)
    level = f"{100 * table['level'].iloc[0]:g} %" if len(table) else ""
    figure, axes = new_figure(
        n_rows,
        len(TASKS),
        height_mm=row_height_mm * n_rows + 32,
        title=_finding(table),
        subtitle=f"{label} · {_population(table)}{_lacking(table)} · ring: the best layer, filled "
        f"if clearly better than the last · bands: {level} intervals over texts"
        if corpora
        else f"{label} · no text, n = 0",
        stage="measure_layer_choice",
    )
    if not corpora:
        say_instead(axes, NO_TASK)
    for number, ax in enumerate(axes if corpora else ()):
        corpus, task = corpora[number // len(TASKS)], list(TASKS)[number % len(TASKS)]
        rows = table[(table["corpus"] == corpus) & (table["task"] == task)]
        if rows.empty:
            ax.set_axis_off()
        else:
            _panel(ax, rows)
            name, measure = TASKS[task]
            ax.set(ylabel=measure, title=f"{sentence_case(_name(corpus))}: {name}")
    if corpora:
        _legend(figure, axes)
    return figure, _tables(table, label, digits)


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """Name the lines in the first empty place of the grid, else below all panels."""
    empty = [ax for ax in axes if not ax.axison]
    if not empty:
        legend_below(figure, axes, ncols=3)
        return
    shown = next(ax for ax in axes if ax.axison)
    place: dict[str, Any] = {
        "loc": "center left",
        "bbox_to_anchor": (-0.25, 0.5),
        "borderaxespad": 0,
    }
    legend = empty[0].legend(*shown.get_legend_handles_labels(), **place)
    legend.set_in_layout(False)  # else it widens its column


def _population(table: pd.DataFrame) -> str:
    sizes = table.groupby("corpus", sort=False)["n"].max()
    return ", ".join(f"{_name(str(corpus))}: {counted(n, 'text')}" for corpus, n in sizes.items())


def _lacking(table: pd.DataFrame) -> str:
    """Return words for the subtitle that name the tasks without a panel of each corpus."""
    known = set(table[["corpus", "task"]].itertuples(index=False, name=None))
    corpora = dict.fromkeys(table["corpus"])
    lacks = [
        f"{_name(corpus)}: no {TASKS[task][0]}"
        for corpus in corpora
        for task in TASKS
        if (corpus, task) not in known
    ]
    return "".join(f" · {each}" for each in lacks)


def _name(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each corpus and task."""
    return table[table["rank"] == 1]


def _finding(table: pd.DataFrame) -> str:
    best = _best(table)
    n_better = int((best["less_last_low"] > 0).sum())
    if best.empty:
        return "No text to choose a layer by"
    return (
        f"In {n_better} of {counted(len(best), 'task')} an earlier layer is clearly better than "
        "the last one at the same pooling"
    )


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    for pooling, look in POOLINGS.items():
        of_pooling = rows[rows["embedding"] == pooling].sort_values("layer")
        trained = of_pooling[of_pooling["weights"] == "trained"]
        line: dict[str, Any] = {
            "color": look.color,
            "marker": look.marker,
            "ms": 4,
            "label": look.name,
        }
        ax.plot(trained["layer"], trained["value"], **line)
        shade(ax, trained, "layer", "value", color=look.color, alpha=0.2)
        random = of_pooling[of_pooling["weights"] == "random"]
        line |= {"ls": RANDOM.line, "ms": 3, "markerfacecolor": "none"}
        line["label"] = f"{look.name}, {RANDOM.name}"
        ax.plot(random["layer"], random["value"], **line)
    words_alone = rows.loc[rows["embedding"] == "tf_idf", "value"].iloc[0]
    ax.axhline(words_alone, color="0.3", linestyle="--", linewidth=1, label="words alone: TF-IDF")
    ax.axhline(rows["chance"].iloc[0], color=GRAY, linewidth=1, label="chance level")
    best = _best(rows).iloc[0]
    color = POOLINGS[best["embedding"]][1]
    is_sure = best["less_last_low"] > 0
    ring: dict[str, Any] = {
        "markersize": 9,
        "markeredgecolor": color,
        "color": color if is_sure else "none",
    }
    ax.plot(best["layer"], best["value"], marker="o", linestyle="none", **ring)
    ax.set_xlabel("layer (0: embedding output)")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(table: pd.DataFrame, label: str, digits: int) -> str:
    heading = f"# Layers of {label} by what they serve for\n\nStage `measure_layer_choice`.\n"
    if table.empty:
        return f"{heading}\n{NO_TASK}.\n"
    best = section(
        "The best of each task",
        "The difference is that from the last layer at the same pooling; its interval holds for "
        "all layers at once. The interval of the value is not adjusted for having picked the best.",
        markdown_table(_readable(_best(table), BEST), digits),
    )
    parts = [
        section(
            f"{sentence_case(_name(str(corpus)))}: {TASKS[str(task)][0]}",
            f"The {TASKS[str(task)][1]} of {counted(rows['n'].iloc[0], 'text')}. Not told from the "
            "best: the interval of the difference from the best reaches 0.",
            markdown_table(_readable(rows, COLUMNS), digits),
        )
        for (corpus, task), rows in table.groupby(["corpus", "task"], sort=False)
    ]
    return "\n".join([heading, best, folded("\n".join(parts))])


def _readable(rows: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """Return the columns under readers' names, with ranks and layers as whole numbers."""
    names = {name: look.name for name, look in POOLINGS.items()} | {"tf_idf": "TF-IDF"}
    shown = rows.astype({"rank": "Int64", "layer": "Int64"})
    shown = shown.assign(embedding=shown["embedding"].map(names))
    shown["corpus"] = [_name(corpus) for corpus in shown["corpus"]]
    shown["task"] = [TASKS[task][0] for task in shown["task"]]
    return shown.reindex(columns=[*columns]).rename(columns=columns)


DRAWINGS = {"layer_choice": Drawing(draw_layer_choice, RESULTS)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("layer_choice", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))

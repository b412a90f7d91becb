"""Draws how well each layer serves each task, which `measure_layer_choice` measures."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import GRAY, OWN_VECTOR, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.texts.layer_lines import draw_by_layer, draw_random_by_layer
from embspace.settings.stage import StageConfig, run_stage

STAGE = "measure_layer_choice"
TABLES = Path(__file__).with_name("tables.yaml")
VALUES = ("embedding", "layer", "value", "less_last")
BEST = ("corpus", "task", *VALUES)
COLUMNS = ("rank", *VALUES, "weights", "less_best", "among_best", "chance")
TASKS = {  # name and measure of each
    "search": ("search", "mean reciprocal rank"),
    "labels": ("classification", "accuracy"),
    "clusters": ("clusters", "silhouette"),
}
NO_TASK = "No corpus that the model reads has texts to halve, or labels that many texts share"


def draw_layer_choice(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the value by layer, with one row for each corpus and one panel for each task."""
    table = results["csv"]
    corpora = list(dict.fromkeys(table["corpus"]))
    n_rows = max(len(corpora), 1)
    height, subtitle = row_height_mm * n_rows + 32, f"{label} · {_population(table)}"
    figure, axes = new_figure(
        n_rows, len(TASKS), height_mm=height, title=_finding(table), subtitle=subtitle, stage=STAGE
    )
    if not corpora:
        say_instead(axes, NO_TASK)
        return figure, _tables(results, label, digits)
    for ax, (corpus, task) in zip(axes, product(corpora, TASKS), strict=True):
        rows = table[(table["corpus"] == corpus) & (table["task"] == task)]
        if rows.empty:
            ax.set_axis_off()
        else:
            _panel(ax, rows)
            name, measure = TASKS[task]
            ax.set(ylabel=measure, title=f"{sentence_case(_name(corpus))}: {name}")
    _legend(figure, axes)
    return figure, _tables(results, label, digits)


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """Name the lines in the first empty place of the grid, else below all panels."""
    empty = [ax for ax in axes if not ax.axison]
    if not empty:
        legend_below(figure, axes, ncols=3)
        return
    shown = next(ax for ax in axes if ax.axison)
    named = shown.get_legend_handles_labels()
    # Beside another panel there is room for its labels, at the edge of the figure there is none.
    left = 0.0 if list(axes).index(empty[0]) % len(TASKS) == 0 else -0.25
    legend = empty[0].legend(*named, loc="center left", bbox_to_anchor=(left, 0.5), borderaxespad=0)
    legend.set_in_layout(False)  # else it widens its column


def _population(table: pd.DataFrame) -> str:
    """Return the texts of each corpus, the tasks that it lacks, and a key to rings and bands."""
    if table.empty:
        return "no text, n = 0"
    sizes = table.groupby("corpus", sort=False)["n"].max()
    texts = [f"{_name(str(corpus))}: {counted(n, 'text')}" for corpus, n in sizes.items()]
    known = set(table[["corpus", "task"]].itertuples(index=False, name=None))
    lacking = [place for place in product(sizes.index, TASKS) if place not in known]
    lacks = [f"{_name(corpus)}: no {TASKS[task][0]}" for corpus, task in lacking]
    ring = "ring: the best layer, filled if clearly better than the last"
    bands = f"bands: {100 * table['level'].iloc[0]:g} % intervals over texts"
    return " · ".join([", ".join(texts), *lacks, ring, bands])


def _name(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """Return the first row of each corpus and task."""
    return table[table["rank"] == 1]


def _finding(table: pd.DataFrame) -> str:
    best = _best(table)
    if best.empty:
        return "No text to choose a layer by"
    better = best[best["less_last_low"] > 0].astype({"layer": int})
    named = [
        f"{_name(corpus)}, {TASKS[task][0]} (layer {layer})"
        for corpus, task, layer in better[["corpus", "task", "layer"]].itertuples(index=False)
    ]
    return (
        f"In {len(better)} of {counted(len(best), 'task')} an earlier layer is clearly better than "
        f"the last one at the same pooling{': ' if named else ''}{'; '.join(named)}"
    )


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    for pooling, look in TEXT_POOLINGS.items():
        layers = rows[rows["embedding"] == pooling].sort_values("layer")
        is_trained = layers["weights"] == "trained"
        if len(layers):
            draw_by_layer(ax, layers[is_trained], "value", look)
            draw_random_by_layer(ax, layers[~is_trained], "value", look)
    words_alone = rows.loc[rows["embedding"] == "tf_idf", "value"].iloc[0]
    ax.axhline(words_alone, color="0.3", linestyle="--", linewidth=1, label="words alone: TF-IDF")
    for value in rows.loc[rows["embedding"] == "sentence", "value"]:
        ax.axhline(
            value, color="0.3", linestyle=OWN_VECTOR.line, linewidth=1, label=OWN_VECTOR.name
        )
    ax.axhline(rows["chance"].iloc[0], color=GRAY, linewidth=1, label="chance level")
    best = _best(rows).iloc[0]
    color = TEXT_POOLINGS[best["embedding"]].color
    face = color if best["less_last_low"] > 0 else "none"
    ax.plot(best["layer"], best["value"], "o", color=color, markerfacecolor=face, markersize=9)
    ax.set_xlabel("layer (0: embedding output)")


def _tables(results: Results, label: str, digits: int) -> str:
    table = results["csv"]
    heading = f"# Layers of {label} by what they serve for\n\nStage `measure_layer_choice`.\n"
    if table.empty:
        return f"{heading}\n{NO_TASK}.\n"
    best = section(
        "The best of each task",
        "The difference is that from the last layer at the same pooling; its interval holds for "
        "all layers at once. The interval of the value is not adjusted for having picked the best.",
        markdown_table(_readable(results, _best(table), BEST), digits),
    )
    parts = [
        section(
            f"{sentence_case(_name(str(corpus)))}: {TASKS[str(task)][0]}",
            f"The {TASKS[str(task)][1]} of {counted(rows['n'].iloc[0], 'text')}. Not told from the "
            "best: the interval of the difference from the best reaches 0.",
            markdown_table(_readable(results, rows, COLUMNS), digits),
        )
        for (corpus, task), rows in table.groupby(["corpus", "task"], sort=False)
    ]
    return "\n".join([heading, best, folded("\n".join(parts))])


def _readable(results: Results, rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the columns under readers' names, with ranks and layers as whole numbers."""
    names = {name: look.name for name, look in TEXT_POOLINGS.items()}
    names |= {"tf_idf": "TF-IDF", "sentence": OWN_VECTOR.name}
    shown = rows.astype({"rank": "Int64", "layer": "Int64"})
    shown = shown.assign(embedding=shown["embedding"].map(names))
    shown["corpus"] = [_name(corpus) for corpus in shown["corpus"]]
    shown["task"] = [TASKS[task][0] for task in shown["task"]]
    return results.for_readers("csv", shown, columns)


DRAWINGS = {"layer_choice": drawing_of(draw_layer_choice, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("layer_choice", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))

"""Draws how well the layers serve the tasks, from `measure_layer_choice`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    counted,
    legend_below,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.looks import GRAY, MODELS, TEXT_POOLINGS, corpus_looks
from embspace.draw.page.markdown import folded, markdown_table, section
from embspace.draw.page.saving import Results, draw_and_save, drawing_of, functions_of
from embspace.draw.texts.layer_lines import (
    EMBEDDINGS,
    LAYER,
    draw_by_layer,
    draw_level,
)
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
DRAWN, MOST_PANELS = ["search", "labels"], 3
NO_TASK = "No corpus that the model reads has texts to halve, or labels that many texts share"


def draw_layer_choice(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the value by layer, a panel per task and corpus, three at most.

    Clusters, which hardly any texts have, are in the tables alone.
    """
    table = results["csv"]
    tasks = table.loc[table["task"].isin(DRAWN), ["task", "corpus"]].drop_duplicates()
    tasks = tasks.sort_values("task", key=lambda names: names.map(DRAWN.index), kind="stable")
    places = list(tasks.itertuples(index=False, name=None))[:MOST_PANELS]
    drawn = table[table.set_index(["task", "corpus"]).index.isin(places)]
    figure, axes = new_figure(
        1,
        max(len(places), 1),
        height_mm=height_mm,
        title=_finding(drawn),
        subtitle=f"{label} · {_population(drawn)}",
        stage=STAGE,
    )
    if not places:
        say_instead(axes, NO_TASK)
        return figure, _tables(results, label, digits)
    for ax, (task, corpus) in zip(axes, places, strict=True):
        name, measure = TASKS[task]
        _panel(ax, drawn[(drawn["corpus"] == corpus) & (drawn["task"] == task)])
        ax.set(ylabel=measure, title=f"{sentence_case(_name(corpus))}: {name}")
    if (best := _clearest(drawn)) is not None:
        _say_values(axes[places.index((best["task"], best["corpus"]))], best, drawn["layer"].max())
    legend_below(figure, axes, ncols=3)
    return figure, _tables(results, label, digits)


def _population(drawn: pd.DataFrame) -> str:
    """Return the texts of each corpus, and a key to rings and bands."""
    if drawn.empty:
        return "no text, n = 0"
    sizes = drawn.groupby("corpus", sort=False)["n"].max()
    texts = [f"{_name(str(corpus))}: {counted(n, 'text')}" for corpus, n in sizes.items()]
    ring = "ring: the best layer, thick if clearly better than the last"
    bands = f"bands: {100 * drawn['level'].iloc[0]:g} % intervals over texts"
    return " · ".join([", ".join(texts), ring, bands])


def _name(corpus: str) -> str:
    return corpus_looks([corpus])[corpus].name


def _best(table: pd.DataFrame) -> pd.DataFrame:
    """Return the row of rank 1 for every corpus and task."""
    return table[table["rank"] == 1]


def _clearest(drawn: pd.DataFrame) -> pd.Series | None:
    """Return the best layer that exceeds the last layer most, if any surely does."""
    best = _best(drawn)
    better = best[best["less_last_low"] > 0].sort_values("less_last", kind="stable")
    return None if better.empty else better.iloc[-1]


def _finding(drawn: pd.DataFrame) -> str:
    """Return the title: the task that an earlier layer serves better than the last."""
    if drawn.empty:
        return "No text to choose a layer by"
    clearest = _clearest(drawn)
    if (_best(drawn)["value_low"] <= _best(drawn)["chance"]).all():
        return "No layer surely serves better than chance"
    if clearest is None:
        return "No earlier layer is clearly better than the last one, at the same pooling"
    value, last = clearest["value"], clearest["value"] - clearest["less_last"]
    others = _best(drawn).drop(index=clearest.name)["less_last_low"] > 0
    how = "an" if others.all() else "not always an" if others.any() else "no"
    elsewhere = f"; elsewhere {how} earlier layer is clearly better" if len(others) else ""
    return (
        f"For {TASKS[clearest['task']][0]} of {_name(clearest['corpus'])}, layer "
        f"{clearest['layer']:.0f} is better than the last, {value:.2f} against {last:.2f} "
        f"({EMBEDDINGS[clearest['embedding']]}){elsewhere}"
    )


def _say_values(ax: Axes, best: pd.Series, last: float) -> None:
    """Write the numbers of the title at the points."""
    last_value = best["value"] - best["less_last"]
    for layer, value, side in ((best["layer"], best["value"], "left"), (last, last_value, "right")):
        write_beside(ax, f"{value:.2f}", (layer, value), (4, 8), ha=side, path_effects=HALO)


def _panel(ax: Axes, rows: pd.DataFrame) -> None:
    draw_level(ax, rows["chance"].iloc[0], "chance level", color=GRAY)
    for value in rows.loc[rows["embedding"] == "tf_idf", "value"]:
        draw_level(ax, value, EMBEDDINGS["tf_idf"], (0, (1, 1)))
    is_random = rows["weights"] != "trained"
    most = rows.loc[is_random & rows["layer"].notna()].groupby("embedding")["value"].max()
    for pooling, look in TEXT_POOLINGS.items():
        layers = rows[rows["embedding"] == pooling].sort_values("layer")
        is_trained = layers["weights"] == "trained"
        if len(most) and pooling == most.idxmax():
            random = MODELS["random"]._replace(name="random weights, best pooling")
            draw_by_layer(ax, layers[~is_trained][["layer", "value"]], "value", random)
        if len(layers):
            draw_by_layer(ax, layers[is_trained], "value", look)
    best = _best(rows).iloc[0]
    ring: dict[str, Any] = {"mec": TEXT_POOLINGS[best["embedding"]].color, "mfc": "none", "ms": 10}
    ax.plot(best["layer"], best["value"], "o", mew=2.5 if best["less_last_low"] > 0 else 1, **ring)
    ax.set_xlabel(LAYER)
    ax.set_ylim(bottom=0)


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
    shown = rows.astype({"rank": "Int64", "layer": "Int64"})
    shown = shown.assign(embedding=shown["embedding"].map(EMBEDDINGS))
    shown["corpus"] = [_name(corpus) for corpus in shown["corpus"]]
    shown["task"] = [TASKS[task][0] for task in shown["task"]]
    shown["among_best"] = shown["among_best"].where(shown["rank"].notna())  # of layers alone
    return results.for_readers("csv", shown, columns)


DRAWINGS = {"layer_choice": drawing_of(draw_layer_choice, TABLES)}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save("layer_choice", DRAWINGS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))

"""Draws what cut and rounded vectors keep, by bytes a text, from `measure_compression`."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, counted, legend_below, new_figure, percent, say_instead
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, ORANGE, PURPLE, VERMILION, Look
from embspace.draw.page.own_texts import corpus_called
from embspace.draw.page.saving import Results
from embspace.draw.page.sections import page_of_parts

STAGE = "measure_compression"
FURTHER_RESULTS = ("conf/measure/practice/compression.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
TASKS = {
    "search": ("Search by halves of texts", "mean reciprocal rank"),
    "labels": ("Labels of neighbors", "share of 10 neighbors\nwith the same label"),
    "neighbors": ("Neighbors by float32", "share of 10\nneighbors kept"),
}
CUT = {
    "pca": Look("principal components", BLUE, "o", "-"),
    "first": Look("first coordinates", ORANGE, "s", "--"),
    "random": Look("random coordinates", GRAY, "h", ":"),
}
ROUNDED = {
    "full": Look("float32", BLACK, "*", "None"),
    "float16": Look("float16", GREEN, "P", "None"),
    "int8": Look("int8", VERMILION, "D", "None"),
    "bits": Look("sign bits", PURPLE, "v", "None"),
    "bits_rescored": Look("sign bits, rescored", PURPLE, "^", "None"),
}
BESIDE = {"bits": 0.9, "bits_rescored": 1.11}  # of as many bytes, and often of one value
NONE = "Too few texts to compress"


def draw_compression(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the tasks of one corpus: the first that has search, else the first."""
    table = results["csv"]
    corpus = _shown(table)
    own = table[(table["corpus"] == corpus) & table["bytes"].notna()]
    tasks = [task for task in TASKS if (own["task"] == task).any()]
    figure, axes = new_figure(
        1,
        max(len(tasks), 1),
        height_mm=height_mm,
        title=_finding(results, corpus),
        subtitle=f"{label} · {_population(results, own, corpus)}",
        stage=STAGE,
    )
    text = _tables(results, label, digits)
    if own.empty:
        say_instead(axes, NONE)
        return figure, text
    for ax, task in zip(axes, tasks, strict=True):
        _task(ax, own[own["task"] == task], results[MEASURED_WITH]["lost"])
        title, unit = TASKS[task]
        ax.set(title=title, ylabel=unit, xlabel="bytes a text", ylim=(0, None))
    legend_below(figure, [axes[0]], ncols=4)
    return figure, text


def _shown(table: pd.DataFrame) -> str:
    searched = table[table["task"] == "search"]["corpus"]
    names = [*searched, *table["corpus"]]
    return str(names[0]) if names else ""


def _task(ax: Axes, rows: pd.DataFrame, lost: float) -> None:
    full = rows[rows["kind"] == "full"].iloc[0]
    ax.axhline(full["value"], color=BLACK, linewidth=0.6)
    least = full["value"] - lost * (full["value"] - full["chance"])
    name = f"{percent(1 - lost)} of the lead over chance"
    ax.axhline(least, color=BLACK, linewidth=0.8, linestyle="--", label=name)
    ax.axhline(full["chance"], color=GRAY, linewidth=0.8, linestyle=":", label="chance")
    ax.plot([], [], "o", color=BLACK, mfc="white", ms=5, label="hollow: not surely kept")
    rows = rows.assign(is_kept=(rows["kind"] == "full") | (rows["share_kept_low"] > 1 - lost))
    for kind, look in {**CUT, **ROUNDED}.items():
        own = rows[rows["kind"] == kind].sort_values("bytes")
        reach = [own["value"] - own["low"], own["high"] - own["value"]]
        style: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": look.line}
        x = own["bytes"] * BESIDE.get(kind, 1.0)
        ax.errorbar(x, own["value"], yerr=reach, label=look.name, lw=1, ms=5, **style)
        hollow = style | {"ls": "None", "mfc": "white", "zorder": 3}
        ax.plot(x[~own["is_kept"]], own.loc[~own["is_kept"], "value"], ms=5, **hollow)
    ax.set_xscale("log", base=2)
    cut = sorted(rows.loc[rows["kind"].isin([*CUT]), "bytes"].unique())
    ticks = [*cut[::2], full["bytes"]]
    ax.set_xticks(ticks, [count(tick) for tick in ticks], rotation=45)
    ax.minorticks_off()


def _finding(results: Results, corpus: str) -> str:
    """Return the title: the smallest setting that surely keeps a task, and its size.

    Further tasks with the same smallest setting are named, too, with the needs of the others.
    """
    table, least = results["csv"], results["smallest"]
    own = least[(least["corpus"] == corpus) & least["task"].isin(TASKS)]
    if own.empty:
        return NONE
    order = [task for task in TASKS if (own["task"] == task).any()]
    row = own[own["task"] == order[0]].iloc[0]
    named = order[0]
    same = own.loc[own["version"] == row["version"], "task"]
    alike = [_in_panel(task, order) for task in order if task in set(same)]
    if pd.isna(row["bytes"]):
        return f"No setting smaller than float32 surely keeps {named}"
    rows = table[(table["corpus"] == corpus) & (table["task"] == named)]
    full = rows.loc[rows["kind"] == "full", "bytes"].iloc[0]
    return (
        f"{row['version']} is the smallest setting that keeps {' and '.join(alike)}: "
        f"{count(row['bytes'])} of {count(full)} bytes a text{_needed(own, order, set(same))}"
    )


def _in_panel(task: str, order: list[str]) -> str:
    """Return a task with the letter of its panel, if there are several."""
    return f"{task} ({'abc'[order.index(task)]})" if len(order) > 1 else task


def _needed(own: pd.DataFrame, order: list[str], kept: set[str]) -> str:
    """Return the smallest settings of the tasks not `kept`, in words."""
    versions = own.set_index("task")["version"].replace("", np.nan).fillna("float32")
    needs = [
        f"for {_in_panel(task, order)} it is {versions[task]}" for task in order if task not in kept
    ]
    return f"; {', '.join(needs)}" if needs else ""


def _population(results: Results, own: pd.DataFrame, corpus: str) -> str:
    if own.empty:
        return "n = 0"
    n = own.loc[own["task"] == "neighbors", "n"].iloc[0]
    return (
        f"{corpus_called(corpus)}: {counted(n, 'text')}, last layer, mean pooling; fitted on the "
        "other half of the documents · bars: 95 % intervals over documents, all settings at once · "
        "filled: kept, by paired differences surely less than "
        f"{percent(results[MEASURED_WITH]['lost'])} of the lead over chance is lost"
    )


def _tables(results: Results, label: str, digits: int) -> str:
    parts = [
        (
            "Smallest settings",
            f"Of the fewest bytes that surely lose less than "
            f"{percent(results[MEASURED_WITH]['lost'])}.",
            results.for_readers("smallest"),
        ),
        (
            "Shape",
            "Of all coordinates.",
            results.for_readers("shape"),
        ),
        (
            "First coordinates beside random ones",
            "Share of 10 neighbors kept; of a Matryoshka model the first keep more.",
            results.for_readers("first"),
        ),
        (
            "All settings",
            "Differences are from float32.",
            results.for_readers("csv"),
        ),
    ]
    return page_of_parts(f"Cut and rounded vectors of {label}", STAGE, digits, *parts)

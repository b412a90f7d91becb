"""Figure and tables of `measure_stitching`: the accuracy of stitched models by layer."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    legend_below,
    new_figure,
    say_instead,
    shade,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, VERMILION, Look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.sequences.sequence_looks import first_run, of_run, words_of
from embspace.files.tables import Tables

RESULTS = ("layers.csv", "pairs.csv", "claims.csv")
NONE = "no run classifies sequences after another phase; `make all` trains one"
STITCHES = {
    "vocabulary": Look("through the vocabulary", BLUE, "o", "-"),
    "identity": Look("states as they are", VERMILION, "^", "--"),
    "trained": Look("trained linear stitch", GREEN, "s", "-."),
}
RANDOM = {"turned": "turned", "shuffled tokens": "shuffled tokens"}
NULL = Look("random stitches, range", GRAY)
ITSELF = Look("classifier itself", BLACK, "", "-")
CHANCE = Look("chance", GRAY, "", ":")
N_SEEDS = 3  # that have a row and a column of panels
RULES = (
    "Of the layer of the upper half where the stitch through the vocabulary is most accurate. "
    "Above random: its interval is above chance and above every random stitch of all pairs, each "
    "at its own best layer of these. Most: its interval is above half of what the classifier has "
    "above chance. Both rules were fixed before the results; after them this was added: a pair "
    "differs from random only if its interval reaches no higher than the mean of its own random "
    "stitches or chance. A seed above itself is a control."
)


def draw_stitching(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a panel for each ordered pair of seeds, accuracy by layer.

    Of the first run by name that has results, and of its first seeds; the tables are of all runs.
    """
    heading = "# Stitching\n\nStage `measure_stitching`.\n"
    run = first_run(results["pairs"])
    of = {name: of_run(table, run) if run else table for name, table in results.items()}
    pairs = of["pairs"]
    seeds = sorted(set(pairs["upper_seed"].tolist()))[:N_SEEDS] if len(pairs) else []
    n = max(len(seeds), 1)
    figure, axes = new_figure(
        n,
        n,
        height_mm=n * row_height_mm + 48 if seeds else 40,
        title=_title(pairs),
        subtitle=_subtitle(pairs, run or label),
        stage="measure_stitching",
    )
    if not seeds:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    for ax, (upper, lower) in zip(axes, product(seeds, seeds), strict=True):
        _panel(ax, _of_pair(of["layers"], upper, lower), _of_pair(pairs, upper, lower).iloc[0])
        words = "itself (control)" if upper == lower else f"seed {lower}"
        ax.set_title(f"Seed {upper} above {words}", fontsize=8)
    _outer_labels(axes, n)
    legend_below(figure, axes, ncols=3)
    return figure, f"{heading}\n{_tables(results, digits)}"


def _title(pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return "No run classifies sequences after another phase"
    of_two = pairs[pairs["upper_seed"] != pairs["lower_seed"]]
    if of_two.empty:
        return "One seed alone is stitched to no other"
    n_above = int((of_two["above_random"] == "matches").sum())
    return (
        f"Through the vocabulary, {n_above} of {counted(len(of_two), 'pair')} of seeds stitch "
        f"better than at random: best accuracy {_range(of_two['accuracy'])}, random at most "
        f"{of_two['null_accuracy_largest'].max():.2f}, trained "
        f"{_range(of_two['trained_accuracy'])} at its own best layer"
    )


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def _subtitle(pairs: pd.DataFrame, run: str) -> str:
    if pairs.empty:
        return "0 runs"
    row = pairs.iloc[0]
    return (
        f"{words_of(run)}: {counted(row['n'], 'held-out sequence')} of "
        f"{counted(row['n_documents'], 'ancestor')}, {count(row['n_classes'])} classes · below: "
        "embeddings and blocks 1 … layer of a seed before it learned classes; above: the other "
        "blocks and the head of a seed that has learned them · best: of the upper half of layers · "
        "bands: 95 % intervals over ancestors; gray: all draws of both random stitches"
    )


def _of_pair(table: pd.DataFrame, upper: int, lower: int) -> pd.DataFrame:
    return table[(table["upper_seed"] == upper) & (table["lower_seed"] == lower)]


def _panel(ax: Axes, rows: pd.DataFrame, pair: pd.Series) -> None:
    """Draw stitches by layer over the range of random ones, with two lines to hold them to."""
    random = rows[rows["stitch"].isin(RANDOM)]
    if len(random):
        ends = random.groupby("layer").agg({"accuracy_low": "min", "accuracy_high": "max"})
        look: dict[str, Any] = {"color": NULL.color, "alpha": 0.35, "label": NULL.name}
        shade(ax, ends.reset_index(), "layer", "accuracy", **look)
    for value, look_of in ((pair["unstitched_accuracy"], ITSELF), (pair["chance"], CHANCE)):
        style: dict[str, Any] = {"color": look_of.color, "ls": look_of.line}
        ax.axhline(value, lw=0.8, label=look_of.name, **style)
    for name, look_of in STITCHES.items():
        of_stitch = rows[rows["stitch"] == name]
        if of_stitch.empty:
            continue
        style = {"color": look_of.color, "ls": look_of.line, "marker": look_of.marker}
        ax.plot(of_stitch["layer"], of_stitch["accuracy"], ms=3, label=look_of.name, **style)
        if name != "identity":
            shade(ax, of_stitch, "layer", "accuracy", color=look_of.color, alpha=0.15)
    ax.set_ylim(-0.03, 1.03)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _outer_labels(axes: Sequence[Axes], n: int) -> None:
    for number, ax in enumerate(axes):
        if number >= len(axes) - n:
            ax.set_xlabel("Layer of the stitch")
        if number % n == 0:
            ax.set_ylabel("Accuracy")
        else:
            ax.set_yticklabels([])


def _tables(results: Tables, digits: int) -> str:
    run = {"run": "run"} if "run" in results["pairs"] else {}
    keys = {**run, "upper_seed": "seed above", "lower_seed": "seed below"}
    columns = {
        **keys,
        "n_documents": "documents",
        **interval("unstitched_accuracy", "classifier itself"),
        "chance": "chance",
        "best_layer": "best layer",
        **interval("accuracy", "accuracy"),
        "null_accuracy": "random stitches",
        "null_accuracy_largest": "largest of these",
        "null_accuracy_largest_of_all_pairs": "largest of all pairs",
        "trained_accuracy": "trained stitch, at its own best layer",
        **interval("recovered", "recovered"),
        "above_random": "above random",
        "recovers_most": "most",
        "explained_share": "share of embeddings explained",
        "shuffled_explained_share": "of shuffled tokens",
        **interval("frequent_accuracy", "through frequent tokens"),
    }
    pairs = markdown_table(for_readers(results["pairs"], columns), digits)
    claims = {**run, "claim": "claim", "seed": "seed above", "n_pairs": "pairs"}
    claims |= {"n_matching": "matching", "n_differing": "differing"}
    claims |= {"holds_if": "a pair matches if", "verdict": "verdict"}
    of_claims = markdown_table(for_readers(results["claims"], claims), digits)
    layers = {**keys, "layer": "layer", "stitch": "stitch", "n": "sequences"}
    layers |= interval("accuracy", "accuracy")
    layers |= interval("less_vocabulary", "less that through the vocabulary")
    of_layers = markdown_table(for_readers(results["layers"], layers), digits)
    words = "Of random stitches, turned and of shuffled tokens, mean and range of the draws."
    return "\n".join(
        [
            section("Ordered pairs", RULES, pairs),
            section("Claims", "Of a seed above, over its pairs.", of_claims),
            folded(section("Layers", words, of_layers)),
        ]
    )

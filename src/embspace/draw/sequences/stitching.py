"""Figure and tables of `measure_stitching`: the accuracy of stitched models by layer."""

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
    shade,
)
from embspace.draw.page.looks import BLACK, BLUE, GRAY, GREEN, VERMILION, Look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import first_run, of_run
from embspace.files.tables import Tables

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
    "stitches or chance. A seed above itself, or above its base, is a control."
)


def draw_stitching(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a panel for each ordered pair of seeds, and for a run's seeds on another model.

    Accuracy by layer, of the first run by name of either kind, and of its first seeds; the tables
    are of all runs.
    """
    heading = "# Stitching\n\nStage `measure_stitching`.\n"
    tables = {name: _with_below(results[name]) for name in ("layers", "pairs", "claims")}
    pairs = tables["pairs"]
    of_seeds, of_models = _first_of(pairs, "lower_seed"), _first_of(pairs, "lower_model")
    panels, n = _panels(of_seeds, of_models)
    n_rows = max(-(-len(panels) // n), 1)
    figure, axes = new_figure(
        n_rows,
        n,
        height_mm=n_rows * row_height_mm + 48 if panels else 40,
        title=_title(of_seeds, of_models),
        subtitle=_subtitle(pairs),
        stage="measure_stitching",
    )
    if not panels:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    for ax, pair in zip(axes, panels, strict=False):
        _panel(ax, _of_pair(tables["layers"], pair), pair)
        ax.set_title(f"Seed {pair['upper_seed']} above {_words_below(pair)}", fontsize=8)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    _outer_labels(axes, n)
    legend_below(figure, axes, ncols=3)
    return figure, f"{heading}\n{_tables(tables, digits)}"


def _with_below(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with what is below as one word: a seed of the run, or a model's name."""
    if "lower_seed" not in table:
        return table
    models = table["lower_model"].astype("string")
    seeds = "seed " + table["lower_seed"].astype("Int64").astype("string")
    return table.assign(below=models.fillna(seeds))


def _first_of(pairs: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the pairs of the first run whose lower models are named in this column."""
    if column not in pairs:
        return pd.DataFrame(columns=["upper_seed", "lower_seed", "lower_model", "is_control"])
    rows = pairs[pairs[column].notna()]
    return of_run(rows, first_run(rows))


def _panels(of_seeds: pd.DataFrame, of_models: pd.DataFrame) -> tuple[list[pd.Series], int]:
    """Return the pairs that have a panel, and how many stand in a row.

    Of seeds a square; of models a row: one control, and the pairs that are none.
    """
    seeds = sorted(of_seeds["upper_seed"].unique())[:N_SEEDS]
    is_shown = of_seeds["upper_seed"].isin(seeds) & of_seeds["lower_seed"].isin(seeds)
    square = [row for _, row in of_seeds[is_shown].iterrows()]
    control, others = (of_models[of_models["is_control"] == value] for value in (True, False))
    n = max(len(seeds), N_SEEDS if len(of_models) else 1)
    row = [row for _, row in pd.concat([control[:1], others]).iterrows()][:n]
    return square + row, n


def _words_below(pair: pd.Series) -> str:
    words = "base" if pd.notna(pair["lower_model"]) else "itself"
    return f"{words} (control)" if pair["is_control"] else str(pair["below"])


def _title(of_seeds: pd.DataFrame, of_models: pd.DataFrame) -> str:
    if of_seeds.empty and of_models.empty:
        return "No run classifies sequences after another phase"
    kinds = {"seeds": of_seeds, "a run and another model": of_models}
    others = {kind: pairs[~pairs["is_control"].astype(bool)] for kind, pairs in kinds.items()}
    parts = [_of_kind(kind, pairs) for kind, pairs in others.items() if len(pairs)]
    if not parts:
        return "One seed alone is stitched to no other"
    return f"Through the vocabulary, {', '.join(parts)}"


def _of_kind(kind: str, pairs: pd.DataFrame) -> str:
    n_above = int((pairs["above_random"] == "matches").sum())
    return (
        f"{n_above} of {counted(len(pairs), 'pair')} of {kind} stitch better than at random "
        f"({_range(pairs['accuracy'])}; states as they are {_range(pairs['identity_accuracy'])})"
    )


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def _subtitle(pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return "0 runs"
    return (
        "below: embeddings and blocks 1 … layer of a model before it learned classes; above: the "
        "other blocks of a seed that has learned them, or those that a run has tuned, and the head "
        "· best: of the upper half of layers · bands: 95 % intervals over documents; gray: all "
        "draws of both random stitches"
    )


def _of_pair(table: pd.DataFrame, pair: pd.Series) -> pd.DataFrame:
    keys = ["upper_seed", "below", *(["run"] if "run" in table else [])]
    return table[(table[keys] == pair[keys]).all(axis=1)]


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
    keys = {**run, "upper_seed": "seed above", "below": "below"}
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
        "identity_accuracy": "as they are, at their own best layer",
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

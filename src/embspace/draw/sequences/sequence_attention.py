"""Figure and tables of `measure_sequence_attention`: where heads look along the gene."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
    shade,
)
from embspace.draw.page.looks import seed_look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import (
    RANDOM,
    first_run,
    of_run,
    show_codons,
    words_of,
)

FURTHER_RESULTS = ("attribution/changes.csv",)
N_COLUMNS = 4
NONE = "no run classifies simulated sequences; `make all` trains one"
ANY, OWN = "defining sites of any class", "defining sites of its class"
FIRST = "first token"
READERS = {FIRST: "of [CLS]", "k-mers": "of the k-mers, mean"}
SHOWN = {
    "row_entropy": ("Row entropy", "Share of ln n"),
    "value_entropy": ("Value entropy", "Nats"),
    "cone_index": ("Cone index", "Of a sequence"),
    "mean_cosine": ("Mean cosine", "Of a sequence"),
}
LARGEST_LOG = 3.0  # eight times as much


def draw_sequence_attention(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw attention along the gene, heads against the defining sites, and entropies by layer.

    Of the first run by name that has results; the tables are of all runs.
    """
    heading = "# Attention along the gene\n\nStage `measure_sequence_attention`.\n"
    run = first_run(results["regions"])
    rows = of_run(results["regions"], run) if run else results["regions"]
    figure, axes = new_figure(
        4 if len(rows) else 1,
        N_COLUMNS if len(rows) else 1,
        height_mm=4 * row_height_mm + 46 if len(rows) else 40,
        title=_title(rows),
        subtitle=_subtitle(rows, run or label),
        stage="measure_sequence_attention",
    )
    if rows.empty:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    places, changes = of_run(results["places"], run), results["attribution/changes"]
    codons = sorted(set(of_run(changes, run)["codon"])) if len(changes) else []
    for number, (reader, words) in enumerate(READERS.items()):
        ax = join_panels(axes[N_COLUMNS * number : N_COLUMNS * (number + 1)])
        _along_the_gene(ax, places[places["reader"] == reader], codons)
        ax.set_title(f"Attention {words}")
    heads = rows[(rows["reader"] == FIRST) & (rows["region"] == ANY)]
    _heads(axes[2 * N_COLUMNS : 3 * N_COLUMNS], heads)
    layers = of_run(results["layers"], run)
    for ax, (quantity, (title, unit)) in zip(axes[3 * N_COLUMNS :], SHOWN.items(), strict=True):
        _lines(ax, layers[layers["quantity"] == quantity])
        ax.set(title=title, xlabel="Layer", ylabel=unit)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes[3 * N_COLUMNS :], ncols=6)
    return figure, f"{heading}\n{_tables(results, digits)}"


def _title(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "No run classifies simulated sequences"
    heads = rows[(rows["weights"] == "trained") & (rows["reader"] == FIRST)]
    of_any, of_own = (heads[heads["region"] == region] for region in (ANY, OWN))
    n_seeds = heads["model_seed"].nunique()
    seeds = f"{counted(n_seeds, 'seed')} × {len(of_any) // n_seeds}"
    return (
        f"{_n_true(of_any, 'above_random_heads')} of {len(of_any)} heads ({seeds}) have [CLS] look "
        "at defining sites of any class more than every random head does, "
        f"{_n_true(of_any, 'below_random_heads')} away from them; at the sequence's own sites: "
        f"{_n_true(of_own, 'above_random_heads')}"
    )


def _n_true(heads: pd.DataFrame, verdict: str) -> int:
    return int((heads[verdict].astype(str) == "True").sum())


def _subtitle(rows: pd.DataFrame, run: str) -> str:
    if rows.empty:
        return "0 runs"
    n_seeds = rows[rows["weights"] == "trained"]["model_seed"].nunique()
    n_random = rows[rows["weights"] != "trained"]["model_seed"].nunique()
    return (
        f"{words_of(run)}: {counted(n_seeds, 'seed')}, "
        f"{counted(rows['n_documents'].max(), 'held-out sequence')}, one an ancestor · a, b: mean "
        "over heads, sequences and seeds · c to f: ratio of the attention of [CLS] to a k-mer with "
        "a codon that defines any class to that to others · random heads: all of "
        f"{counted(n_random, 'model')} with random weights, f shows one · bands: 95 % intervals "
        "over sequences"
    )


def _along_the_gene(ax: Axes, places: pd.DataFrame, codons: list[int]) -> None:
    import seaborn as sns

    wide = places.pivot_table("attention", "layer", "place")
    bar = {"pad": 0.01, "aspect": 12, "label": "attention"}
    sns.heatmap(wide, ax=ax, cmap="mako_r", vmin=0, cbar_kws=bar, xticklabels=False)
    show_codons(ax, places, codons)
    ax.set_ylabel("Layer")
    ax.tick_params(length=0, rotation=0)
    ax.grid(visible=False)


def _heads(axes: Sequence[Axes], heads: pd.DataFrame) -> None:
    """Draw a map of layers and heads for each seed, and the first of random weights last."""
    import seaborn as sns

    trained = heads[heads["weights"] == "trained"]
    seeds = sorted(trained["model_seed"].unique())[: len(axes) - 1]
    panels = [(f"Ratio, seed {seed:g}", trained[trained["model_seed"] == seed]) for seed in seeds]
    panels.append(("Ratio, random", heads[(heads["weights"] != "trained")]))
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    for ax, (title, rows) in zip(axes, panels, strict=False):
        one = rows[rows["model_seed"] == rows["model_seed"].min()]
        wide = np.log2(one.pivot_table("ratio", "layer", "head"))
        limit: dict[str, Any] = {"vmin": -LARGEST_LOG, "vmax": LARGEST_LOG, "cmap": "RdBu_r"}
        bar = {"label": "log2 of the ratio", "pad": 0.03} if ax is axes[len(panels) - 1] else None
        sns.heatmap(wide, ax=ax, cbar=bar is not None, cbar_kws=bar, linewidths=0.3, **limit)
        ax.set_title(title, fontsize=8)
        ax.set(xlabel="Head", ylabel="Layer" if ax is axes[0] else "")
        ax.tick_params(length=0, rotation=0)
        ax.grid(visible=False)


def _lines(ax: Axes, rows: pd.DataFrame) -> None:
    for _, of_model in rows[rows["weights"] != "trained"].groupby("model_seed"):
        look: dict[str, Any] = {"color": RANDOM.color, "ls": RANDOM.line, "lw": 0.8}
        ax.plot(of_model["layer"], of_model["value"], label=RANDOM.name, **look)
    for seed, of_model in rows[rows["weights"] == "trained"].groupby("model_seed"):
        look = seed_look(int(str(seed)))._asdict()
        style = {"color": look["color"], "marker": look["marker"], "ls": look["line"], "ms": 3}
        ax.plot(of_model["layer"], of_model["value"], label=look["name"].capitalize(), **style)
        shade(ax, of_model, "layer", "value", color=look["color"], alpha=0.2)


def _tables(results: Results, digits: int) -> str:
    regions, layers = results["regions"], results["layers"]
    keys = {"run": "run"} if "run" in regions else {}
    keys |= {"weights": "weights", "model_seed": "seed", "layer": "layer"}
    columns = {
        **keys,
        "head": "head",
        "reader": "reader",
        "region": "region",
        "n_documents": "sequences",
        **interval("ratio", "ratio"),
        "largest_random_ratio": "largest of random weights",
        "looks_there": "looks there",
        "smallest_ratio_of_random_heads": "smallest of all random heads",
        "largest_ratio_of_random_heads": "largest of these",
        "above_random_heads": "above them",
        "below_random_heads": "below them",
    }
    trained = regions[(regions["weights"] == "trained") & (regions["reader"] == FIRST)]
    top = trained.sort_values("ratio", ascending=False).groupby("region", sort=False).head(8)
    words = (
        "Ratio: attention to a place in the region over that to a place outside of it, 1 where it "
        "is even. A head looks there if the interval is above 1 and above the same head of all "
        "random weights, a rule that was fixed before. Many heads with random weights have an "
        "interval without 1, for sequences share their places; so it is also said, by a rule that "
        "was added after the results, which heads are above every head of all random weights, or "
        "below every one and 1. The eight largest of [CLS] by region."
    )
    first = section("Heads", words, markdown_table(for_readers(top, columns), digits))
    heads = regions[regions["weights"] == "trained"]
    every = section("All heads", "", markdown_table(for_readers(heads, columns), digits))
    shown = {**keys, "quantity": "quantity", "n_documents": "sequences"}
    shown |= interval("value", "value")
    named = layers.assign(quantity=layers["quantity"].str.replace("_", " "))
    by_layer = section("Layers", "", markdown_table(for_readers(named, shown), digits))
    return "\n".join([first, folded(f"{by_layer}\n{every}")])

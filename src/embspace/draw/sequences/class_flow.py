"""Figure and tables of `measure_class_flow`: how the first token parts classes, by layer."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    join_panels,
    legend_below,
    new_figure,
    percent,
    say_instead,
    shade,
    without_axes,
)
from embspace.draw.page.looks import GRAY, seed_look
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import (
    RANDOM,
    class_looks,
    first_run,
    of_run,
    words_of,
)

N_COLUMNS = 4
NONE = "no run classifies sequences; `make all` trains one"
QUANTITIES = {"silhouette": "Silhouette", "nearest_in_class": "Nearest of the same class"}
# Of seeds: browns, for each color of the other figures stands for a class in this one.
SEED_COLORS = ("#4D2600", "#A6611A", "#C9A66B")
METHODS = {"pca": "PCA", "tsne": "t-SNE"}


def draw_class_flow(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw silhouettes and nearest neighbors by layer, and maps of some layers, of one run.

    The first by name that has results; the tables are of all runs.
    """
    heading = "# Class flow\n\nStage `measure_class_flow`.\n"
    run = first_run(results["separation"])
    rows = of_run(results["separation"], run) if run else results["separation"]
    figure, axes = new_figure(
        3 if len(rows) else 1,
        N_COLUMNS if len(rows) else 1,
        height_mm=3 * row_height_mm + 42 if len(rows) else 40,
        title=_title(rows),
        subtitle=_subtitle(rows, run or label),
        stage="measure_class_flow",
    )
    if rows.empty:
        say_instead(axes, NONE)
        return figure, f"{heading}\nNone.\n"
    panels = [join_panels(axes[:2]), join_panels(axes[2:N_COLUMNS])]
    for ax, (quantity, words) in zip(panels, QUANTITIES.items(), strict=True):
        _lines(ax, rows, quantity)
        ax.set_title(words)
        ax.set_xlabel("Layer")
    panels[1].set_ylim(-0.03, 1.03)
    maps, quality = of_run(results["maps"], run), of_run(results["quality"], run)
    for number, method in enumerate(METHODS):
        first = N_COLUMNS * (number + 1)
        _maps(axes[first : first + N_COLUMNS], maps, quality, method)
    legend_below(figure, [*panels, axes[N_COLUMNS]], ncols=5)
    return figure, f"{heading}\n{_tables(results, digits)}"


def _title(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "No run classifies sequences"
    trained = rows[rows["weights"] == "trained"]
    last = trained[trained["layer"] == trained["layer"].max()]
    n_parted = int((last["is_parted"].astype(str) == "True").sum())
    early = trained[trained["layer"] == 1]["silhouette"]
    return (
        f"[CLS] parts the classes at the last layer in {n_parted} of {counted(len(last), 'seed')}: "
        f"silhouette {last['silhouette'].min():.2f} to {last['silhouette'].max():.2f}, "
        f"{early.min():.2f} to {early.max():.2f} after the first block"
    )


def _subtitle(rows: pd.DataFrame, run: str) -> str:
    if rows.empty:
        return "0 runs"
    row = rows.iloc[-1]
    return (
        f"{words_of(run)}: {counted(row['n'], 'held-out sequence')} of "
        f"{counted(row['n_documents'], 'ancestor')}, {count(row['n_classes'])} classes · a, b: "
        "mean of an ancestor's sequences, cosine distance; at layer 0 all have one vector; bands: "
        "95 % intervals over ancestors, gray: classes dealt at random · maps: every sequence, seed "
        f"{rows['model_seed'].min():g}"
    )


def _lines(ax: Axes, rows: pd.DataFrame, quantity: str) -> None:
    """Draw a line for each model, solid after training, dashed before classes were learned."""
    for _, of_model in rows[rows["weights"] == "random weights"].groupby("model_seed"):
        ax.plot(
            of_model["layer"], of_model[quantity], color=RANDOM.color, lw=0.7, ls=":",
            label=RANDOM.name,
        )  # fmt: skip
    null = rows[(rows["weights"] == "trained") & rows[f"null_{quantity}"].notna()]
    if len(null):
        null = null[null["model_seed"] == null["model_seed"].min()]
        shade(ax, null, "layer", f"null_{quantity}", color=GRAY, alpha=0.25)
    for weights, line in (("pretrained", "--"), ("trained", "-")):
        for seed, of_model in rows[rows["weights"] == weights].groupby("model_seed"):
            look = seed_look(int(str(seed)))
            color = SEED_COLORS[int(str(seed)) % len(SEED_COLORS)]
            of_line: dict[str, Any] = {"color": color, "linestyle": line}
            if weights == "trained":
                of_line |= {"label": look.name.capitalize(), "marker": look.marker, "ms": 3}
                shade(ax, of_model, "layer", quantity, color=color, alpha=0.2)
            else:
                of_line |= {"lw": 0.8, "label": "dashed: before it learned classes"}
            ax.plot(of_model["layer"], of_model[quantity], **of_line)


def _maps(axes: Sequence[Axes], maps: pd.DataFrame, quality: pd.DataFrame, method: str) -> None:
    looks = class_looks(maps["class"])
    layers = sorted(maps["layer"].unique())
    for ax in axes[len(layers) :]:
        ax.set_axis_off()
    for ax, layer in zip(axes, layers, strict=False):
        at_layer = maps[maps["layer"] == layer]
        for name, look in looks.items():
            rows = at_layer[at_layer["class"] == name]
            style: dict[str, Any] = {
                "color": look.color,
                "marker": look.marker,
                "ls": "",
                "ms": 4,
            }
            ax.plot(rows[f"{method}_1"], rows[f"{method}_2"], label=name, mew=0, **style)
        of_map = quality[(quality["layer"] == layer) & (quality["method"] == method)].iloc[0]
        kept = f"trustworthiness {of_map['trustworthiness']:.2f}"
        if method == "pca":
            shares = of_map["explained_variance_1"] + of_map["explained_variance_2"]
            kept = f"{percent(shares)} of the variance"
        ax.set_title(f"{METHODS[method]}, layer {layer}", fontsize=8)
        without_axes(ax)
        ax.set_xlabel(kept, fontsize=7)


def _tables(results: Results, digits: int) -> str:
    table = results["separation"]
    keys = {"run": "run"} if "run" in table else {}
    keys |= {"weights": "weights", "model_seed": "seed", "layer": "layer"}
    columns = {
        **keys,
        "n_documents": "documents",
        **interval("silhouette", "silhouette"),
        **interval("null_silhouette", "classes dealt anew"),
        **interval("nearest_in_class", "nearest of the same class"),
        "silhouette_p_value": "p-value",
        "is_parted": "parted",
    }
    trained = table[table["weights"] == "trained"]
    last = trained[trained["layer"] == trained["layer"].max()]
    words = (
        "Of the vectors of [CLS], mean over the texts of a document, by cosine distance. Parted: "
        "the interval of the silhouette is above the range of the null and above all random "
        "weights, a rule that was fixed before."
    )
    first = section("The last layer", words, markdown_table(for_readers(last, columns), digits))
    every = section(
        "All layers and weights", "", markdown_table(for_readers(table, columns), digits)
    )
    note = "Of the maps that are drawn, with the quality that a random layout has."
    maps = section("Maps", note, markdown_table(results["quality"], digits))
    return "\n".join([first, folded(f"{every}\n{maps}")])

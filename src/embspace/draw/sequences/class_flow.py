"""Tells how the first token parts classes by layer, from `measure_class_flow`."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted, shade
from embspace.draw.page.looks import BLUE, GRAY, SKY
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import RANDOM, first_run, in_words, rows_of_run

STAGE = "measure_class_flow"
DRAWN_IN = "attribution"


def draw_class_flow(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how far the classes of the first run by name are parted, and tables of all runs."""
    run = first_run(results["separation"])
    rows = rows_of_run(results["separation"], run) if run else results["separation"]
    tables = _tables(results, digits) if len(rows) else ["None.\n"]
    return _finding(rows), tables_page("Class flow", STAGE, *tables)


def _finding(rows: pd.DataFrame) -> str:
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


def draw_silhouettes(ax: Axes, rows: pd.DataFrame) -> None:
    """Draw the silhouette of the classes by layer: a line a model, and classes dealt at random."""
    null = rows[(rows["weights"] == "trained") & rows["null_silhouette"].notna()]
    if len(null):
        null = null[null["model_seed"] == null["model_seed"].min()]
        shade(ax, null, "layer", "null_silhouette", color=GRAY, alpha=0.25)
    looks: dict[str, dict[str, Any]] = {
        "random weights": {"color": RANDOM.color, "ls": RANDOM.line, "lw": 0.7},
        "pretrained": {"color": SKY, "ls": "--", "lw": 0.9, "label": "before it learned classes"},
        "trained": {"color": BLUE, "marker": "o", "ms": 3, "lw": 0.9, "label": "a seed"},
    }
    for weights, look in looks.items():
        for _, line in rows[rows["weights"] == weights].groupby("model_seed"):
            ax.plot(line["layer"], line["silhouette"], **look)
    ax.set(title="Classes by layer", xlabel="layer", ylabel="silhouette of [CLS]")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(results: Results, digits: int) -> list[str]:
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
    last = last.assign(is_parted=in_words(last["is_parted"]))
    short = {
        name: shown for name, shown in columns.items() if name not in ("weights", "n_documents")
    }
    first = section("The last layer", words, markdown_table(for_readers(last, short), digits))
    every = section(
        "All layers and weights", "", markdown_table(for_readers(table, columns), digits)
    )
    note = "Of the maps that are drawn, with the quality that a random layout has."
    maps = section("Maps", note, markdown_table(results["quality"], digits))
    return [first, every, maps]

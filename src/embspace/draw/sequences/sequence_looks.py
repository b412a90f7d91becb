"""Looks of classes, methods and codons, for all figures of classifiers of sequences."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import (
    BLACK,
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    VERMILION,
    Look,
)

METHODS = {
    "occlusion": Look("occlusion", BLUE, "o", "-"),
    "attention_rollout": Look("attention rollout", VERMILION, "^", "--"),
    "gradient_x_input": Look("gradient × input", GREEN, "s", "-."),
    "last_attention": Look("attention of the last layer", PURPLE, "D", ":"),
    "logistic_regression": Look("coefficients of logistic regression", ORANGE, "v", (0, (5, 1))),
    "defining_sites": Look("the known sites first", BLACK, "P", "-"),
    "random_order": Look("random order", GRAY, "x", ":"),
}
RANDOM = Look("random weights", GRAY, "x", ":")
LABEL_GAP = 1.7  # places between two numbers of codons


def first_run(*tables: pd.DataFrame) -> str:
    """Return the name of the first run with rows in any table; empty without a run."""
    names = {str(name) for table in tables if "run" in table for name in table["run"]}
    return min(names, default="")


def words_of(run: str) -> str:
    """Return the name of a run as a reader sees it."""
    return run.replace("_", " ").replace("rna", "RNA")


def rows_of_run(table: pd.DataFrame, run: str) -> pd.DataFrame:
    """Return the rows of a run; all of a table of one run alone."""
    return table[table["run"] == run] if "run" in table else table


def in_words(verdicts: pd.Series) -> pd.Series:
    """Return yes or no in the place of what a table has of true and false."""
    return verdicts.astype(str).map({"True": "yes", "False": "no"})


def show_codons(ax: Axes, places: pd.DataFrame, codons: Sequence[int]) -> None:
    """Write codons below a heat map of places, with lines to the codons' places.

    `places` has the columns `place` and `first_codon`. A codon shared by two places lies on the
    border. Without codons the axis has the first codon of every tenth place.
    """
    starts = places.drop_duplicates("place").set_index("place")["first_codon"].sort_index()
    if len(starts) < 2 or not len(codons):
        shown = starts.iloc[::10]
        ax.set_xticks(shown.index + 0.5, [str(codon) for codon in shown], rotation=0)
        ax.set_xlabel("First codon of each k-mer")
        return
    ax.set_xticks([])
    ax.set_xlabel("Codons of the gene that define a class", labelpad=24)
    stride = (starts.iloc[-1] - starts.iloc[0]) / (len(starts) - 1)
    at = (np.array(sorted(codons)) - starts.iloc[0]) / stride
    line = {"arrowstyle": "-", "color": GRAY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
    below = ax.get_xaxis_transform()
    for x, label_x, codon in zip(at, spread(at, LABEL_GAP), sorted(codons), strict=True):
        ax.annotate(
            str(codon),
            (x, 0.0),
            (label_x, -0.10),
            xycoords=below,
            textcoords=below,
            arrowprops=line,
            rotation=90,
            ha="center",
            va="top",
            fontsize=7,
            annotation_clip=False,
        )

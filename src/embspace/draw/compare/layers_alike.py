"""Draws how alike two models hold texts and words in layers equally deep."""

import pandas as pd
from matplotlib.axes import Axes

from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import BLACK, GRAY, corpus_looks

CKA, DEEP = "debiased_linear_cka", "procrustes_similarity"  # the latter of layers equally deep only
LAYERS = ["layer", "other_layer"]


def equally_deep(alignment: pd.DataFrame) -> pd.DataFrame:
    """Return debiased CKA of layers equally deep, of the first corpus that has texts and words.

    Of the first at all where none has both.
    """
    deep = alignment.loc[alignment["measure"] == DEEP, LAYERS].drop_duplicates()
    rows = alignment[alignment["measure"] == CKA].merge(deep, on=LAYERS)
    n_units = rows.groupby("corpus", sort=False)["unit"].nunique()
    return rows[rows["corpus"].isin([*n_units.index[n_units == n_units.max()][:1]])].sort_values(
        "layer"
    )


def draw_alike(model: str, ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a line of texts and a dashed line of words, named at the ends."""
    for unit, unit_rows in rows.groupby("unit", sort=False):
        name = f"{corpus_looks(rows['corpus'])[unit_rows['corpus'].iloc[0]].name}, {unit}s"
        marks, dashes = ("^", "-") if unit == "text" else ("v", "--")
        ax.plot(unit_rows["layer"], unit_rows["value"], marks, ls=dashes, color=BLACK, ms=3.5)
        ends = (unit_rows["low"], unit_rows["high"])
        ax.fill_between(unit_rows["layer"], *ends, color=GRAY, alpha=0.25, lw=0)
        ax.lines[-1].set_label(name)
    chance = float(rows["null"].mean())
    ax.axhline(chance, color=GRAY, ls=":", lw=0.8, label="by chance")
    ax.set(ylim=(min(-0.05, rows["value"].min()), 1.02), xticks=sorted(set(rows["layer"])))
    ax.set(xlabel=f"layer of {model}", ylabel="debiased linear CKA")
    name_lines(ax, 0.085)
    for drawn in ax.lines:  # named already
        drawn.set_label("_")

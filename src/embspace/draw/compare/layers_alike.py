"""Draws how alike two models hold texts and words in layers equally deep."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from embspace.draw.page.direct_labels import name_ends
from embspace.draw.page.looks import BLACK, GRAY, corpus_looks

CKA, DEEP = "debiased_linear_cka", "procrustes_similarity"  # the latter of layers equally deep only
LAYERS = ["layer", "other_layer"]
GAP = 0.085  # between two names, of the height of the axis
ROOM = 2.0  # times the last layer, for the names
MARGIN = 0.05  # of the last layer, before the first and behind the last


def equally_deep(alignment: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of debiased CKA of the layers of two models that lie equally deep."""
    deep = alignment.loc[alignment["measure"] == DEEP, LAYERS].drop_duplicates()
    return alignment[alignment["measure"] == CKA].merge(deep, on=LAYERS).sort_values("layer")


def draw_alike(model: str, ax: Axes, rows: pd.DataFrame) -> None:
    """Draw a line a corpus, solid of texts and dashed of words, with its name at its end."""
    looks = corpus_looks(rows["corpus"])
    lines = {(str(c), u): line for (c, u), line in rows.groupby(["corpus", "unit"], sort=False)}
    last, chance = rows["layer"].max(), float(rows["null"].mean())
    for (corpus, unit), line in lines.items():
        style: dict[str, Any] = {"color": BLACK, "ls": "-" if unit == "text" else "--"}
        style |= {"marker": looks[corpus].marker, "ms": 3.5, "lw": 1}
        ax.plot(line["layer"], line["value"], **style)
        ax.fill_between(line["layer"], line["low"], line["high"], color=GRAY, alpha=0.25, lw=0)
    edge = (1 + 2 * MARGIN) / (ROOM + MARGIN)
    ax.axhline(chance, xmax=edge, color=GRAY, ls=":", lw=0.8)
    ends = [float(line["value"].iloc[-1]) for line in lines.values()]
    names = [looks[corpus].name + (", words" if unit == "word" else "") for corpus, unit in lines]
    ax.set(xlim=(-MARGIN * last, ROOM * last), ylim=(min(-GAP, rows["value"].min()), 1.02))
    colors = [BLACK] * len(names) + [GRAY]
    name_ends(ax, [*names, "by chance"], [*ends, chance], colors, GAP, between=(edge, edge + 0.1))
    ax.set(xlabel=f"layer of {model}", ylabel="debiased linear CKA")
    ticks = MaxNLocator(integer=True, nbins=6).tick_values(0, max(last, 1))
    ax.set_xticks([tick for tick in ticks if 0 <= tick <= last])

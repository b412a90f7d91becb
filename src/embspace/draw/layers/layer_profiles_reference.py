"""Profiles of known models, beside which the figures of the families show a model's own.

`python -m embspace.app.reporting.reference` writes the table from results.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from embspace.draw.page.direct_labels import spread
from embspace.draw.page.looks import GRAY
from embspace.files.tables import load_table

TABLE = Path(__file__).with_name("layer_profiles_reference.csv")
KEYS = ["corpus", "tokens_per_text", "model", "space", "measure"]
LINE: dict[str, Any] = {"color": "0.72", "linewidth": 0.9, "linestyle": "-", "zorder": 0.5}
OF_NEIGHBORS = ("two_nn", "gride", "hubness", "reciprocity")
"""Measures whose value moves with the number of vectors, and so with the texts."""
GAP = 0.08  # of a panel's height, between two names


@cache
def known_profiles() -> pd.DataFrame:
    """The table of known models: a row for each corpus, model, space, measure and layer."""
    return load_table(str(TABLE))


def tokens_per_text(profiles: pd.DataFrame, corpus: str) -> float:
    """Return the tokens of a document of a profiled corpus; NaN without tokens."""
    rows = profiles[(profiles["corpus"] == corpus) & (profiles["space"] == "token")]
    return float((rows["n"] / rows["n_texts"]).max())


def profiles_beside(profiles: pd.DataFrame, label: str, known: pd.DataFrame) -> pd.DataFrame:
    """Return rows of known models on the corpus of a model that most of them have read.

    For texts that none has read: on texts of the most similar length, but for measures of
    neighbors, which depend on how many vectors there are. Without the model itself
    and its random weights, which are a null of the figure. Layers are on the scale of the model's:
    a half is the middle of both.
    """
    known = known[~known["model"].isin([label, f"random {label}"])]
    if profiles.empty or known.empty:
        return known[:0]
    names = list(dict.fromkeys(profiles["corpus"]))
    shared = [name for name in names if name in {*known["corpus"]}]
    if shared:
        n_models = known.groupby("corpus")["model"].nunique()
        corpus = str(n_models[shared].idxmax())
    else:
        lengths = known.groupby("corpus", sort=False)["tokens_per_text"].first()
        own = tokens_per_text(profiles, names[0])
        corpus = str(abs(np.log(lengths / (own if own > 0 else 1))).idxmin())
    rows = known[known["corpus"] == corpus]
    rows = rows if shared else rows[~rows["measure"].isin(OF_NEIGHBORS)]
    last = rows.groupby("model")["layer"].transform("max")
    return rows.assign(layer=rows["layer"] / last * profiles["layer"].max())


def draw_beside(ax: Axes, known: pd.DataFrame, space: str, measure: str) -> None:
    """Draw a gray line for each known model; `name_beside` writes the names once scales are set."""
    rows = known[(known["space"] == space) & (known["measure"] == measure)]
    for model, line in rows.groupby("model", sort=False):
        ax.plot(line["layer"], line["value"], label=f"known: {model}", **LINE)


def name_beside(axes: Sequence[Axes]) -> None:
    """Write the names of known models at the right ends of their lines, none upon another."""
    for ax in axes:
        lines = [line for line in ax.lines if str(line.get_label()).startswith("known: ")]
        ends = np.array([np.asarray(line.get_xydata())[-1] for line in lines]).reshape(-1, 2)
        heights = ax.transAxes.inverted().transform(ax.transData.transform(ends))[:, 1]
        for line, height in zip(lines, spread(heights, GAP, 0.02), strict=True):
            ax.annotate(
                str(line.get_label()).removeprefix("known: "),
                (1.01, float(height)),
                xycoords="axes fraction",
                va="center",
                color=GRAY,
                fontsize=5.5,
                annotation_clip=False,
            )


def legend_words(known: pd.DataFrame) -> str:
    """Return what the gray lines are."""
    return f"gray: known models on {known['corpus'].iloc[0]}, by share of depth"

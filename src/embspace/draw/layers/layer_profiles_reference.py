"""Profiles of known models, beside which the figures of the families show a model's own.

`python -m embspace.app.reporting.reference` writes the table from results.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from embspace.files.tables import load_table

TABLE = Path(__file__).with_name("layer_profiles_reference.csv")
KEYS = ["corpus", "tokens_per_text", "model", "space", "measure"]
OF_NEIGHBORS = ("two_nn", "gride", "hubness", "reciprocity")
"""Measures that depend on the number of vectors, and thereby on the texts."""


@cache
def known_profiles() -> pd.DataFrame:
    """The table of known models: a row for each corpus, model, space, measure and layer."""
    return load_table(str(TABLE))


def tokens_per_text(profiles: pd.DataFrame, corpus: str) -> float:
    """Return the tokens of a document of a profiled corpus; NaN without tokens."""
    rows = profiles[(profiles["corpus"] == corpus) & (profiles["space"] == "token")]
    return float((rows["n"] / rows["n_texts"]).max())


def profiles_beside(profiles: pd.DataFrame, label: str, known: pd.DataFrame) -> pd.DataFrame:
    """Return rows of known models on the model's corpus that most of them have read.

    If none has read any corpus of the model, the rows are from texts of the most similar length,
    without the measures of neighbors, which depend on the number of vectors. The model and its
    random weights are left out: the figure shows random weights as a null. Layers are scaled to the
    model's layers: a half is the middle of both.
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

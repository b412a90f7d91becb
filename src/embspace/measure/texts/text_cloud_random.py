"""Measures how alike texts are at random weights, the null of `measure_text_clouds`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import Table
from embspace.clouds.documents import some_documents
from embspace.files.rows import load_rows
from embspace.files.tables import Row
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.tables.pooled_states import pooled_states
from embspace.models.weights import with_random_weights

POOLING = "mean"
HIGH = 0.8  # as the first of the cosines that `thresholds` counts pairs above
QUARTILES = {0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile"}
RANDOM_TEXTS = Table(
    {
        "corpus": ("row", "corpus"),
        "layer": ("row", "layer"),
        "n": ("count", "texts"),
        "n_pairs": ("count", "pairs"),
        **{f"quantile_{share}": ("distance", name) for share, name in QUARTILES.items()},
        "share_above": ("accuracy", f"share above {HIGH}"),
    }
)


def load_tokens(states: str, texts: str, corpora: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the tokens of the first window of each document, as a model has read it, by corpus."""
    read = {}
    for corpus in corpora:
        windows = load_rows(f"{states}/{corpus}.windows.parquet")
        known = load_rows(f"{texts}/{corpus}.parquet").drop_duplicates("id").set_index("id")
        document = known["document"].reindex(windows["text"]).reset_index(drop=True)
        first = document[~document.duplicated()]
        tokens = load_rows(f"{states}/{corpus}.tokens.parquet")
        tokens = tokens[tokens["window"].isin(first.index)].reset_index(drop=True)
        read[corpus] = tokens.assign(document=tokens["window"].map(first))
    return read


def random_texts(
    module: Any,
    tokens: Mapping[str, pd.DataFrame],
    most_documents: int,
    reading: tuple[str | None, int, str],
    seed: int,
) -> pd.DataFrame:
    """Return a row per corpus and layer: quartiles of the cosines of all pairs of texts.

    Texts are one window each of at most `most_documents` documents, spread evenly over the corpus,
    by mean pooling. `share_above` is of pairs above .8. Vectors alone, whose `module`
    is None, have no row. `reading` is the final norm, tokens per batch, and the device.
    """
    if module is None:
        return RANDOM_TEXTS.of()
    rows: list[Row] = []
    randomized = with_random_weights(module, seed)
    for corpus, read in tokens.items():
        chosen = some_documents(read, most_documents)
        states = pooled_states(randomized, chosen, *reading, [POOLING])
        for layer, vectors in enumerate(states[POOLING]):
            rows.append({"corpus": corpus, "layer": layer, **_pairs(vectors)})
    return RANDOM_TEXTS.of(rows)


def _pairs(vectors: Float[np.ndarray, "text dim"]) -> Row:
    """Return how alike all pairs of vectors are."""
    unit = unit_rows(vectors.astype(np.float64))
    values = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    quantiles = {f"quantile_{share}": np.quantile(values, share) for share in QUARTILES}
    share_above = (values > HIGH).mean()
    return {"n": len(unit), "n_pairs": len(values), **quantiles, "share_above": share_above}

"""Each token beside the mean of all: what two figures show by the kinds of tokens."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from embspace.draw.page.token_kinds import token_kinds
from embspace.geometry.pairs.directions import norms


def tokens_and_mean(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return one row a token: id, token, kind, and what `measure_mean_embedding` measures of it.

    That stage keeps histograms alone, which do not say which tokens are where.
    """
    vectors = results["data/extracted/embeddings.safetensors"]["input"].astype(np.float64)
    vocabulary = results["data/extracted/embeddings.parquet"]
    mean = vectors.mean(axis=0)
    length, product = norms(vectors), vectors @ mean
    with np.errstate(invalid="ignore"):  # a vector of length zero has no direction
        cosine = product / (length * np.linalg.norm(mean))
    return vocabulary[["id", "token"]].assign(
        kind=token_kinds(vocabulary).to_numpy(),
        euclidean_distance=norms(vectors - mean),
        dot_product=product,
        cosine=cosine,
        norm=length,
    )


def kinds_by_count(tokens: pd.DataFrame) -> list[str]:
    """Return the kinds that there are, the most frequent first."""
    return [str(kind) for kind in tokens["kind"].value_counts().index]


def farthest_kind(tokens: pd.DataFrame, quantity: str, fewest: int) -> str | None:
    """Return the kind of at least `fewest` tokens whose median is farthest from that of words."""
    kinds = tokens.groupby("kind")[quantity].agg(["median", "size"])
    kinds = kinds[kinds["size"] >= fewest]
    if "word" not in kinds.index or len(kinds) < 2:
        return None
    return str((kinds["median"] - kinds["median"]["word"]).abs().idxmax())

"""Joins the kinds of tokens to their distance from the mean of all, for two figures."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from embspace.draw.page.token_kinds import token_kinds


def tokens_and_mean(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the kind of every token, and its columns of `measure_mean_embedding`."""
    kind = token_kinds(results["data/extracted/embeddings.parquet"]).to_numpy()
    return results["data/measured/mean_embedding.parquet"].assign(kind=kind)


def kinds_by_count(tokens: pd.DataFrame) -> list[str]:
    """Return the kinds that some token has, the most frequent first."""
    return [str(kind) for kind in tokens["kind"].value_counts().index]


def farthest_kind(tokens: pd.DataFrame, quantity: str, fewest: int) -> str | None:
    """Return the kind, of at least `fewest` tokens, whose median is farthest from that of words."""
    kinds = tokens.groupby("kind")[quantity].agg(["median", "size"])
    kinds = kinds[kinds["size"] >= fewest]
    if "word" not in kinds.index or len(kinds) < 2:
        return None
    return str((kinds["median"] - kinds["median"]["word"]).abs().idxmax())

"""Describes a feature by the tokens and texts that activate it most."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.in_context import in_context


class Shown(NamedTuple):
    """How a feature is described."""

    n_top: int
    """The number of tokens with the highest activations."""
    n_examples: int


def described(
    activations: Float[np.ndarray, " kept"], tokens: pd.DataFrame, shown: Shown
) -> dict[str, Any]:
    """Return the most frequent of the tokens that activate a feature most, and examples.

    `tokens` has a row for every token of the windows, and `kept` marks those with an activation.
    Examples are of different documents, as far as possible.
    """
    places = np.flatnonzero(tokens["kept"].to_numpy())
    order = np.argsort(-activations, kind="stable")[: shown.n_top]
    top = places[order[activations[order] > 0]]
    counts = tokens["token"].iloc[top].value_counts()
    rows = _from_different_documents(top, tokens["document"].to_numpy(), shown.n_examples)
    return {
        "token": counts.index[0],
        "token_share": counts.iloc[0] / len(top),
        "n_texts": int(tokens["document"].iloc[top].nunique()),
        "examples": " … ".join(in_context(row, tokens) for row in rows),
    }


def _from_different_documents(
    top: Int[np.ndarray, " row"], document: Int[np.ndarray, " token"], n: int
) -> list[int]:
    first = np.sort(np.unique(document[top], return_index=True)[1])
    rest = np.setdiff1d(np.arange(len(top)), first)
    return [int(row) for row in top[np.append(first, rest)[:n]]]

"""States of tokens of the largest corpus, by the model and at random weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.layers import CorpusStates
from embspace.measure.layers.layer_states import window_states
from embspace.measure.tables.pooled_states import windows_of
from embspace.models.weights import with_random_weights


@dataclass(frozen=True, eq=False)
class TokenStates:
    """States of the ordinary tokens of some documents."""

    corpus: str
    tokens: pd.DataFrame
    """All tokens of the windows: window, position, id, token, special, repeated, document, and
    `kept` for ordinary tokens without overlap with the window before."""
    states: dict[int, Float[np.ndarray, "token dim"]]
    """By layer, of the kept tokens."""


def token_states(
    corpus: str, read: CorpusStates, layers: Sequence[int], n_documents: int
) -> TokenStates:
    """Return the states of documents spread evenly over the corpus."""
    document = read.document[read.tokens["window"].to_numpy()]
    numbers = np.unique(document)
    most = min(n_documents, len(numbers))
    chosen = numbers[np.linspace(0, len(numbers) - 1, most).round().astype(np.int64)]
    rows = np.flatnonzero(np.isin(document, chosen))
    tokens = read.tokens.iloc[rows].assign(document=document[rows]).reset_index(drop=True)
    kept = ~tokens["repeated"] & ~tokens["special"] & (tokens["position"] > 0)
    kept_rows = rows[kept.to_numpy()]
    states = {layer: np.array(read.states["token"][layer][kept_rows]) for layer in layers}
    return TokenStates(corpus, tokens.assign(kept=kept), states)


def states_at_random_weights(
    read: TokenStates,
    module: Any,
    final_norm: str | None,
    tokens_per_batch: int,
    device: str,
    seed: int,
) -> dict[int, Float[np.ndarray, "token dim"]]:
    """Return the states of the same tokens by the same architecture before any training."""
    untrained = with_random_weights(module, seed)
    windows = windows_of(read.tokens)
    made = window_states(untrained, windows, final_norm, tokens_per_batch, device)["token"]
    kept = read.tokens["kept"].to_numpy()
    return {layer: made[layer][kept] for layer in read.states}

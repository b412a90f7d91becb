"""The kinds of the tokens that parameters are read in, and which kinds may be named."""

from collections.abc import Collection, Sequence

import numpy as np
from jaxtyping import Bool

from embspace.models.tokenizer import load_tokenizer, tokenizer_files, vocabulary_table
from embspace.settings.model import Network


def token_kinds(name: str, model: Network, n_tokens: int) -> list[str]:
    """Return the kinds of the tokens, as in `vocabulary_table`; `other` without a tokenizer."""
    if tokenizer_files(model) is None:
        return ["other"] * n_tokens
    kinds: list[str] = vocabulary_table(name, load_tokenizer(name, model), model)["kind"].tolist()
    return kinds


def nameable(kinds: Sequence[str], left_out: Collection[str]) -> Bool[np.ndarray, " token"]:
    """Return True for tokens of no kind in `left_out`; for all tokens if none would remain."""
    kept = np.array([kind not in left_out for kind in kinds], dtype=bool)
    return kept if kept.any() else np.ones(len(kept), dtype=bool)

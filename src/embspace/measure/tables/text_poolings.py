"""The poolings by which texts are measured: of a decoder the last token's, too."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from embspace.clouds.pooling import POOLINGS, SENTENCE
from embspace.files.tensors import load_tensors, tensor_names
from embspace.measure.tables.shown_pooling import first_token_sees_no_other

LAST = "last"
WEIGHTS = ("", "random_")
"""What the names of tensors of sets of sentences begin with: trained, and random weights."""


def text_poolings(states: Sequence[Mapping[str, Float[np.ndarray, "layer _ dim"]]]) -> list[str]:
    """Return the poolings in files of hidden states, with `last` if the first token has no context.

    Texts of a file that begin alike show whether it has; see `first_token_sees_no_other`.
    """
    is_decoder = any(first_token_sees_no_other(pooled["cls"]) for pooled in states)
    return [*POOLINGS, *([LAST] if is_decoder else [])]


def load_text_states(
    files: Mapping[str, str], weights: Sequence[str] = ("",)
) -> dict[str, dict[str, Float[np.ndarray, "layer window dim"]]]:
    """Return the pooled states in files of hidden states, by name, at common poolings.

    `weights` is the prefix of the names of tensors, empty for the trained weights.
    """
    states = {name: load_tensors(file, POOLINGS) for name, file in files.items()}
    poolings = text_poolings([*states.values()])
    names = [f"{prefix}{pooling}" for prefix in weights for pooling in poolings]
    if more := [name for name in names if name not in POOLINGS]:
        states = {name: states[name] | load_tensors(file, more) for name, file in files.items()}
    return states


def poolings_in(states: Mapping[str, np.ndarray]) -> list[str]:
    """Return the poolings with loaded states, in the order of all poolings."""
    return [pooling for pooling in (*POOLINGS, LAST) if pooling in states]


def load_sentence_vectors(file: str) -> Float[np.ndarray, "text dim"] | None:
    """Return the vectors of texts by a sentence model's own pooling; None for plain models."""
    if SENTENCE not in tensor_names(file):
        return None
    vectors: Float[np.ndarray, "text dim"] = load_tensors(file, [SENTENCE])[SENTENCE][0]
    return vectors

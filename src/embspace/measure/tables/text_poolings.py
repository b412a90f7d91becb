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
    """The poolings of files of hidden states: `last` besides where a first token sees no other.

    That shows where two texts of a file begin alike; see `first_token_sees_no_other`.
    """
    is_decoder = any(first_token_sees_no_other(pooled["cls"]) for pooled in states)
    return [*POOLINGS, *([LAST] if is_decoder else [])]


def load_text_states(
    files: Mapping[str, str], weights: Sequence[str] = ("",)
) -> dict[str, dict[str, Float[np.ndarray, "layer window dim"]]]:
    """The pooled states in files of hidden states, by the name of each, at the same poolings.

    `weights` are what the names of tensors begin with, nothing for the trained ones.
    """
    states = {name: load_tensors(file, POOLINGS) for name, file in files.items()}
    poolings = text_poolings([*states.values()])
    names = [f"{prefix}{pooling}" for prefix in weights for pooling in poolings]
    if more := [name for name in names if name not in POOLINGS]:
        states = {name: states[name] | load_tensors(file, more) for name, file in files.items()}
    return states


def poolings_in(states: Mapping[str, np.ndarray]) -> list[str]:
    """The poolings whose states were loaded, in the order of all."""
    return [pooling for pooling in (*POOLINGS, LAST) if pooling in states]


def load_sentence_vectors(file: str) -> Float[np.ndarray, "text dim"] | None:
    """The vectors that the makers of a sentence model take of texts; None of other models."""
    if SENTENCE not in tensor_names(file):
        return None
    vectors: Float[np.ndarray, "text dim"] = load_tensors(file, [SENTENCE])[SENTENCE][0]
    return vectors

"""Vectors that a text activates, beside its hidden states: R_k of every token, layer by layer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.clouds.layers import CorpusStates
from embspace.geometry.parameters.related import named_by_any, strongest_tokens
from embspace.measure.tables.even_places import evenly
from embspace.models.parameters.read import FinalNorm, ModelParameters
from embspace.models.stream.rebuild import rebuild_stream

OF_MLP = ("feed_forward_key", "feed_forward_gate", "feed_forward_up", "feed_forward_value")
GROUPS = (*OF_MLP, "attention_value", "attention_output")
STATES = ("layer", "final")


@dataclass(frozen=True, eq=False)
class Related:
    """R_k of tokens, by layer, group of vectors and state; a row per token, in the same order."""

    text: Int[np.ndarray, " token"]
    shares: dict[tuple[int, str, str], Float[np.ndarray, " token"]]
    by_chance: dict[tuple[int, str, str], Float[np.ndarray, " token"]]
    """With states of tokens of other texts."""


@dataclass
class _Read:
    """Holds the vectors that tokens activate most, and the states of these tokens."""

    text: list[int] = field(default_factory=list)
    active: dict[tuple[int, str], list[np.ndarray]] = field(default_factory=dict)
    states: dict[int, list[np.ndarray]] = field(default_factory=dict)


def text_tokens(
    corpora: Mapping[str, CorpusStates], corpus: str, n_texts: int
) -> list[Int[np.ndarray, " _"]]:
    """Return the tokens of the first windows of some documents of a corpus; empty if missing."""
    if corpus not in corpora:
        return []
    states = corpora[corpus]
    windows = [part["id"].to_numpy() for _, part in states.tokens.groupby("window", sort=True)]
    first: dict[int, np.ndarray] = {}
    for document, ids in zip(states.document.tolist(), windows, strict=True):
        if len(ids) > 2:  # more than the special ones
            first.setdefault(document, ids)
    texts = list(first.values())
    return [texts[at] for at in evenly(len(texts), n_texts)]


def related_states(
    module: Any,
    parameters: ModelParameters,
    texts: Sequence[Int[np.ndarray, " _"]],
    *,
    n_tokens: int,
    n_active: int,
    k: int,
    rng: np.random.Generator,
) -> Related:
    """R_k of `n_tokens` tokens per text, with the layer's state and with the final state.

    Activated are the `n_active` units with the largest signed sum before the nonlinearity, bias
    included, and the coordinates with the largest values of the concatenated heads. States go
    through the final norm if present. By chance: the same vectors with a state from a different
    text.
    """
    read = _Read()
    for number, ids in enumerate(texts):
        chosen = np.sort(rng.choice(len(ids), min(n_tokens, len(ids)), replace=False))
        read.text += [number] * len(chosen)
        for layer, groups, output in _streams(module, parameters, ids, chosen, n_active):
            for group, at in groups.items():
                read.active.setdefault((layer, group), []).append(at)
            read.states.setdefault(layer, []).append(output)
    text = np.array(read.text)
    embedding = parameters.output_embedding
    named = {
        layer: strongest_tokens(
            _normed(np.concatenate(states), parameters.final_norm), embedding, k, absolute=False
        )
        for layer, states in read.states.items()
    }
    other = _tokens_of_other_texts(text, rng)
    shares, by_chance = {}, {}
    for (layer, group), active in read.active.items():
        at = np.concatenate(active)
        rows, places = np.unique(at, return_inverse=True)
        vectors = parameters.layers[layer - 1].groups()[group][rows]
        tokens = strongest_tokens(vectors, embedding, k, absolute=False)[places.reshape(at.shape)]
        for state, at_layer in zip(STATES, (layer, max(named)), strict=True):
            key = (layer, group, state)
            shares[key] = named_by_any(named[at_layer], tokens)
            by_chance[key] = named_by_any(named[at_layer][other], tokens)
    return Related(text, shares, by_chance)


def _streams(
    module: Any,
    parameters: ModelParameters,
    ids: Int[np.ndarray, " _"],
    chosen: np.ndarray,
    n_active: int,
) -> Iterator[tuple[int, dict[str, np.ndarray], np.ndarray]]:
    """Yield by layer the units that the chosen tokens activate most, by group, and the output."""
    mask = np.ones((1, len(ids)), np.int64)
    for stream in rebuild_stream(module, np.array(ids)[None], mask):  # torch wants to own them
        layer = parameters.layers[stream.layer - 1]
        x = stream.mlp_input[0].numpy()[chosen]
        name = "gate" if "gate" in layer.ff_keys else "key"
        bias = layer.ff_key_biases[name]
        units = x @ layer.ff_keys[name].T + (0 if bias is None else bias)
        heads = stream.concatenation[0].numpy()[chosen]
        groups = {
            group: _largest(units if group in OF_MLP else heads, n_active)
            for group in GROUPS
            if group in layer.groups()
        }
        yield stream.layer, groups, stream.output[0].numpy()[chosen]


def _largest(x: np.ndarray, n: int) -> Int[np.ndarray, "token n"]:
    return np.argsort(-x, axis=1, kind="stable")[:, :n]


def _normed(states: np.ndarray, norm: FinalNorm | None) -> np.ndarray:
    return states if norm is None else norm(states)


def _tokens_of_other_texts(
    text: Int[np.ndarray, " token"], rng: np.random.Generator
) -> Int[np.ndarray, " token"]:
    """Return a random token of a different text per token; with a single text, any token."""
    tokens = np.arange(len(text))
    drawn = [
        rng.choice(others if len(others := tokens[text != number]) else tokens) for number in text
    ]
    return np.array(drawn, dtype=np.int64)

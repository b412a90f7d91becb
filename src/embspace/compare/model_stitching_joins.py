"""Puts the states of one model into another at equally deep layers, and judges the outputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.compare.alignment_table import corresponding_layers
from embspace.compare.model_stitching_models import Beginnings, OpenModel
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.geometry.parameters.stitching import (
    Kept,
    LinearStitch,
    kept_states,
    kernel_stitch,
    shuffled_kernels,
    trained_stitch,
    turned_kernel,
    vocabulary_kernel,
)
from embspace.models.stream.entered import TokenIds, last_states, last_states_above, states_of

VOCABULARY, IDENTITY, TRAINED = "vocabulary", "identity", "trained"
TURNED, SHUFFLED = "turned", "shuffled tokens"
OWN, RANDOM = "own", "random"
NO_BLOCK = "no block"  # the lower model's layer 0, by the same stitch into the same upper layer
JOINS, NOT, OPEN = "joins", "does not join", "open"
DECISIVE = ("cosine", "nearest")
WITHOUT_TRAINING = (VOCABULARY, IDENTITY)
"""The stitches with a verdict."""
TWIN = 7919  # added to the seed: a model of random weights must not be its own twin


@dataclass(frozen=True)
class Stitching:
    """Holds the settings of stitches."""

    strength: float
    n_draws: int
    n_first: int
    seed: int


@dataclass(frozen=True, eq=False)
class Join:
    """Two joined layers, with the stitches that were tried."""

    layer: int
    upper_layer: int
    stitches: Mapping[tuple[str, str], Kept]
    """By stitch, and by what is below: `OWN`, `RANDOM`, or above layer 0 `NO_BLOCK`.

    The trained stitch, which has no verdict, stands above the first two alone.
    """
    draws: Mapping[str, list[Kept]]
    """Outputs of random stitches by kind, for `n_first` texts at equal distances."""


@dataclass(frozen=True, eq=False)
class _Lower:
    """Holds the lower model's states of the texts and of training texts, and its embeddings."""

    states: Float[np.ndarray, "layer text token dim"]
    training: Float[np.ndarray, "layer other_text other_token dim"]
    embedding: Float[np.ndarray, "vocabulary dim"]


class _Upper:
    """The model above, with its own outputs."""

    def __init__(self, model: OpenModel, texts: Beginnings, training: Beginnings) -> None:
        self.model, self.texts, self.shown = model, texts, training.shown
        self.training = _states(model, training.tokens)
        self.own = last_states(model.module, texts.tokens)

    def output(
        self,
        states: Float[np.ndarray, "some token dim"],
        layer: int,
        rows: Int[np.ndarray, " some"],
    ) -> Kept:
        """Return how near the outputs from stitched states of some texts are to the model's own."""
        made = last_states_above(self.model.module, layer, states, self.texts.tokens.of(rows))
        return kept_states(self.own, made, self.texts.shown, rows)


def joins(
    lower: OpenModel,
    upper: OpenModel,
    texts: Beginnings,
    training: Beginnings,
    how: Stitching,
    generator: np.random.Generator,
) -> Iterator[Join]:
    """Join every layer of the shallower model to the deeper model's layer at the nearest depth."""
    above = _Upper(upper, texts, training)
    below = {
        OWN: _read_below(lower, texts, training),
        RANDOM: _read_below(lower.untrained(how.seed + TWIN), texts, training),
    }
    kernels = {
        weights: vocabulary_kernel(part.embedding, upper.embedding[: len(part.embedding)])
        for weights, part in below.items()
    }
    first = np.unique(np.linspace(0, len(above.own) - 1, how.n_first).round().astype(int))
    null = _random_stitches(lower, upper, kernels[OWN], how.n_draws, generator)
    everything = np.arange(len(above.own))
    n_layers = [len(part) for part in (below[OWN].states, above.training)]
    for layer, upper_layer in corresponding_layers(*n_layers):
        stitched = {}
        sources = [(OWN, OWN, layer), (RANDOM, RANDOM, layer)]
        sources += [(NO_BLOCK, OWN, 0)] if layer else []
        for source, weights, lower_layer in sources:
            part = below[weights]
            for name, stitch in _stitches(
                part, kernels[weights], above, lower_layer, upper_layer, how.strength
            ).items():
                if (name, source) == (TRAINED, NO_BLOCK):
                    continue
                states = stitch(part.states[lower_layer])
                stitched[name, source] = above.output(states, upper_layer, everything)
        some = below[OWN].states[layer, first]
        draws = {
            kind: [above.output(stitch(some), upper_layer, first) for stitch in drawn]
            for kind, drawn in null.items()
        }
        yield Join(layer, upper_layer, stitched, draws)


def _read_below(model: OpenModel, texts: Beginnings, training: Beginnings) -> _Lower:
    states, training_states = (_states(model, part.tokens) for part in (texts, training))
    return _Lower(states, training_states, model.embedding)


def _states(model: OpenModel, tokens: TokenIds) -> Float[np.ndarray, "layer text token dim"]:
    if not len(tokens.ids):
        n_layers = model.module.config.num_hidden_layers + 1
        return np.zeros((n_layers, 0, 1, model.embedding.shape[1]), np.float32)
    return states_of(model.module, tokens, model.final_norm)


def _stitches(
    part: _Lower,
    kernel: Float[np.ndarray, "dim other_dim"],
    above: _Upper,
    layer: int,
    upper_layer: int,
    strength: float,
) -> dict[str, LinearStitch]:
    """Return the stitches of two layers; the identity for models of equal width."""
    stitches = {VOCABULARY: kernel_stitch(kernel)}
    if kernel.shape[0] == kernel.shape[1]:
        stitches[IDENTITY] = kernel_stitch(np.eye(len(kernel)))
    if above.shown.any():
        given, wanted = part.training[layer], above.training[upper_layer]
        both = given[above.shown], wanted[above.shown]
        stitches[TRAINED] = trained_stitch(*both, strength=strength)
    return stitches


def _random_stitches(
    lower: OpenModel,
    upper: OpenModel,
    kernel: Float[np.ndarray, "dim other_dim"],
    n_draws: int,
    generator: np.random.Generator,
) -> dict[str, list[LinearStitch]]:
    turned = [turned_kernel(kernel, generator) for _ in range(n_draws)]
    shuffled = shuffled_kernels(lower.embedding, upper.embedding, n_draws, generator)
    return {
        TURNED: [kernel_stitch(drawn) for drawn in turned],
        SHUFFLED: [kernel_stitch(drawn) for drawn in shuffled],
    }


@dataclass(frozen=True)
class Bounds:
    """Holds the settings of intervals and verdicts."""

    bar: float
    n_half_samples: int
    level: float
    seed: int


def join_rows(join: Join, bounds: Bounds) -> Iterator[Row]:
    """Yield a row for each stitch of two layers, then for each kind of random stitches.

    Layer 0 has no verdict: it is the null of the layers above, with no block below. A row of random
    stitches has the mean over draws, and their range as bounds.
    """
    place: Row = {"layer": join.layer, "upper_layer": join.upper_layer}
    rows = {key: _row(kept, bounds) for key, kept in join.stitches.items()}
    null = {kind: _drawn_row(drawn) for kind, drawn in join.draws.items()}
    for (stitch, weights), row in rows.items():
        if weights == OWN and stitch in WITHOUT_TRAINING and join.layer:
            chance = [rows[stitch, RANDOM], *null.values()]
            row["verdict"] = _verdict(row, chance, rows[stitch, NO_BLOCK], bounds.bar)
        yield place | {"stitch": stitch, "weights": weights} | row
    for kind, row in null.items():
        yield place | {"stitch": kind, "weights": OWN, "n_draws": len(join.draws[kind])} | row


def _verdict(row: Row, chance: Sequence[Row], no_block: Row, bar: float) -> str:
    """Return whether both measures lie above the bar and chance, and cosine above no block."""
    bars = {
        name: max(bar, *(float(other[f"{name}_high"]) for other in chance)) for name in DECISIVE
    }
    # Embeddings alone tell nearly all texts apart: nothing could be above them in `nearest`.
    bars["cosine"] = max(bars["cosine"], float(no_block["cosine_high"]))
    if all(float(row[f"{name}_low"]) > bars[name] for name in DECISIVE):
        return JOINS
    return NOT if any(float(row[f"{name}_high"]) <= bars[name] for name in DECISIVE) else OPEN


def _row(kept: Kept, bounds: Bounds) -> Row:
    """Return the means over texts, with intervals over half-samples of them."""
    values = _values(kept)
    names, table = [*values], np.stack([*values.values()])

    def mean(texts: np.ndarray) -> Float[np.ndarray, " measure"]:
        return np.asarray(table[:, texts].mean(axis=1))

    interval = half_sample_interval(
        mean,
        table.shape[1],
        n_resamples=bounds.n_half_samples,
        level=bounds.level,
        generator=np.random.default_rng(bounds.seed),  # the same halves for all stitches
    )
    row: Row = {"n": table.shape[1]}
    for number, name in enumerate(names):
        least = -1.0 if name == "cosine" else 0.0
        row |= {
            name: table[number].mean(),
            f"{name}_low": max(float(interval.low[number]), least),
            f"{name}_high": min(float(interval.high[number]), 1.0),
        }
    return row


def _drawn_row(drawn: Sequence[Kept]) -> Row:
    values = [_values(kept) for kept in drawn]
    row: Row = {"n": len(drawn[0].cosine)}
    for name in values[0]:
        means = np.array([draw[name].mean() for draw in values])
        row |= {name: means.mean(), f"{name}_low": means.min(), f"{name}_high": means.max()}
    return row


def _values(kept: Kept) -> dict[str, Float[np.ndarray, " text"]]:
    return {name: np.asarray(getattr(kept, name), dtype=np.float64) for name in DECISIVE}

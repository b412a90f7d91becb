"""Measures of layers at full precision, and of the same layers with rounded weights."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.groups.alignment import common_neighbors, nearest_rows
from embspace.geometry.groups.retrieval import ranks_of_relevant, reciprocal_rank
from embspace.geometry.inference.half_samples import estimate_over_texts
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.geometry.measures.declaration import Definition, value_of
from embspace.geometry.measures.registry import profiled_measures
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.open_questions.rounding_states import ReadTexts
from embspace.measure.tables.even_places import evenly
from embspace.measure.tables.half_scores import best_cosines, copies_of_queries

MEASURES = ("mean_cosine", "two_nn", "hubness")
SEARCH = "reciprocal_rank"
KEEPS, OPEN, FLIPS = "keeps", "open", "flips"
LOW_QUANTILE = 0.01


class Bounded(NamedTuple):
    """A value with an interval over texts."""

    value: float
    low: float
    high: float

    def verdict(self, value: float) -> str:
        """Return whether another value lies inside, or outside by more than the width."""
        beyond = max(self.low - value, value - self.high)
        if np.isnan(beyond) or 0 < beyond <= self.high - self.low:
            return OPEN
        return FLIPS if beyond > 0 else KEEPS


@dataclass(frozen=True, eq=False)
class Full:
    """States, neighbors and measures of every layer at full precision."""

    tokens: Float[np.ndarray, "layer token dim"]
    """States of the tokens in the sample."""
    sample: Int[np.ndarray, " token"]
    """The rows of the sample among all ordinary tokens."""
    neighbors: list[Int[np.ndarray, "token k"]]
    values: list[Mapping[str, Bounded]]

    @property
    def n_neighbors(self) -> int:
        """Return the number of neighbors."""
        return self.neighbors[0].shape[1]


def full_values(
    read: ReadTexts, n_tokens: int, n_neighbors: int, n_half_samples: int, level: float, seed: int
) -> Full:
    """Return measures by layer for an even sample of tokens, with intervals over documents."""
    sample = evenly(len(read.document), n_tokens)
    tokens, document = read.tokens[:, sample], read.document[sample]
    values: list[Mapping[str, Bounded]] = []
    for layer, x in enumerate(tokens):
        generator = np.random.default_rng(seed)
        estimates = estimate_over_texts(
            x.astype(np.float64),
            document,
            measures=_measures(),
            n_half_samples=n_half_samples,
            level=level,
            rng=stream_of(generator, "halves"),
        )
        bounded = {name: Bounded(e.value, e.low, e.high) for name, e in estimates.items()}
        search = _search_value(read, layer, n_half_samples, level, stream_of(generator, "search"))
        values.append(bounded | ({SEARCH: search} if search else {}))
    near = [nearest_rows(x.astype(np.float64), _few(n_neighbors, len(sample))) for x in tokens]
    return Full(tokens, sample, near, values)


def _few(n_neighbors: int, n: int) -> int:
    return min(n_neighbors, n - 1)


def _measures() -> list[Definition]:
    known = profiled_measures()
    return [known[name] for name in MEASURES]


def _search_value(
    read: ReadTexts, layer: int, n_half_samples: int, level: float, generator: np.random.Generator
) -> Bounded | None:
    """Return the mean reciprocal rank of first halves; None with fewer than 4 documents."""
    ranks = reciprocal_ranks(read, layer)
    if ranks is None:
        return None
    documents = read.halves.loc[read.halves["half"] == 2, "document"]
    unit = np.unique(documents.to_numpy(), return_inverse=True)[1]
    sums, counts = np.bincount(unit, ranks), np.bincount(unit)
    if len(counts) < 4:
        return None
    interval = half_sample_interval(
        lambda chosen: np.asarray(sums[chosen].sum() / counts[chosen].sum()),
        len(counts),
        n_resamples=n_half_samples,
        level=level,
        generator=generator,
    )
    low, high = np.clip([interval.low, interval.high], 0, 1)
    return Bounded(float(ranks.mean()), float(low), float(high))


def reciprocal_ranks(read: ReadTexts, layer: int) -> Float[np.ndarray, " query"] | None:
    """Return, for every second half, the reciprocal rank of its first half, by mean pooling."""
    if not len(read.windows):
        return None
    is_candidate = (read.halves["half"] == 1).to_numpy()[read.windows]
    names = read.halves["id"].to_numpy()[read.windows]
    scores = best_cosines(read.pooled[layer].astype(np.float64), names, is_candidate)
    return reciprocal_rank(*ranks_of_relevant(scores, copies_of_queries(read.halves)))


def rounded_rows(read: ReadTexts, full: Full) -> Iterator[dict[str, Any]]:
    """Yield a row for every layer and measure of a model with rounded weights."""
    for layer, values in enumerate(full.values):
        x = read.tokens[layer, full.sample].astype(np.float64)
        rounded = {measure.name: value_of(measure.function(x)) for measure in _measures()}
        if SEARCH in values:
            ranks = reciprocal_ranks(read, layer)
            rounded[SEARCH] = float("nan") if ranks is None else float(ranks.mean())
        for name, bounded in values.items():
            yield {
                "layer": layer,
                "measure": name,
                "value": rounded[name],
                "full": bounded.value,
                "full_low": bounded.low,
                "full_high": bounded.high,
                "verdict": bounded.verdict(rounded[name]),
            }


def likeness_rows(read: ReadTexts, full: Full) -> Iterator[dict[str, Any]]:
    """Yield by layer the cosine of a token's two states, and the share of neighbors kept."""
    for layer, whole in enumerate(full.tokens):
        x = read.tokens[layer, full.sample].astype(np.float64)
        cosine = np.einsum("ij,ij->i", unit_rows(whole.astype(np.float64)), unit_rows(x))
        near = nearest_rows(x, full.n_neighbors)
        yield {
            "layer": layer,
            "cosine": float(cosine.mean()),
            "cosine_quantile": float(np.quantile(cosine, LOW_QUANTILE)),
            "neighbors_kept": float(common_neighbors(full.neighbors[layer], near).mean()),
        }

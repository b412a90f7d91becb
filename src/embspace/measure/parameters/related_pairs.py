"""Words that partners among the vectors of a layer share, beside randomly assigned partners."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.parameters.related import (
    jaccard,
    n_common,
    n_common_of_all,
    strongest_both_ways,
)
from embspace.measure.tables.nulls import central_range
from embspace.models.parameters.layers import LayerParameters

MEASURES = ("jaccard_signed", "jaccard_absolute", "share_related")


@dataclass(frozen=True, eq=False)
class DealtPairs:
    """The means of a layer's pairs of two groups, and of partners assigned at random."""

    layer: int
    pair: str
    n_pairs: int
    value: Float[np.ndarray, " measure"]
    any_partner: Float[np.ndarray, " measure"]
    """Over all pairs of a vector of the first group with a vector of the second."""
    dealt: Float[np.ndarray, "deal measure"]


def layer_pairs(
    layer: LayerParameters,
    embedding: Float[np.ndarray, "token dim"],
    *,
    k: int,
    related_from: float,
    n_deals: int,
    rng: np.random.Generator,
) -> Iterator[DealtPairs]:
    """Yield all pairs of a layer: key and value, value and output, query and key."""

    @cache  # the values of a gated MLP have two partners
    def tokens(group: str) -> tuple[np.ndarray, np.ndarray]:
        return strongest_both_ways(vectors[group], embedding, k)

    vectors = layer.groups()
    for pair, (first, second) in _partners(layer).items():
        n = len(vectors[first])
        orders = np.stack([rng.permutation(n) for _ in range(n_deals)])
        signed, absolute = (
            _Common(*sets, len(embedding), orders)
            for sets in zip(tokens(first), tokens(second), strict=True)
        )
        n_words = np.arange(k + 1)
        similarity, related = jaccard(n_words, k), (n_words / k >= related_from).astype(np.float64)
        measures = (signed.means(similarity), absolute.means(similarity), signed.means(related))
        value, any_partner = (np.array([means[at] for means in measures]) for at in (0, 1))
        dealt = np.stack([deals for _, _, deals in measures], axis=1)
        yield DealtPairs(layer.layer, pair, n, value, any_partner, dealt)


def _partners(layer: LayerParameters) -> dict[str, tuple[str, str]]:
    keys = {
        f"{name}_value": (f"feed_forward_{name}", "feed_forward_value") for name in layer.ff_keys
    }
    return keys | {
        "value_output": ("attention_value", "attention_output"),
        "query_key": ("attention_query", "attention_key"),
    }


class _Common:
    """How many words partners have in common, and how many any two vectors of the groups have."""

    def __init__(
        self,
        first: Int[np.ndarray, "pair k"],
        second: Int[np.ndarray, "pair k"],
        n_tokens: int,
        orders: Int[np.ndarray, "deal pair"],
    ) -> None:
        all_common = n_common_of_all(first, second, n_tokens)
        self._own = n_common(first, second)
        self._dealt = all_common[np.arange(len(first)), orders]
        # Counted, so that the mean over all needs no number a pair.
        self._n_pairs = np.bincount(all_common.ravel(), minlength=first.shape[1] + 1)

    def means(
        self, measure: Float[np.ndarray, " common"]
    ) -> tuple[float, float, Float[np.ndarray, " deal"]]:
        """Return the mean of the pairs, of all possible pairs, and of every deal."""
        overall = self._n_pairs @ measure / self._n_pairs.sum()
        return float(measure[self._own].mean()), float(overall), measure[self._dealt].mean(axis=1)


def pair_rows(pairs: Sequence[DealtPairs], level: float) -> Iterator[Row]:
    """Yield a row per layer, pair of groups and measure."""
    for dealt in pairs:
        for row in _rows(dealt.value, dealt.any_partner, dealt.dealt, level):
            place = {"layer": dealt.layer, "pair": dealt.pair, "n_pairs": dealt.n_pairs}
            yield place | row


def mean_rows(pairs: Sequence[DealtPairs], level: float) -> Iterator[Row]:
    """Yield a row per pair of groups and measure: the mean over layers, dealt anew in each."""
    for pair in dict.fromkeys(dealt.pair for dealt in pairs):
        own = [dealt for dealt in pairs if dealt.pair == pair]
        value, any_partner, drawn = (
            np.mean([getattr(dealt, name) for dealt in own], axis=0)
            for name in ("value", "any_partner", "dealt")
        )
        n_pairs = sum(dealt.n_pairs for dealt in own)
        for row in _rows(value, any_partner, drawn, level):
            yield {"pair": pair, "n_layers": len(own), "n_pairs": n_pairs} | row


def _rows(
    value: Float[np.ndarray, " measure"],
    any_partner: Float[np.ndarray, " measure"],
    dealt: Float[np.ndarray, "deal measure"],
    level: float,
) -> Iterator[Row]:
    low, high = central_range(dealt, level)
    for at, measure in enumerate(MEASURES):
        yield {
            "measure": measure,
            "value": float(value[at]),
            "shuffled": float(any_partner[at]),
            "shuffled_low": float(low[at]),
            "shuffled_high": float(high[at]),
            "p_value": upper_p_value(float(value[at]), dealt[:, at]),
        }

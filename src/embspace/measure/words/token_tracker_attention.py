"""Does attention pass function words by? What words receive, against classes dealt anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.files.tables import Row
from embspace.geometry.attention.received import received_attention
from embspace.geometry.groups.contrast import relabelings
from embspace.geometry.inference.resampling import (
    half_sample_interval,
    probability_of_larger,
    stream_of,
    upper_p_value,
)
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.tables.nulls import mean_and_range
from embspace.measure.words.token_tracker_tables import DEALT, Halves
from embspace.measure.words.token_tracker_texts import CONTENT, FollowedTexts
from embspace.models.stream.attention_maps import attention_maps

STATISTICS = ("content_receives_more_attention", "attention_content_over_function")
Received = Float[np.ndarray, " occurrence"]
Compared = Float[np.ndarray, "*draw statistic"]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The words of some texts, with the units that are dealt (types) and drawn (texts)."""

    is_content: Bool[np.ndarray, " occurrence"]
    type_number: Int[np.ndarray, " occurrence"]
    unit: Int[np.ndarray, " occurrence"]

    @property
    def content_types(self) -> Bool[np.ndarray, " type"]:
        """Return which types are content words."""
        first = np.unique(self.type_number, return_index=True)[1]
        return np.asarray(self.is_content[first])


def occurrences_of(texts: FollowedTexts) -> Occurrences:
    """Return the followed words; occurrences of a word, in small letters, are of one type."""
    number = np.unique(texts.word.astype(str), return_inverse=True)[1]
    return Occurrences(texts.group == CONTENT, number, texts.unit_of_token)


def attention_of_words(module: Any, texts: FollowedTexts) -> Received:
    """Return what each followed word receives, without special tokens; 1 is an equal share.

    The mean over layers and heads of `received_attention`, of queries in the whole window.

    Raises:
        InputError: if the model gives no attention weights.
    """
    received = np.zeros(len(texts.text))
    for number, (ids, special) in enumerate(zip(texts.ids, texts.special, strict=True)):
        followed = texts.text == number
        maps = attention_maps(module, ids[None].copy(), np.ones((1, len(ids)), np.int64))
        layers = [received_attention(x[0].float().cpu().numpy(), ~special) for x in maps]
        by_position = np.zeros(len(ids))
        by_position[~special] = np.concatenate(layers).mean(axis=0)
        received[followed] = by_position[texts.position[followed]]
    return received


def attention_rows(
    texts: FollowedTexts, trained: Received, random: Received, halves: Halves, *, n_dealt: int
) -> Iterator[Row]:
    """Yield the attention received by a content word relative to a function word.

    First the probability that an occurrence of a content word receives more, 0.5 by chance, then
    the ratio of the means, 1 by chance. The interval is over texts. The null deals the two classes
    anew among the types, with all occurrences of a type in one class: a few function words make up
    most occurrences, and otherwise the attention of a frequent word would count as often as the
    word occurs. `p_value` is for a value as large.
    """
    words = occurrences_of(texts)
    types = words.content_types.astype(np.int64)
    draws = relabelings(types, n_dealt, stream_of(halves.generator, "dealt"))[1:]
    dealt = by_classes(trained, words, draws == 1)
    value, at_random = (_compared(x, words, np.unique(words.unit)) for x in (trained, random))
    bounds = half_sample_interval(
        lambda units: _compared(trained, words, units),
        texts.n_units,
        n_resamples=halves.n_half_samples,
        level=halves.level,
        generator=stream_of(halves.generator, "attention"),
    )
    null, low, high = mean_and_range(dealt, halves.level)
    for at, statistic in enumerate(STATISTICS):
        p_value = upper_p_value(float(value[at]), dealt[:, at])
        yield {
            "statistic": statistic,
            "value": float(value[at]),
            "low": float(bounds.low[at]),
            "high": float(bounds.high[at]),
            "random_weights_value": float(at_random[at]),
            **dict(zip(DEALT, (null[at], low[at], high[at], p_value), strict=True)),
            "n_tokens": len(trained),
            "n_units": texts.n_units,
        }


def by_classes(
    received: Received, words: Occurrences, content_types: Bool[np.ndarray, "draw type"]
) -> Compared:
    """Return both statistics for every assignment of types to content words.

    Sums over types are enough: Mann and Whitney's U is the sum of ranks of a class, less the
    smallest possible sum. NaN where a class has no type.
    """
    from scipy.stats import rankdata

    count, rank, total = (
        np.bincount(words.type_number, weights=weights)
        for weights in (None, rankdata(received), received)
    )
    n, m = content_types @ count, ~content_types @ count
    larger = ratio(content_types @ rank - n * (n + 1) / 2, n * m)
    means = ratio(content_types @ total, n), ratio(~content_types @ total, m)
    return np.stack([larger, ratio(*means)], axis=-1)


def _compared(received: Received, words: Occurrences, units: Int[np.ndarray, " drawn"]) -> Compared:
    inside = np.isin(words.unit, units)
    content, function = (
        received[inside & (words.is_content == is_content)] for is_content in (True, False)
    )
    if not len(content) or not len(function):
        return np.full(len(STATISTICS), np.nan)
    larger = probability_of_larger(content, function)
    return np.array([float(larger), content.mean() / function.mean()])

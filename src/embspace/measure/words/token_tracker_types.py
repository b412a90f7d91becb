"""How dense the space is about the types of two groups of words, each type once."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import (
    half_sample_interval,
    probability_of_larger,
    stream_of,
)
from embspace.measure.words.token_tracker_tables import Halves
from embspace.measure.words.token_tracker_texts import CONTENT, FUNCTION
from embspace.measure.words.token_tracker_tracks import density_of
from embspace.models.stream.tracked_vocabulary import TrackedVocabulary

STATISTIC = "content_in_denser_places"


def types_of(groups: Mapping[str, str], tokenizer: Any) -> dict[str, Int[np.ndarray, " type"]]:
    """Return the distinct tokens of single-token words, by group.

    A word is spelled behind a second word, as inside a sentence: a tokenizer that puts a space
    before every text would spell an initial space as a separate token.
    """
    tokens: dict[str, set[int]] = {CONTENT: set(), FUNCTION: set()}
    texts = ["a", *(f"a {word}" for word in groups)]
    before, *read = tokenizer(texts, add_special_tokens=False)["input_ids"]
    for group, ids in zip(groups.values(), read, strict=True):
        is_known = ids[-1:] != [getattr(tokenizer, "unk_token_id", None)]
        if is_known and ids[:-1] == before and group in tokens:
            tokens[group].add(int(ids[-1]))
    both = tokens[CONTENT] & tokens[FUNCTION]
    return {group: np.array(sorted(own - both), dtype=np.int64) for group, own in tokens.items()}


def density_rows(
    types: Mapping[str, Int[np.ndarray, " type"]],
    trained: TrackedVocabulary,
    random: TrackedVocabulary,
    halves: Halves,
    *,
    n_neighbors: int,
) -> Iterator[Row]:
    """Yield the probability that a content type lies in a denser place than a function type.

    Density is a property of a type, whatever the texts, and the interval is over types. A type's
    density is the mean cosine of the type's row with the `n_neighbors` nearest further rows.
    """
    content, function = types[CONTENT], types[FUNCTION]
    if not len(content) or not len(function):
        return
    tokens = np.concatenate([content, function])
    is_content = np.arange(len(tokens)) < len(content)

    def larger(
        density: Float[np.ndarray, " type"], drawn: Int[np.ndarray, " drawn"]
    ) -> Float[np.ndarray, ""]:
        values, kinds = density[drawn], is_content[drawn]
        if kinds.all() or not kinds.any():
            return np.array(np.nan)
        return np.asarray(probability_of_larger(values[kinds], values[~kinds]))

    everything = np.arange(len(tokens))
    own, at_random = (
        density_of(vocabulary, tokens, n_neighbors) for vocabulary in (trained, random)
    )
    bounds = half_sample_interval(
        lambda drawn: larger(own, drawn),
        len(tokens),
        n_resamples=halves.n_half_samples,
        level=halves.level,
        generator=stream_of(halves.generator, "types"),
    )
    yield {
        "statistic": STATISTIC,
        "value": float(larger(own, everything)),
        "low": float(bounds.low),
        "high": float(bounds.high),
        "random_weights_value": float(larger(at_random, everything)),
        "n_tokens": len(tokens),
        "n_units": len(tokens),
    }

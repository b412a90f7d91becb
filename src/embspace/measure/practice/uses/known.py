"""Words with two known uses: a word that also takes the places of another word."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.bisection import Apart, apart
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.practice.uses.contexts import Place, Reading, parts_with, states_at

SURE = 0.05
N_DEALS = 99  # of the labels of both contexts


class KnownUses(NamedTuple):
    """A word in its own contexts and in the contexts of another word."""

    word: str
    other_word: str
    places: list[Place]
    is_other: Bool[np.ndarray, " place"]


class Told(NamedTuple):
    """How well known uses are told apart, by pair of words."""

    purity: Float[np.ndarray, "layer pair"]
    """Share of the occurrences in the part of their own context's word, in [0.5, 1]."""
    dealt_purity: Float[np.ndarray, "layer deal pair"]
    """The same with the labels of both contexts dealt anew."""
    is_sure: Bool[np.ndarray, "layer pair"]
    """Whether the separation is beyond clouds and curves, and the purity beyond dealt labels."""


def known_uses(
    occurrences: pd.DataFrame, tokens: pd.DataFrame, n_pairs: int, n_around: int
) -> list[KnownUses]:
    """Return pairs of words with about as many documents, spread over all words.

    Half of the occurrences of each word are taken, as many of both, so that a pair has as many
    occurrences as a word.
    """
    ranked = occurrences["id"].drop_duplicates().tolist()
    pairs = [*zip(ranked[::2], ranked[1::2], strict=False)]  # the last word may be left over
    spread = np.linspace(0, len(pairs) - 1, min(n_pairs, len(pairs))).round().astype(np.int64)
    return [_known(occurrences, tokens, pairs[number], n_around) for number in np.unique(spread)]


def _known(
    occurrences: pd.DataFrame, tokens: pd.DataFrame, pair: Sequence[int], n_around: int
) -> KnownUses:
    own, other = (occurrences[occurrences["id"] == token] for token in pair)
    n = min(len(own), len(other)) // 2
    rows = [_spread(part["row"].to_numpy(), n) for part in (own, other)]
    places = list(chain(*(parts_with(tokens, part, int(pair[0]), n_around) for part in rows)))
    word, other_word = (str(part["word"].iat[0]) for part in (own, other))
    return KnownUses(word, other_word, places, np.arange(2 * n) >= n)


def _spread(rows: Int[np.ndarray, " row"], n: int) -> Int[np.ndarray, " kept"]:
    return rows[np.linspace(0, len(rows) - 1, n).round().astype(np.int64)]


def told_apart(
    module: Any,
    known: Sequence[KnownUses],
    reading: Reading,
    n_components: int,
    n_draws: int,
    generator: np.random.Generator,
) -> Told:
    """Return how well a module's states tell known uses, at each layer."""
    states = states_at(module, [place for one in known for place in one.places], reading)
    ends = np.cumsum([len(one.places) for one in known])[:-1]
    columns = list(_pair_values(states, ends, known, n_components, n_draws, generator))
    purity, dealt, sure = (np.stack(parts, axis=-1) for parts in zip(*columns, strict=True))
    return Told(purity, dealt, sure)


def _pair_values(
    states: Float[np.ndarray, "layer place dim"],
    ends: Int[np.ndarray, " cut"],
    known: Sequence[KnownUses],
    n_components: int,
    n_draws: int,
    generator: np.random.Generator,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield a pair's values by layer."""
    for part, one in zip(np.split(states, ends, axis=1), known, strict=True):
        deals = np.stack([generator.permutation(one.is_other) for _ in range(N_DEALS)])
        purity, dealt, sure = [], [], []
        for rows in part:
            split: Apart = apart(
                unit_rows(rows.astype(np.float64)), n_components, n_draws, generator
            )
            purity.append(purity_of(split.is_second, one.is_other[None])[0])
            dealt.append(purity_of(split.is_second, deals))
            sure.append(max(split.p_value, upper_p_value(purity[-1], dealt[-1])) <= SURE)
        yield np.array(purity), np.stack(dealt), np.array(sure)


def purity_of(
    is_second: Bool[np.ndarray, " place"], labels: Bool[np.ndarray, "deal place"]
) -> Float[np.ndarray, " deal"]:
    """Return the share of places in the part of their label, with the better pairing of parts."""
    agree = (is_second == labels).mean(axis=-1)
    return np.maximum(agree, 1 - agree)

"""Opposites and synonyms at a layer: cosines, a shared line, and classifiers of pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.folds import folds_by_group
from embspace.geometry.groups.held_out_scores import held_out_scores
from embspace.geometry.groups.opposites import (
    mean_of_other_pairs,
    pair_products,
    shared_line,
    wins_of_draws,
)
from embspace.geometry.inference.resampling import half_of_each, half_sample_bounds
from embspace.geometry.pairs.directions import unit_rows

COSINES = ("antonyms", "synonyms", "random_pairs", "difference", "auc")
CLASSIFIERS = ("auc", "words_auc", "gain")
SMALLEST = {"auc": 0, "words_auc": 0, "difference": -2}  # of values, if not -1
LARGEST = {"difference": 2}  # if not 1


@dataclass(frozen=True, eq=False)
class PairsOfOneClass:
    """Antonyms and synonyms of a part of speech, as rows of all words, and halves of the pairs."""

    antonyms: Int[np.ndarray, "antonym 2"]
    synonyms: Int[np.ndarray, "synonym 2"]
    folds: Int[np.ndarray, " pair"]
    """The fold of every pair, antonyms first; pairs with a common word share a fold."""
    halves: Float[np.ndarray, "draw pair"]
    """1 for a pair in a draw; the first draw has all pairs, a further draw half of both kinds."""

    @property
    def all(self) -> Int[np.ndarray, "pair 2"]:
        """Antonyms, then synonyms."""
        return np.concatenate([self.antonyms, self.synonyms])

    @property
    def words(self) -> Int[np.ndarray, " word"]:
        """The rows of the different words of all pairs, in ascending order."""
        return np.unique(self.all)

    def by_kind(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of antonyms, and the values of synonyms, along the last axis."""
        n = len(self.antonyms)
        return values[..., :n], values[..., n:]

    def bounds(
        self, names: tuple[str, ...], drawn: Float[np.ndarray, "draw value"], level: float
    ) -> dict[str, float]:
        """Return values with bounds, `_low` and `_high`, cut at the range of the value."""
        interval = half_sample_bounds(drawn[0], drawn[1:], len(self.all), level=level)
        ends = {"": drawn[0], "_low": interval.low, "_high": interval.high}
        return {
            f"{name}{end}": float(
                np.clip(values[number], SMALLEST.get(name, -1), LARGEST.get(name, 1))
            )
            for number, name in enumerate(names)
            for end, values in ends.items()
        }


def pairs_of_one_class(
    antonyms: Int[np.ndarray, "antonym 2"],
    synonyms: Int[np.ndarray, "synonym 2"],
    *,
    n_folds: int,
    n_resamples: int,
    generator: np.random.Generator,
) -> PairsOfOneClass:
    """Draw folds, keeping pairs with shared words together, and halves of both kinds of pairs."""
    is_antonym = np.arange(len(antonyms) + len(synonyms)) < len(antonyms)
    halves = np.zeros((1 + n_resamples, len(is_antonym)))
    halves[0] = 1
    for draw in halves[1:]:
        draw[half_of_each(is_antonym.astype(np.int64), generator)] = 1
    state = int(generator.integers(2**31))
    folds = _folds(np.concatenate([antonyms, synonyms]), is_antonym, n_folds, state)
    return PairsOfOneClass(antonyms, synonyms, folds, halves)


def _folds(
    pairs: Int[np.ndarray, "pair 2"], is_antonym: Bool[np.ndarray, " pair"], n_folds: int, seed: int
) -> Int[np.ndarray, " pair"]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = int(pairs.max()) + 1
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    return folds_by_group(is_antonym.astype(np.int64), component[pairs[:, 0]], n_folds, seed)


def prepared(
    x: Float[np.ndarray, "word dim"], own: Int[np.ndarray, " own"], n_components: int, ridge: float
) -> Iterator[tuple[str, Float[np.ndarray, "word dim"]]]:
    """Yield the rows `own`, unchanged and less three kinds of common parts.

    `less_direction` removes the direction of ridge regression of the part of speech on all words.
    """
    x = x.astype(np.float64)
    mine = x[own]
    centered = mine - mine.mean(axis=0)
    yield "as_is", mine
    yield "less_mean", centered
    if len(mine) < len(x):  # else there is no other part of speech
        yield "less_direction", _without(mine, _class_direction(x, own, ridge)[np.newaxis])
    axes = np.linalg.svd(centered, full_matrices=False)[2][:n_components]
    yield "less_components", _without(centered, axes)


def _class_direction(
    x: Float[np.ndarray, "word dim"], own: Int[np.ndarray, " own"], ridge: float
) -> Float[np.ndarray, " dim"]:
    """Return the unit direction of a ridge regression of the rows `own` against the rest."""
    centered = x - x.mean(axis=0)
    label = np.isin(np.arange(len(x)), own).astype(np.float64)
    covariance = centered.T @ centered / len(x)
    covariance.flat[:: x.shape[1] + 1] += ridge * np.trace(covariance) / x.shape[1]
    direction = np.linalg.solve(covariance, centered.T @ (label - label.mean()))
    return np.asarray(direction / np.linalg.norm(direction))


def _without(
    x: Float[np.ndarray, "word dim"], axes: Float[np.ndarray, "axis dim"]
) -> Float[np.ndarray, "word dim"]:
    return np.asarray(x - (x @ axes.T) @ axes)


def cosines_of_pairs(
    x: Float[np.ndarray, "word dim"], pairs: PairsOfOneClass, level: float, level_of_auc: float
) -> dict[str, float]:
    """Return mean cosines of the kinds of pairs, with intervals over halves of every kind.

    A row of `x` is a word of `pairs.words`. `difference` is the antonyms' mean less the mean of
    random pairs; `auc` the probability that a synonym pair has a larger cosine than an antonym
    pair, with `level_of_auc`.
    """
    unit = unit_rows(x)
    gram = unit @ unit.T
    antonyms, synonyms = (
        np.searchsorted(pairs.words, kind) for kind in (pairs.antonyms, pairs.synonyms)
    )
    opposite, alike = pair_products(gram, antonyms), pair_products(gram, synonyms)
    has_antonym, has_synonym = pairs.by_kind(pairs.halves)
    mean = has_antonym @ opposite / has_antonym.sum(axis=1)
    at_random = mean_of_other_pairs(gram, antonyms, has_antonym)
    drawn = np.stack(
        [
            mean,
            has_synonym @ alike / has_synonym.sum(axis=1),
            at_random,
            mean - at_random,
            wins_of_draws(alike, opposite, has_synonym, has_antonym),
        ],
        axis=1,
    )
    values = pairs.bounds(COSINES, drawn, level)
    strict = pairs.bounds(COSINES[-1:], drawn[:, -1:], level_of_auc)
    return values | strict | {"n_below_zero": int((opposite < 0).sum())}


def line_of_opposites(
    x: Float[np.ndarray, "word dim"],
    antonyms: Int[np.ndarray, "pair 2"],
    n_shuffles: int,
    generator: np.random.Generator,
) -> dict[str, float]:
    """Return the mean absolute cosine of the antonyms' differences, beside words dealt anew.

    All words are dealt to pairs: shuffling partners alone would keep a line where a list has one
    pole first, as in our list.
    """
    rows, places = np.unique(antonyms, return_inverse=True)
    centered = x[rows].astype(np.float64) - x[rows].mean(axis=0)
    gram, pairs = centered @ centered.T, places.reshape(antonyms.shape)
    null = np.array(
        [
            shared_line(gram, generator.permutation(pairs.ravel()).reshape(-1, 2))
            for _ in range(n_shuffles)
        ]
    )
    return {
        "absolute_cosine": shared_line(gram, pairs),
        "null_absolute_cosine": float(null.mean()),
        "null_absolute_cosine_largest": float(null.max()),
    }


def classifiers_of_pairs(
    x: Float[np.ndarray, "word dim"], pairs: PairsOfOneClass, ridge: float, level: float
) -> dict[str, float]:
    """Return held-out AUCs of a classifier of antonyms against synonyms.

    `auc` uses the products of both words' coordinates, centered and at unit length; `words_auc` the
    sums, with the words' identity but without the relation; `gain` is the difference.
    """
    unit = unit_rows(x.astype(np.float64) - x[pairs.words].mean(axis=0))
    first, second = unit[pairs.all[:, 0]], unit[pairs.all[:, 1]]
    label = (np.arange(len(pairs.all)) < len(pairs.antonyms)).astype(np.float64)
    fold, other_fold = pairs.by_kind(pairs.folds)
    same_fold = (fold[:, np.newaxis] == other_fold).astype(np.float64)
    aucs = []
    for features in (first * second, first + second):
        scores = held_out_scores(features, label[:, np.newaxis], pairs.folds, ridge=ridge)[:, 0]
        aucs.append(wins_of_draws(*pairs.by_kind(scores), *pairs.by_kind(pairs.halves), same_fold))
    drawn = np.stack([*aucs, aucs[0] - aucs[1]], axis=1)
    return pairs.bounds(CLASSIFIERS, drawn, level)

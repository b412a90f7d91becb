"""Whether the vectors of two corpora are apart: energy distance, its null, and texts between."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.inference.resampling import (
    half_of_each,
    half_sample_bounds,
    probability_of_larger,
    upper_p_value,
)
from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.safe_ratio import ratio

FEWEST_DOCUMENTS = 4  # of a corpus: fewer have no interval
MOST_UNITS = 1000  # documents that are dealt out one by one; of more, as many share a label
Masks = Bool[np.ndarray, "draw unit"]
BLOCK = 2**22  # distances that are held at once


@dataclass(frozen=True, eq=False)
class TwoClouds:
    """The difference between two corpora; NaN where all vectors are equal."""

    distance: float
    """Energy distance over twice the mean distance between the corpora, from 0 to 1.

    0 for equal distributions, 1 for two points. Free of scale: 0.11 for two Gaussians of unit
    variance in a single dimension with means 0.7 apart.
    """
    distance_low: float
    distance_high: float
    """Interval over documents."""
    auc: float
    """Probability that a text of the first corpus leans more to the first than one of the second.

    In [0, 1]: an effect size without unit. By chance near `null_auc`.
    """
    auc_low: float
    auc_high: float
    null_auc: float
    """Mean over dealt labels; under 1/2, as a text has no part in the mean of its own corpus."""
    p_value: float
    """Share of random deals of the documents with at least the same energy distance, in (0, 1]."""
    null: Float[np.ndarray, " draw"]
    """Values of `unbiased` for corpora of dealt documents. Equal seeds have equal deals."""
    unbiased: float
    """`distance` before negative values are set to 0."""
    lean: Float[np.ndarray, " n"]
    """Mean distance to the second corpus less mean distance to the first, in the unit of `x`.

    Shifted by a constant: on average half the energy distance above 0 in the first corpus, as much
    below 0 in the second. Texts near 0 lie between; a text of the other sign leans to the other
    corpus.
    """
    n_documents: tuple[int, int]
    """Documents of the first and of the second corpus; a document of both counts twice."""


@takes_arrays(invariant_to=["rotation", "scale", "translation"])
def compare_clouds(
    x: Float[np.ndarray, "n dim"],
    is_first: Bool[np.ndarray, " n"],
    document: Int[np.ndarray, " n"] | None = None,
    *,
    n_permutations: int = 500,
    n_half_samples: int = 200,
    level: float = 0.95,
    rng: np.random.Generator,
) -> TwoClouds:
    """Compare the vectors of two corpora, `is_first` and not, with documents as units of chance.

    Energy distance of Székely and Rizzo (2013), "Energy statistics: a class of statistics based on
    distances", J. Stat. Plan. Inference 143: 2 E|X - Y| - E|X - X'| - E|Y - Y'|, from pairs of
    texts of different documents, and so without bias; it is zero only for equal distributions. The
    p-value deals the labels anew among whole documents; a document of both corpora deals its own
    labels among its texts. `lean` is the distance's witness: E|x - Y| - E|x - X|, less half of E|Y
    - Y'| - E|X - X'|. Intervals are by half-samples of the documents.

    For cosines, give unit rows. Time and memory grow with n times the smaller of n and 1000.

    Args:
        x: All vectors, of both corpora.
        is_first: Whether a vector is of the first corpus.
        document: Numbers; texts of a document stay together. By default every text is a document.
        n_permutations: Deals of the labels; the p-value is over 1 / (1 + `n_permutations`).
        n_half_samples: Halves of the documents for the intervals.
        level: Of the intervals.
        rng: For several layers take generators of the same seed: then `null` is paired, for
            `p_values_of_all`.

    Raises:
        ValueError: fewer than 4 documents in a corpus.
    """
    document = np.arange(len(x)) if document is None else document
    n_documents = _counted(is_first, document)
    for_deals, for_halves = rng.spawn(2)
    sums = _UnitSums.of(x, is_first, document)
    dealt = np.stack(
        [sums.label]
        + [dealt_anew(sums.label, sums.family, for_deals) for _ in range(n_permutations)]
    )
    values = sums.apart(dealt, ~dealt)
    whole = values[0]
    chosen = sums.halves(n_half_samples, for_halves)
    halves = sums.apart(chosen & sums.label, chosen & ~sums.label)
    interval = half_sample_bounds(whole, halves, sums.n_families, level=level)
    low, high = interval.low.clip(0, 1), interval.high.clip(0, 1)
    return TwoClouds(
        distance=float(np.clip(whole[0], 0, 1)),
        distance_low=float(low[0]),
        distance_high=float(high[0]),
        auc=float(whole[1]),
        auc_low=float(low[1]),
        auc_high=float(high[1]),
        null_auc=float(values[1:, 1].mean()) if n_permutations else float("nan"),
        p_value=upper_p_value(whole[0], values[1:, 0]),
        null=values[1:, 0],
        unbiased=float(whole[0]),
        lean=sums.lean(dealt[:1], ~dealt[:1])[0],
        n_documents=n_documents,
    )


def p_values_of_all(clouds: Sequence[TwoClouds]) -> Float[np.ndarray, " cloud"]:
    """Return p-values of several layers together: the chance that any is so far apart.

    Westfall and Young (1993), "Resampling-based multiple testing": the largest distance of all
    layers, each over the standard deviation of its null. The clouds have the same documents, and
    generators of the same seed. NaN for a cloud without a null.
    """
    null = np.array([cloud.null for cloud in clouds])
    scale = null.std(axis=1)
    value = np.array([cloud.unbiased for cloud in clouds])
    defined = scale > 0
    if not defined.any():
        return np.full(len(clouds), np.nan)
    largest = (null[defined] / scale[defined, np.newaxis]).max(axis=0)
    standardized = ratio(value, np.where(defined, scale, np.nan))
    return np.array([upper_p_value(float(distance), largest) for distance in standardized])


def dealt_anew(
    label: Bool[np.ndarray, " n"], documents: Int[np.ndarray, " n"], rng: np.random.Generator
) -> Bool[np.ndarray, " n"]:
    """Return labels without meaning that hang together like the true labels.

    A document of a single corpus takes the label of another such document for all of its rows. A
    document of both corpora deals its labels out among its rows.
    """
    _, first, document = np.unique(documents, return_index=True, return_inverse=True)
    n_true, n = np.bincount(document, label), np.bincount(document)
    mixed = (n_true > 0) & (n_true < n)
    whole = label[first]
    whole[~mixed] = rng.permutation(whole[~mixed])
    if not mixed.any():
        return whole[document]
    within = np.empty_like(label)
    in_disorder = np.lexsort((rng.random(len(label)), document))
    within[in_disorder] = label[np.argsort(document, kind="stable")]
    return np.where(mixed[document], within, whole[document])


def _counted(is_first: Bool[np.ndarray, " n"], document: Int[np.ndarray, " n"]) -> tuple[int, int]:
    first, second = (len(np.unique(document[side])) for side in (is_first, ~is_first))
    if min(first, second) < FEWEST_DOCUMENTS:
        raise ValueError(
            f"is_first: expected {FEWEST_DOCUMENTS} documents or more on either side, found "
            f"{first} and {second}"
        )
    return first, second


@dataclass(frozen=True, eq=False)
class _UnitSums:
    """Sums of distances from texts to units; the texts of a unit share the label in every deal.

    A unit is a document of a single corpus, several of these documents, or a single text of a
    document of both.
    """

    sums: Float[np.ndarray, "n unit"]
    """To texts of other documents."""
    unit: Int[np.ndarray, " n"]
    document: Int[np.ndarray, " n"]
    label: Bool[np.ndarray, " unit"]
    """Whether a unit is of the first corpus."""
    family: Int[np.ndarray, " unit"]
    """The units of a document have a common number, from 0."""

    @classmethod
    def of(
        cls,
        x: Float[np.ndarray, "n dim"],
        is_first: Bool[np.ndarray, " n"],
        document: Int[np.ndarray, " n"],
    ) -> "_UnitSums":
        document = np.unique(document, return_inverse=True)[1]
        n_first = np.bincount(document, is_first)
        is_mixed = (n_first > 0) & (n_first < np.bincount(document))
        joint = _joined(document, is_first, is_mixed)
        # A text of a mixed document is a unit by itself.
        own = np.where(is_mixed[document], 1 + np.arange(len(x)), 0)
        _, start, unit = np.unique(
            np.stack([joint, own]), axis=1, return_index=True, return_inverse=True
        )
        unit = unit.reshape(-1)
        family = np.unique(joint[start], return_inverse=True)[1]
        return cls(_distance_sums(x, unit, document), unit, document, is_first[start], family)

    @property
    def n_families(self) -> int:
        return int(self.family.max()) + 1

    @cached_property
    def _between_units(self) -> Float[np.ndarray, "unit unit"]:
        sums = np.zeros((len(self.label), len(self.label)))
        np.add.at(sums, self.unit, self.sums)
        return sums

    @cached_property
    def _pieces(self) -> tuple[Int[np.ndarray, " piece"], ...]:
        """Unit, document and size of the part that a document has in a unit."""
        pieces, size = np.unique(np.stack([self.unit, self.document]), axis=1, return_counts=True)
        return pieces[0], pieces[1], size

    def halves(self, n: int, rng: np.random.Generator) -> Masks:
        """Half of the documents of every kind, `n` times: of the first corpus, the second, both."""
        kind = np.zeros(self.n_families, dtype=np.int64)
        np.bitwise_or.at(kind, self.family, np.where(self.label, 1, 2))
        chosen = np.zeros((n, self.n_families), dtype=bool)
        for draw in chosen:
            draw[half_of_each(kind, rng)] = True
        return chosen[:, self.family]

    def apart(self, one: Masks, other: Masks) -> Float[np.ndarray, "draw 2"]:
        """Distance, from -1 to 1, and AUC of the corpora that two masks of units make."""
        within, other_within, between = self._means(one, other)
        energy = 2 * between - within - other_within
        aucs = [
            probability_of_larger(lean[first[self.unit]], lean[second[self.unit]])
            for lean, first, second in zip(self.lean(one, other), one, other, strict=True)
        ]
        return np.stack([ratio(energy, 2 * between), np.array(aucs)], axis=1)

    def lean(self, one: Masks, other: Masks) -> Float[np.ndarray, "draw n"]:
        """Mean distance of a text to `other` less the mean distance to `one`, shifted."""
        within, other_within, _ = self._means(one, other)
        balance = (other_within - within) / 2
        return self._mean_to(other) - self._mean_to(one) - balance[:, np.newaxis]

    def _mean_to(self, side: Masks) -> Float[np.ndarray, "draw n"]:
        in_documents = self._in_documents(side)
        n_others = in_documents.sum(axis=1, keepdims=True) - in_documents[:, self.document]
        return ratio(side.astype(np.float64) @ self.sums.T, n_others)

    def _in_documents(self, side: Masks) -> Float[np.ndarray, "draw document"]:
        """Return how many texts of every document are on a side."""
        unit, document, size = self._pieces
        order = np.argsort(document, kind="stable")
        starts = np.searchsorted(document[order], np.arange(document.max() + 1))
        n_texts = side[:, unit[order]] * size[order].astype(np.float64)
        return np.add.reduceat(n_texts, starts, axis=1)

    def _means(self, one: Masks, other: Masks) -> tuple[Float[np.ndarray, " draw"], ...]:
        """Mean distance within the first corpus, within the second, and between both."""
        n_one, n_other = self._in_documents(one), self._in_documents(other)
        return tuple(
            ratio(
                np.einsum("du,du->d", a.astype(np.float64) @ self._between_units, b),
                n_a.sum(axis=1) * n_b.sum(axis=1) - np.einsum("dk,dk->d", n_a, n_b),
            )
            for a, b, n_a, n_b in (
                (one, one, n_one, n_one),
                (other, other, n_other, n_other),
                (one, other, n_one, n_other),
            )
        )


def _joined(
    document: Int[np.ndarray, " n"],
    is_first: Bool[np.ndarray, " n"],
    is_mixed: Bool[np.ndarray, " document"],
) -> Int[np.ndarray, " n"]:
    """Return the number of every text's joint: equally many documents each, all of one corpus.

    Joints of equal size may be dealt out like documents; a last, smaller joint hardly matters.
    """
    n_documents = len(is_mixed)
    per_unit = -(-n_documents // MOST_UNITS)
    has_first = np.zeros(n_documents, dtype=bool)
    has_first[document[is_first]] = True
    joint = np.empty(n_documents, dtype=np.int64)
    number = 0
    for kind, size in (
        (is_mixed, 1),
        (~is_mixed & has_first, per_unit),
        (~is_mixed & ~has_first, per_unit),
    ):
        members = np.flatnonzero(kind)
        joint[members] = number + np.arange(len(members)) // size
        number += -(-len(members) // size)
    return joint[document]


def _distance_sums(
    x: Float[np.ndarray, "n dim"], unit: Int[np.ndarray, " n"], document: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n unit"]:
    """Sums of the distances to the texts of every unit that are not of the own document."""
    order = np.argsort(unit, kind="stable")
    starts = np.searchsorted(unit[order], np.arange(unit.max() + 1))
    # About the mean, so that what all share costs no digits.
    x = x - x.mean(axis=0)
    there, squared = x[order], np.square(x).sum(axis=1)
    sums = np.empty((len(x), len(starts)))
    step = max(1, BLOCK // len(x))
    for first in range(0, len(x), step):
        rows = slice(first, first + step)
        near = squared[rows, np.newaxis] + squared[order] - 2 * (x[rows] @ there.T)
        distances = np.sqrt(near.clip(min=0))
        distances[document[rows, np.newaxis] == document[order]] = 0
        sums[rows] = np.add.reduceat(distances, starts, axis=1)
    return sums

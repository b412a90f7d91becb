"""Counts pairs of different documents by cosine, from the highest down."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.practice.unit_blocks import UnitRows

N_EDGES = 2**14  # between the lowest cosine that is counted and 1
N_COARSE = 64  # cosines at which the pairs of each document are counted
N_SAMPLED = 2000  # rows whose pairs say where to begin
SPARE = 5  # times the largest rate of interest is counted


@dataclass(frozen=True, eq=False)
class HighPairs:
    """Pairs of rows of different documents with a high cosine, and the number of all pairs."""

    edges: Float[np.ndarray, " edge"]
    """Cosines, ascending up to 1."""
    counts: Int[np.ndarray, " edge"]
    """Pairs with at least this cosine."""
    coarse: Float[np.ndarray, " coarse"]
    """Some of the edges."""
    document_counts: Int[np.ndarray, "document coarse"]
    """Pairs of a document and a different document with at least this cosine."""
    pairs_of_document: Int[np.ndarray, " document"]
    """All pairs of a document and a different document."""
    first: Int[np.ndarray, " listed"]
    """Rows of the pairs of the highest cosine, the highest first; `first` < `second`."""
    second: Int[np.ndarray, " listed"]
    cosine: Float[np.ndarray, " listed"]
    n_pairs: int
    """All pairs of rows of different documents."""
    n_zero: int
    """Rows of length zero, left out: no cosine is defined."""

    @property
    def n_documents(self) -> int:
        """Return the number of documents with a row of a length above zero."""
        return int((self.pairs_of_document > 0).sum())


def high_pairs(
    x: Float[np.ndarray, "n dim"],
    document: Int[np.ndarray, " n"],
    *,
    largest_rate: float,
    n_listed: int = 1000,
    mean: Float[np.ndarray, " dim"] | None = None,
    rng: np.random.Generator,
) -> HighPairs:
    """Return the pairs of rows of different documents by their cosine; every pair is compared.

    Beyond the vectors, which may be a memory map, memory holds two blocks of vectors and 64 counts
    a document; nothing grows with the number of pairs. Cosines are in float32.

    Args:
        x: Of any lengths.
        document: The number of each row's document.
        largest_rate: Least share of all pairs to count, from the highest cosine down.
        n_listed: Number of pairs to list.
        mean: Is subtracted first.
        rng: Draws rows for a first guess of the lowest edge, without effect on a count.

    Raises:
        ValueError: if no two rows with a direction are of different documents.
    """
    unit = UnitRows(x, mean)
    kept = unit.kept
    of = np.unique(document[kept], return_inverse=True)[1]
    sizes = np.bincount(of)
    n_pairs = int((len(of) ** 2 - np.square(sizes).sum()) // 2)
    if not n_pairs:
        raise ValueError("expected two documents or more with a row of a length above zero")
    rate = SPARE * largest_rate
    lowest = _lowest(unit, of, rate, rng)
    while True:
        counted = _count(unit, of, lowest, n_listed)
        if lowest <= -1 or counted.counts[0] >= min(2 * largest_rate, 1) * n_pairs:
            break
        lowest = max(-1.0, lowest - 0.1)  # the sampled rows had other pairs than most
    return HighPairs(
        counted.edges,
        counted.counts,
        counted.edges[counted.coarse],
        counted.document_counts,
        sizes * (len(of) - sizes),
        kept[counted.first],
        kept[counted.second],
        counted.cosine,
        n_pairs,
        len(x) - len(kept),
    )


def _lowest(
    unit: UnitRows,
    document: Int[np.ndarray, " n"],
    rate: float,
    rng: np.random.Generator,
) -> float:
    """Return a cosine with about a share `rate` of the pairs above."""
    rows = rng.permutation(len(unit))[:N_SAMPLED]
    some = unit[rows]
    cosine = some @ some.T
    apart = np.triu(document[rows, None] != document[rows], 1)
    chosen = cosine[apart]
    if not len(chosen) or rate >= 1:
        return -1.0
    return float(np.clip(np.quantile(chosen, 1 - rate), -1.0, 1.0))  # of equal rows 1, rounded


@dataclass(eq=False)
class _Counted:
    edges: Float[np.ndarray, " edge"]
    counts: Int[np.ndarray, " edge"]
    coarse: Int[np.ndarray, " coarse"]
    document_counts: Int[np.ndarray, "document coarse"]
    first: Int[np.ndarray, " listed"]
    second: Int[np.ndarray, " listed"]
    cosine: Float[np.ndarray, " listed"]

    def add(
        self,
        i: Int[np.ndarray, " pair"],
        j: Int[np.ndarray, " pair"],
        cosine: Float[np.ndarray, " pair"],
        document: Int[np.ndarray, " n"],
    ) -> None:
        """Count pairs by the highest edge not above the cosine; sums follow at the end."""
        reached = np.searchsorted(self.edges, cosine, side="right") - 1
        self.counts += np.bincount(reached, minlength=len(self.edges))
        place = np.searchsorted(self.coarse, reached, side="right") - 1
        n_coarse = len(self.coarse)
        for row in (i, j):
            np.add.at(self.document_counts.reshape(-1), document[row] * n_coarse + place, 1)

    def keep(
        self,
        i: Int[np.ndarray, " pair"],
        j: Int[np.ndarray, " pair"],
        cosine: Float[np.ndarray, " pair"],
        n_listed: int,
    ) -> None:
        """Keep the pairs of the highest cosine; for equal cosines, the first rows."""
        if len(self.cosine) == n_listed and n_listed:
            above = cosine > self.cosine[-1]
            i, j, cosine = i[above], j[above], cosine[above]
        first, second = np.append(self.first, i), np.append(self.second, j)
        values = np.append(self.cosine, cosine)
        order = np.lexsort((second, first, -values))[:n_listed]
        self.first, self.second, self.cosine = first[order], second[order], values[order]


def _count(
    unit: UnitRows, document: Int[np.ndarray, " n"], lowest: float, n_listed: int
) -> _Counted:
    edges = np.linspace(lowest, 1, N_EDGES)
    coarse = np.linspace(0, N_EDGES - 1, N_COARSE).round().astype(np.int64)
    none = np.empty(0, dtype=np.int64)
    counted = _Counted(
        edges,
        np.zeros(N_EDGES, dtype=np.int64),
        coarse,
        np.zeros((int(document.max()) + 1, N_COARSE), dtype=np.int64),
        none,
        none,
        np.empty(0),
    )
    for first, second, cosine in _products(unit):
        i, j = np.nonzero(cosine >= lowest)
        # Clipped in float64: in float32 the lowest edge may round to below itself.
        values = np.clip(cosine[i, j].astype(np.float64), lowest, 1)
        i, j = i + first, j + second
        is_pair = (j > i) & (document[i] != document[j])
        i, j, values = i[is_pair], j[is_pair], values[is_pair]
        counted.add(i, j, values, document)
        counted.keep(i, j, values, n_listed)
    counted.counts = counted.counts[::-1].cumsum()[::-1]
    downwards = counted.document_counts[:, ::-1]
    np.cumsum(downwards, axis=1, out=downwards)  # in place, as it is the largest array
    return counted


def pairs_above(
    x: Float[np.ndarray, "n dim"],
    document: Int[np.ndarray, " n"],
    thresholds: Float[np.ndarray, " threshold"],
) -> Int[np.ndarray, " threshold"]:
    """Return the number of pairs of rows of different documents with at least a cosine."""
    unit = UnitRows(x)
    of = document[unit.kept]
    counts = np.zeros(len(thresholds), dtype=np.int64)
    for first, second, cosine in _products(unit):
        rows, columns = (
            begin + np.arange(n) for begin, n in zip((first, second), cosine.shape, strict=True)
        )
        is_pair = (of[rows, None] != of[columns]) & (rows[:, None] < columns)
        counts += [
            int(np.count_nonzero(is_pair & (cosine >= threshold))) for threshold in thresholds
        ]
    return counts


def _products(unit: UnitRows) -> Iterator[tuple[int, int, Float[np.ndarray, "row column"]]]:
    """Yield the first row of either block, and the cosines of all rows of both, in one buffer."""
    begin, rows, buffer = -1, np.empty((0, 0)), np.empty(0, np.float32)
    for first, second in unit.pairs_of_blocks():
        if first.start != begin:
            begin, rows = first.start, unit[first]
        columns = rows if second.start == begin else unit[second]
        shape = (len(rows), len(columns))
        if not len(buffer):  # the first blocks are the largest
            buffer = np.empty(shape[0] * shape[1], np.float32)
        cosine = buffer[: shape[0] * shape[1]].reshape(shape)
        yield begin, second.start, np.matmul(rows, columns.T, out=cosine)

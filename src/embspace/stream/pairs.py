"""All pairs and the exact neighbor graph of a matrix on disk, within a limit of memory."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.files.tables import coarse_quantiles
from embspace.files.together import write_csv, writing_together
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.geometry.pairs.scan._blocks import Distributions
from embspace.geometry.pairs.scan._neighbor_lists import n_candidates
from embspace.measure.tables.summary import histogram_rows, summary_row
from embspace.stream.matrices import MatrixFile

GB = 10**9
# The interpreter, libraries, compiled loops and blocks of products: 200 to 340 MB were measured.
BASE = 345 * 10**6
MOST_BINS = 10**6  # of a histogram; three of so many took 0.25 GB more than the base
CHUNK = 2048  # rows whose lists are merged at a time
SUMMARY, HISTOGRAMS = "pairs.csv", "histograms.csv"
INDICES, DISTANCES = "neighbor_indices.npy", "neighbor_distances.npy"


@dataclass(frozen=True)
class Wanted:
    """The request: sizes of the results, and the limit of memory."""

    n_bins: int
    """The number of bins of a histogram."""
    n_neighbors: int
    """The number of neighbors of a row; 0 for no graph, at most all remaining rows."""
    quantiles: tuple[float, ...]
    memory: float
    """In GB of 10^9 bytes, of the whole process."""


def save_pairs(path: Path, folder: Path, wanted: Wanted, say: Callable[[str], None]) -> None:
    """Write distributions of all pairs of rows of a matrix, and the rows' nearest neighbors.

    `pairs.csv` has moments, extremes and quantiles of distances, dot products and cosines,
    `histograms.csv` the counts; `neighbor_indices.npy` (n, k), int32, and `neighbor_distances.npy`,
    float64, hold a `NeighborGraph`. No sampling. All files appear at once, `pairs.csv` last.

    A matrix that fits with the lists is scanned in one pass. A larger matrix is cut into panels,
    scanned two by two: the graph is the same, counts too up to pairs within rounding of a bin's
    edge, and the products are up to three times as many.

    Raises:
        InputError: a file refused by `MatrixFile`, a number out of range, or too little memory for
            two panels of a few rows.
    """
    if not 1 <= wanted.n_bins <= MOST_BINS:
        raise InputError(f"bins: found {wanted.n_bins}, allowed: 1 to {MOST_BINS:,}")
    if wanted.n_neighbors < 0:
        raise InputError(f"neighbors: found {wanted.n_neighbors}, allowed: 0 or more")
    if not math.isfinite(wanted.memory):
        raise InputError(f"memory: found {wanted.memory:g} GB, allowed: a finite number")
    file = MatrixFile.of(path)
    lengths = file.norms()
    k = min(wanted.n_neighbors, file.n - 1)
    panels = panels_of(file.n, bytes_of_row(file.dim, k, zeros=not lengths.all()), k, wanted.memory)
    say(f"{file.n:,} rows of {file.dim} numbers, in {len(panels)} panel(s)")
    graph_paths, tables = (
        [folder / INDICES, folder / DISTANCES],
        [folder / HISTOGRAMS, folder / SUMMARY],
    )
    paths = [*graph_paths, *tables] if k else tables
    with writing_together(paths, obsolete=[] if k else graph_paths) as places:
        graph = GraphFile(places[0], places[1], file.n, k) if k else None
        distributions = scan_panels(file, panels, wanted.n_bins, float(lengths.max()), graph, say)
        histograms = [
            histogram_rows({"quantity": name}, distribution.edges, distribution.counts)
            for name, distribution in distributions.items()
            if distribution.n
        ]
        write_csv(pd.concat(histograms, ignore_index=True), places[-2])
        rows = [
            {"quantity": name, **summary_row(distribution, wanted.quantiles)}
            for name, distribution in distributions.items()
        ]
        write_csv(summary := pd.DataFrame(rows), places[-1])
    if warning := coarse_quantiles(summary):
        say(warning)


def bytes_of_row(dim: int, k: int, *, zeros: bool) -> int:
    """Return the bytes of a row during a scan: the row, candidates, neighbors.

    With zero rows, `scan_pairs` copies all nonzero rows.
    """
    vectors = 4 * dim * (1 + zeros)
    lists = 2 * n_candidates(k) * 8 + k * 12 if k else 0
    # Beside the vectors, the check for NaN takes two bytes a number, before there are lists.
    return vectors + max(lists, 2 * dim) + 64


def panels_of(n: int, row_bytes: int, k: int, memory: float) -> list[slice]:
    """Return slices of equal size: a single slice, or slices of which any two fit into `memory` GB.

    Raises:
        InputError: if a panel would have no more rows than a row has neighbors.
    """
    fitting = int((memory * GB - BASE) // row_bytes)
    if fitting >= n:
        return [slice(0, n)]
    least = max(k + 1, 2)
    if fitting < 2 * least:
        needed = (BASE + 2 * least * row_bytes) / GB
        raise InputError(f"memory: found {memory:g} GB, allowed: {needed:.2g} GB or more")
    n_panels = max(2, -(-n // (fitting // 2)))
    if n // n_panels < 2:
        n_panels = n // 2
    limits = np.linspace(0, n, n_panels + 1).astype(int).tolist()
    return [slice(a, b) for a, b in zip(limits, limits[1:], strict=False)]


class GraphFile:
    """Lists of the nearest neighbors on disk, which are merged with those of further panels."""

    def __init__(self, indices: Path, distances: Path, n: int, k: int) -> None:
        self.places, self.k = (indices, distances), k
        for place, number_type, start in zip(
            self.places, (np.int32, np.float64), (-1, np.inf), strict=True
        ):
            lists = np.lib.format.open_memmap(place, "w+", number_type, (n, k))
            _reserve(place)
            for begin in range(0, n, CHUNK):
                lists[begin : begin + CHUNK] = start

    def merge(self, numbers: Int[np.ndarray, " row"], graph: NeighborGraph) -> None:
        """Take the graph among the rows with these numbers, ascending, into the lists."""
        # Opened anew each time: pages of a map that was closed are no memory of the process.
        kept = [np.lib.format.open_memmap(place, "r+") for place in self.places]
        for begin in range(0, len(numbers), CHUNK):
            chunk = slice(begin, begin + CHUNK)
            rows, k = numbers[chunk], self.k
            indices = np.concatenate([kept[0][rows], numbers[graph.indices[chunk]]], axis=1)
            distances = np.concatenate([kept[1][rows], graph.distances[chunk]], axis=1)
            kept[0][rows], kept[1][rows] = nearest_of(indices, distances, k)


def _reserve(path: Path) -> None:
    """Reserve the space of a file with holes: a full disk while a map fills them is a signal."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


def nearest_of(
    indices: Int[np.ndarray, "row listed"], distances: Float[np.ndarray, "row listed"], k: int
) -> tuple[Int[np.ndarray, "row k"], Float[np.ndarray, "row k"]]:
    """Return the distinct `k` nearest of every row; ties by the smaller number first.

    A number listed twice has one distance.
    """
    indices, distances = _sorted(indices, distances, indices.argsort(axis=1, kind="stable"))
    twice = indices[:, 1:] == indices[:, :-1]
    distances[:, 1:][twice] = np.inf
    order = distances.argsort(axis=1, kind="stable")[:, :k]
    return _sorted(indices, distances, order)


def _sorted(
    indices: Int[np.ndarray, "row listed"],
    distances: Float[np.ndarray, "row listed"],
    order: Int[np.ndarray, "row k"],
) -> tuple[Int[np.ndarray, "row k"], Float[np.ndarray, "row k"]]:
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(distances, order, axis=1)


def scan_panels(
    file: MatrixFile,
    panels: list[slice],
    n_bins: int,
    largest_norm: float,
    graph: GraphFile | None,
    say: Callable[[str], None],
) -> Distributions:
    """Return the distributions of all pairs, and bring all pairs into the graph, if present.

    Every pair of rows counts once: within a panel, or between two panels.
    """
    if len(panels) == 1:
        k = graph.k if graph else 0
        x = file.rows(0, file.n)
        scan = scan_pairs(x, n_bins=n_bins, largest_norm=largest_norm, n_neighbors=k)
        if graph and scan.neighbors:
            graph.merge(np.arange(file.n), scan.neighbors)
        return scan.distributions
    total: Distributions = {}
    both = list(combinations(panels, 2))
    for number, (a, b) in enumerate(both, start=1):
        for distributions in _scan_two(file, a, b, panels, n_bins, largest_norm, graph):
            total = {
                name: total[name] + distribution if total else distribution
                for name, distribution in distributions.items()
            }
        say(f"panels {number} of {len(both)}")
    return total


def _scan_two(
    file: MatrixFile,
    a: slice,
    b: slice,
    panels: list[slice],
    n_bins: int,
    largest_norm: float,
    graph: GraphFile | None,
) -> list[Distributions]:
    """Return the distributions between two panels, and within panels not yet scanned.

    A separate function, to free the rows before the next two panels are read.
    """
    size = a.stop - a.start
    x = np.empty((size + b.stop - b.start, file.dim), dtype=np.float32)
    file.read_into(x[:size], a.start)
    file.read_into(x[size:], b.start)
    clouds: list[tuple[np.ndarray, np.ndarray | None]] = [(x[:size], x[size:])]
    if a == panels[0]:
        clouds += [(x[size:], None)] + [(x[:size], None)] * (b == panels[1])
    distributions = [
        scan_pairs(left, right, n_bins=n_bins, largest_norm=largest_norm).distributions
        for left, right in clouds
    ]
    if graph and (among := scan_pairs(x, n_neighbors=graph.k).neighbors):
        graph.merge(np.r_[a, b], among)
    return distributions

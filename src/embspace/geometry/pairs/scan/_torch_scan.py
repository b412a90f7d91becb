"""A block of pairs on any device of torch; what needs float64 products is left to the host."""

from collections.abc import Callable
from functools import reduce
from operator import or_

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from embspace.geometry.pairs.extremes import ORDERS, Kept, Order
from embspace.geometry.pairs.scan._blocks import METRICS, Block, Metric
from embspace.geometry.pairs.scan._extreme_loops import offer_listed
from embspace.geometry.pairs.scan._neighbor_lists import n_candidates, shrunk_halves
from embspace.geometry.pairs.scan._neighbor_loops import Candidates
from embspace.geometry.pairs.scan._rows import Rows
from embspace.geometry.pairs.scan._tally_loops import NEAR
from embspace.geometry.pairs.scan._totals import Part, Wanted

Combine = Callable[[Tensor, Tensor], Tensor]
MOST_ELEMENTS = 2**24  # of differences at a time, 128 MB


class TorchScan:
    """Turns a block into a `Part`, as `BlockScan` does, but for a single thread."""

    def __init__(self, left: Rows, right: Rows, wanted: Wanted, device: torch.device) -> None:
        self.left, self.right, self.wanted, self.device = left, right, wanted, device
        self._left = torch.tensor(left.vectors, device=device)
        same = right.vectors is left.vectors
        self._right = self._left if same else torch.tensor(right.vectors, device=device)
        n_bins = max((len(bin_edges) - 1 for bin_edges in wanted.edges.values()), default=0)
        self._counts = torch.zeros((len(METRICS), n_bins), dtype=torch.int64, device=device)
        k = wanted.n_neighbors
        self._neighbors = TorchNeighborLists(left, k, device) if k else None

    def __call__(self, block: Block) -> Part:
        """Scan the pairs of one block."""
        # Neither half precision nor TF32, whatever the caller has set for the rest of a program.
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
        try:
            with torch.inference_mode(), torch.autocast(self.device.type, enabled=False):
                return self._scan(block)
        finally:
            torch.set_float32_matmul_precision(before)

    def _scan(self, block: Block) -> Part:
        dots = self._left[block.rows] @ self._right[block.columns].T
        if self._neighbors is not None:
            self._neighbors.offer(dots, block)
        pairs = torch.ones(dots.shape, dtype=torch.bool, device=self.device)
        if block.on_diagonal:
            pairs = pairs.triu(diagonal=1)
        power_sums, limits = np.zeros((len(METRICS), 4)), np.array([[np.inf, -np.inf]] * 3)
        cosines = dots * self._outer(block, "inverse_norms", torch.mul)
        for number, metric in enumerate(METRICS):
            if metric in self.wanted.edges and pairs.any():
                values = self._values(metric, dots, cosines, block)[pairs]
                power_sums[number] = self._tally(number, metric, values)
                limits[number] = values.min().item(), values.max().item()
        kept = Kept.empty(len(self.wanted.search.bound), self.wanted.n_extremes)
        if self.wanted.n_extremes:
            self._offer_extremes(cosines, pairs, block, kept)
        row_cosines, column_cosines = self._largest(cosines, pairs)
        return Part(power_sums, limits[:, 0], limits[:, 1], kept, row_cosines, column_cosines)

    def _outer(self, block: Block, column: str, combine: Combine) -> Float[Tensor, "row column"]:
        """Return a combination of a number of every row with a number of every column."""
        x = torch.tensor(getattr(self.left, column)[block.rows], device=self.device)
        y = torch.tensor(getattr(self.right, column)[block.columns], device=self.device)
        return combine(x[:, None], y)

    def _values(
        self,
        metric: Metric,
        dots: Float[Tensor, "row column"],
        cosines: Float[Tensor, "row column"],
        block: Block,
    ) -> Float[Tensor, "row column"]:
        if metric == "euclidean_distance":
            return self._distances(dots, block)
        return dots if metric == "dot_product" else cosines

    def _distances(
        self, dots: Float[Tensor, "row column"], block: Block
    ) -> Float[Tensor, "row column"]:
        """Return the distances as `_tally_loops._distances` does, with small ones corrected."""
        squares = self._outer(block, "squared_norms", torch.add)
        squared = (squares - 2 * dots).clamp(min=0)
        distances = squared.sqrt()
        x, y = self._left[block.rows], self._right[block.columns]
        n_at_once = max(MOST_ELEMENTS // x.shape[1], 1)
        near = (squared < NEAR * squares).nonzero()
        for first, second in (part.T for part in torch.split(near, n_at_once)):
            direct = (x[first].double() - y[second].double()).square().sum(dim=1).sqrt()
            distances[first, second] = direct.float()
        return distances

    def _tally(self, number: int, metric: Metric, values: Float[Tensor, " pair"]) -> list[float]:
        """Count the values of a metric; return the sums of their first powers."""
        edges, n_bins = self.wanted.edges[metric], self._counts.shape[1]
        exact = values.double()
        bins = (exact - edges[0]) * (n_bins / (edges[-1] - edges[0]))
        bins = bins.clamp(0, n_bins - 1).long()
        self._counts[number] += torch.bincount(bins, minlength=n_bins)
        exact = exact - self.wanted.centers[number].item()
        square = exact.square()
        powers = (exact, square, exact * square, square.square())
        return [power.sum().item() for power in powers]

    def _offer_extremes(
        self,
        cosines: Float[Tensor, "row column"],
        pairs: Bool[Tensor, "row column"],
        block: Block,
        kept: Kept,
    ) -> None:
        left, right = self.left.part(block.rows), self.right.part(block.columns)
        masks = [
            self._candidates(cosines, pairs & self._members(group, left, right), group, order)
            for group in range(len(left.groups))
            for order in ORDERS
        ]
        first, second = reduce(or_, masks).nonzero().T.cpu().numpy()
        offer_listed(first.copy(), second.copy(), left, right, self.wanted.search, kept)

    def _members(self, group: int, left: Rows, right: Rows) -> Bool[Tensor, "row column"]:
        x, y = (torch.tensor(rows.groups[group], device=self.device) for rows in (left, right))
        return x[:, None] & y

    def _candidates(
        self,
        cosines: Float[Tensor, "row column"],
        members: Bool[Tensor, "row column"],
        group: int,
        order: Order,
    ) -> Bool[Tensor, "row column"]:
        """Return the candidate pairs of a list, by the margin between float32 and true keys.

        As many pairs as the list takes have true keys under the last of their float32 keys and a
        margin; a pair two margins above the last key cannot win.
        """
        search = self.wanted.search
        bound = search.bound[group * len(ORDERS) + ORDERS.index(order)]
        keys = {"largest": cosines.neg, "smallest": cosines.clone, "nearest_to_zero": cosines.abs}
        key = keys[order]().masked_fill_(~members, torch.inf).double()
        reach = bound + search.margin
        if key.numel() > self.wanted.n_extremes:
            last = key.flatten().topk(self.wanted.n_extremes, largest=False).values[-1].item()
            reach = min(reach, last + 2 * search.margin)
        return (key <= reach) & members

    def _largest(
        self, cosines: Float[Tensor, "row column"], pairs: Bool[Tensor, "row column"]
    ) -> tuple[np.ndarray, np.ndarray]:
        if not self.wanted.largest_cosines:
            return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
        present = cosines.masked_fill(~pairs, -torch.inf)
        return present.amax(dim=1).cpu().numpy(), present.amax(dim=0).cpu().numpy()

    def counts(self) -> Int[np.ndarray, "metric n_bins"]:
        """Return the counts of all blocks up to now."""
        return self._counts.cpu().numpy()

    def candidates(self) -> Candidates | None:
        """Return the candidates for neighbors, if these are asked for."""
        return None if self._neighbors is None else self._neighbors.candidates()


class TorchNeighborLists:
    """Keeps the nearest neighbors as `NeighborLists` does, but always sorted by their keys."""

    def __init__(self, rows: Rows, k: int, device: torch.device) -> None:
        n, dim = rows.vectors.shape
        halves = shrunk_halves(np.square(rows.norms), dim)
        self._halves = torch.tensor(halves, device=device)
        self._keys = torch.full((n, n_candidates(k)), torch.inf, device=device)
        self._indices = torch.zeros((n, n_candidates(k)), dtype=torch.int64, device=device)

    def offer(self, dots: Float[Tensor, "row column"], block: Block) -> None:
        """Bring every pair of a block into the lists of both rows."""
        keys = self._halves[block.rows, None] + self._halves[block.columns] - dots
        if block.on_diagonal:
            keys.fill_diagonal_(torch.inf)
        else:
            self._merge(block.columns, block.rows.start, keys.T)
        self._merge(block.rows, block.columns.start, keys)

    def _merge(self, rows: slice, first: int, keys: Float[Tensor, "row other"]) -> None:
        places = self._keys.shape[1]
        best = keys.topk(min(places, keys.shape[1]), dim=1, largest=False)
        keys = torch.cat([self._keys[rows], best.values], dim=1)
        indices = torch.cat([self._indices[rows], best.indices + first], dim=1)
        self._keys[rows], order = keys.topk(places, dim=1, largest=False)
        self._indices[rows] = indices.gather(1, order)

    def candidates(self) -> Candidates:
        """Return the candidates on the host."""
        keys, indices = self._keys.cpu().numpy(), self._indices.cpu().numpy()
        counts = np.isfinite(keys).sum(axis=1, dtype=np.int32)
        return Candidates(keys, indices.astype(np.int32), counts, bounds=keys[:, -1].copy())

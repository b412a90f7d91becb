"""Lists of the likely neighbors of each row, on any device of torch."""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from embspace.geometry.pairs.scan._blocks import Block
from embspace.geometry.pairs.scan._neighbor_lists import n_candidates, shrunk_halves
from embspace.geometry.pairs.scan._neighbor_loops import Candidates
from embspace.geometry.pairs.scan._rows import Rows


class TorchNeighborLists:
    """As `NeighborLists`, but always sorted: what leaves a list has a key of at least its last."""

    def __init__(self, rows: Rows, k: int, device: torch.device) -> None:
        n, dim = rows.vectors.shape
        halves = shrunk_halves(np.square(rows.norms), dim)
        self._halves = torch.tensor(halves, device=device)
        self._keys = torch.full((n, n_candidates(k)), torch.inf, device=device)
        self._indices = torch.zeros((n, n_candidates(k)), dtype=torch.int64, device=device)

    def offer(self, dots: Float[Tensor, "row column"], block: Block) -> None:
        """Bring each pair of a block into the lists of both its rows."""
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
        """On the host."""
        keys, indices = self._keys.cpu().numpy(), self._indices.cpu().numpy()
        counts = np.isfinite(keys).sum(axis=1, dtype=np.int32)
        return Candidates(keys, indices.astype(np.int32), counts, bounds=keys[:, -1].copy())

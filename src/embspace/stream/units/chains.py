"""Joins texts of all shards into chains of copies, and into units with texts of the same document.

Memory holds some 100 bytes a text and one part in 256 of the hashes; the rest stays on disk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Int

from embspace.prepare.copies import jaccard
from embspace.stream.store import read_array
from embspace.stream.units.scan import KEPT, PARTS, Hashes

TextNumbers = Int[np.ndarray, " text"]
Pairs = Int[np.ndarray, "_ 2"]
AT_ONCE = 100_000  # hashes, or more where 256 parts of all of them are more
NEXT = 8  # texts that each of many with one run is compared with: they share other runs, too


@dataclass(frozen=True, eq=False)
class Units:
    """Which texts belong together, by the number of a text in the corpus."""

    unit: TextNumbers
    """The same number for all of a unit."""
    n_copies: int
    """Texts that repeat an earlier text."""


def units_of_scans(scans: Sequence[Path], sizes: Sequence[int], similarity: float | None) -> Units:
    """Return the units of the texts of shards with `sizes` rows, from the shards' `scans`."""
    known = _Scans(scans, sizes)
    equal = _joined(known.n, known.equal("text"))
    copies = equal
    if similarity is not None:
        copies = _joined(known.n, [_links(equal), *_near(known, equal, similarity)])
    unit = _joined(known.n, [_links(copies), *known.equal("document")])
    return Units(unit, known.n - len(np.unique(copies)))


class _Scans:
    """What is known of the texts of all shards, read part by part."""

    def __init__(self, paths: Sequence[Path], sizes: Sequence[int]) -> None:
        self._paths = paths
        self._starts = np.cumsum([0, *sizes])
        self.n = int(self._starts[-1])
        self.sketch = lru_cache(maxsize=10_000)(self._sketch)

    def parts(self, kind: str) -> Iterator[tuple[Hashes, TextNumbers]]:
        """Yield the hashes of a kind with texts, equal hashes side by side."""
        bounds = [read_array(path, f"{kind}_bounds") for path in self._paths]
        total = sum(int(shard_bounds[-1]) for shard_bounds in bounds)
        step = PARTS // min(PARTS, -(-total // AT_ONCE) or 1)
        for part in range(0, PARTS, step):
            within = [
                slice(*shard_bounds[[part, min(part + step, PARTS)]]) for shard_bounds in bounds
            ]
            places = [
                (path, rows, start)
                for path, rows, start in zip(self._paths, within, self._starts, strict=False)
                if rows.start < rows.stop
            ]
            if not places:
                continue
            hashes = np.concatenate([read_array(path, kind, rows) for path, rows, _ in places])
            texts = np.concatenate(
                [read_array(path, f"{kind}_row", rows) + start for path, rows, start in places]
            )
            order = np.lexsort((texts, *hashes.T))
            yield hashes[order], texts[order]

    def equal(self, kind: str) -> Iterator[Pairs]:
        """Yield pairs of texts with equal hashes."""
        for hashes, texts in self.parts(kind):
            same = (hashes[1:] == hashes[:-1]).all(axis=1)
            yield np.stack([texts[:-1][same], texts[1:][same]], axis=1)

    def _sketch(self, text: int) -> Hashes:
        shard = int(np.searchsorted(self._starts, text, side="right")) - 1
        row, path = text - int(self._starts[shard]), self._paths[shard]
        ends = read_array(path, "sketch_end", slice(max(row - 1, 0), row + 1)).tolist()
        return read_array(path, "sketch", slice(ends[0] if row else 0, ends[-1]))


def _joined(n: int, pairs: Iterator[Pairs] | Sequence[Pairs]) -> TextNumbers:
    """Return the chain's number for each of `n` texts, given pairs of linked texts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
    links = coo_array((np.ones(len(ends), bool), tuple(ends.T)), shape=(n, n))
    return np.asarray(connected_components(links, directed=False)[1])


def _links(chain: TextNumbers) -> Pairs:
    """Pairs of texts in one chain."""
    order = chain.argsort(kind="stable")
    same = chain[order[1:]] == chain[order[:-1]]
    return np.stack([order[:-1][same], order[1:][same]], axis=1)


def _near(known: _Scans, chain: TextNumbers, similarity: float) -> Iterator[Pairs]:
    """Yield pairs of near copies; of equal texts the first is compared alone."""
    root = np.arange(known.n)
    for hashes, texts in known.parts("run"):
        starts = np.flatnonzero(np.append(True, (hashes[1:] != hashes[:-1])[:, 0]))
        ends = np.append(starts[1:], len(texts))
        shared = ends - starts > 1
        for start, end in zip(starts[shared], ends[shared], strict=True):
            members = texts[start:end]
            firsts = members[np.sort(np.unique(chain[members], return_index=True)[1])].tolist()
            yield from _near_of(known, firsts, similarity, root)


def _near_of(
    known: _Scans, texts: Sequence[int], similarity: float, root: TextNumbers
) -> Iterator[Pairs]:
    """Yield pairs that join two chains; `root` leads a text to the chain's first."""
    for number, text in enumerate(texts):
        for other in texts[number + 1 : number + 1 + NEXT]:
            one, two = _root(root, text), _root(root, other)
            if one == two:
                continue
            if resemblance(known.sketch(text), known.sketch(other)) >= similarity:
                root[two] = one
                yield np.array([[text, other]])


def _root(root: TextNumbers, text: int) -> int:
    while root[text] != text:
        root[text] = root[root[text]]
        text = int(root[text])
    return text


def resemblance(x: Hashes, y: Hashes) -> float:
    """The Jaccard index of the runs of two texts, by the least hashes of each.

    Exact of fewer than 256 runs; else by the 256 least of both together, with a standard error of
    .019 at .9 (Broder 1997).
    """
    if len(x) < KEPT and len(y) < KEPT:
        return jaccard(x, y)
    both = np.union1d(x, y)[:KEPT]
    return float((np.isin(both, x) & np.isin(both, y)).mean())

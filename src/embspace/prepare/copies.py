"""Finds copies among texts, such as shared posts, to count copies as one text.

Two texts are copies if equal after NFC, case folding and white space, or if the Jaccard index of
runs of five words is large (Broder 1997, "On the resemblance and containment of documents"). Copies
of copies are copies.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import pandas as pd
import regex
from jaxtyping import Int, UInt64

from embspace.scripts.words import UNSPACED, WORD

RUN = 5  # words
# In a script without spaces between words, each letter counts for one.
_UNIT = regex.compile(rf"[{UNSPACED}]\p{{M}}*|(?:(?![{UNSPACED}]){WORD})")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no word of a run is lost to its hash
Runs = UInt64[np.ndarray, " run"]
"""Hashes of the different runs of a text, ascending; two of 2^64 are hardly ever equal."""


def copies_of(texts: Sequence[str], similarity: float | None) -> Int[np.ndarray, " text"]:
    """Return by text the number of its original: the first of all copies, possibly the text itself.

    `similarity` is the least Jaccard index of copies, over 0 and up to 1; with None, equal texts
    alone are copies.
    """
    plain = [plain_text(text) for text in texts]
    first_of: dict[str, int] = {}
    first = np.array([first_of.setdefault(text, i) for i, text in enumerate(plain)], dtype=np.int64)
    if similarity is None:
        return first
    kept = np.array(list(first_of.values()), dtype=np.int64)
    near = _near([plain[number] for number in kept], similarity)
    place = np.zeros(len(texts), dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return kept[near[place[first]]]


def names_of_copies(texts: pd.DataFrame) -> pd.Series:
    """Return by prepared text the id of its original, the text itself if it copies none."""
    return texts["copy_of"] if "copy_of" in texts else texts["id"]


def joined(names: Sequence[str], first: Int[np.ndarray, " text"]) -> list[str]:
    """The names of units, such as documents, with units merged that share copies of a text.

    `names` has the unit of a text, and `first` the number of the first copy of a text. A merged
    unit has the name of the first text's unit.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if (first == np.arange(len(first))).all():
        return list(names)
    order: dict[str, int] = {}
    unit = np.array([order.setdefault(name, len(order)) for name in names], dtype=np.int64)
    n = len(order)
    links = coo_array((np.ones(len(unit)), (unit, unit[first])), shape=(n, n))
    parts = connected_components(links, directed=False)[1]
    listed = [*order]
    first_of_part = np.unique(parts, return_index=True)[1]
    return [listed[first_of_part[parts[number]]] for number in unit]


def plain_text(text: str) -> str:
    """A text after NFC, case folding and white space: the same of all its equal copies."""
    folded = unicodedata.normalize("NFC", text).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())


def _near(texts: Sequence[str], similarity: float) -> Int[np.ndarray, " text"]:
    """The first text of the chain of near copies of a text, per text.

    Sets with a large overlap share a rare element: with the n elements ordered by the number of
    texts, two similar sets share one of the first n - ceil(similarity n) + 1 (Chaudhuri et al.
    2006, "A primitive operator for similarity joins in data cleaning"). Only texts with a shared
    rare run are compared, and never twice with texts of the same chain.
    """
    runs = [runs_of(text) for text in texts]
    chain = np.arange(len(texts))
    known, counts = np.unique(np.concatenate([*runs, np.empty(0, np.uint64)]), return_counts=True)
    having: dict[int, list[int]] = {}
    for number, own in enumerate(runs):
        n_first = len(own) - int(np.ceil(similarity * len(own) - 1e-9)) + 1
        rarest = np.lexsort((own, counts[np.searchsorted(known, own)]))[:n_first]
        lists = [having.setdefault(run, []) for run in own[rarest].tolist()] if len(own) else []
        _join(number, {other for texts in lists for other in texts}, runs, chain, similarity)
        for texts_of_run in lists:
            texts_of_run.append(number)
    return chain


def _join(
    number: int,
    others: set[int],
    runs: Sequence[Runs],
    chain: Int[np.ndarray, " text"],
    similarity: float,
) -> None:
    """Join the chain of a text with the chains of its near copies among the earlier `others`."""
    left = np.array(sorted(others), dtype=np.int64)
    while len(left):
        other = int(left[0])
        if jaccard(runs[number], runs[other]) >= similarity:
            low, high = sorted((chain[number], chain[other]))
            chain[chain == high] = low
        left = left[1:]
        left = left[chain[left] != chain[number]]


def jaccard(x: Runs, y: Runs) -> float:
    """Return the share of common elements of two ascending sets; 0 for empty sets."""
    n_common = len(np.intersect1d(x, y, assume_unique=True))
    n_all = len(x) + len(y) - n_common
    return n_common / n_all if n_all else 0.0


def runs_of(plain: str) -> Runs:
    """The different runs of a text that `plain_text` gave, the same in all processes."""
    return _runs(np.array([_number(word) for word in _UNIT.findall(plain)], dtype=np.uint64))


@lru_cache(maxsize=100_000)
def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest())


def _runs(words: UInt64[np.ndarray, " word"]) -> Runs:
    """Return the different runs of a text; none of a text shorter than a run."""
    n = max(len(words) - RUN + 1, 0)
    hashes = np.zeros(n, dtype=np.uint64)
    for place in range(RUN):
        hashes = (hashes + words[place : place + n]) * _FACTOR
        hashes ^= hashes >> np.uint64(29)
    return np.unique(hashes)

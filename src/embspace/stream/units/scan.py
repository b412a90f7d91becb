"""Finds what identifies copies and documents among the texts of one shard."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt64

from embspace.prepare.copies import plain_text, runs_of
from embspace.stream.plan import Shard
from embspace.stream.reading import flaw_of_row
from embspace.stream.sources import check_unchanged, read_rows
from embspace.stream.store import save_arrays

KEPT = 256  # hashes of runs of a text, the least ones: all of a text of up to 260 words
LOOKED_UP = 16  # of them at most, of which near copies share one
PARTS = 256  # of all digests, by their first byte: one of each shard is in memory at once
KINDS = ("text", "document", "run")
Hashes = UInt64[np.ndarray, "..."]


@dataclass
class _Lists:
    """What is known of texts, row by row."""

    digests: list[bytes]
    rows: list[int]
    sketches: list[Hashes]


def scan_shard(shard: Shard, similarity: float | None, path: Path) -> None:
    """Write the hashes of the texts of a shard.

    Per kind: hashes in ascending order, rows in `<kind>_row`, and the starts of the parts in
    `<kind>_bounds`: digests of 16 bytes, (n, 2), of a `text` and of the `document` or id, if
    present, and the `run` hashes for the search of near copies. `sketch` has the least hashes of
    the runs of a text; the hashes of a row end at `sketch_end`.

    Of n runs, ordered by hash, texts with a Jaccard index of `similarity` share one of the first n
    - ceil(similarity n) + 1 (as in `embspace.prepare.copies`); at most 16 are looked up, and all
    are missing from a copy with a chance of about (1 - similarity)^16.
    """
    texts, documents = _Lists([], [], []), _Lists([], [], [])
    n_rows = 0
    for row, text in enumerate(read_rows(shard.source, shard.first, shard.n)):
        n_rows = row + 1
        if flaw_of_row(text.text):
            continue
        plain = plain_text(text.text)
        texts.digests.append(_digest(plain))
        texts.rows.append(row)
        texts.sketches.append(
            runs_of(plain)[:KEPT] if similarity is not None else np.zeros(0, np.uint64)
        )
        # Else it is called by its file and line, as a text of a file in another folder may be.
        if shard.source.id_column is not None or text.document != text.id:
            documents.digests.append(_digest(text.document))
            documents.rows.append(row)
    check_unchanged([shard.source])
    save_arrays(_arrays(texts, documents, n_rows, similarity), path)


def _digest(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _arrays(
    texts: _Lists, documents: _Lists, n_rows: int, similarity: float | None
) -> dict[str, np.ndarray]:
    lengths = np.zeros(n_rows, np.int64)
    lengths[texts.rows] = [len(sketch) for sketch in texts.sketches]
    runs = [_looked_up(sketch, similarity) for sketch in texts.sketches]
    run = np.concatenate([*runs, np.zeros(0, np.uint64)])
    run_row = np.repeat(np.array(texts.rows, np.int64), [len(hashes) for hashes in runs])
    return {
        **_sorted("text", _digests(texts), np.array(texts.rows, np.int64)),
        **_sorted("document", _digests(documents), np.array(documents.rows, np.int64)),
        **_sorted("run", run[:, None], run_row),
        "sketch": np.concatenate([*texts.sketches, np.zeros(0, np.uint64)]),
        "sketch_end": np.cumsum(lengths),
    }


def _digests(lists: _Lists) -> Hashes:
    return np.frombuffer(b"".join(lists.digests), np.uint64).reshape(-1, 2)


def _sorted(kind: str, hashes: Hashes, rows: Int[np.ndarray, " n"]) -> dict[str, np.ndarray]:
    order = hashes[:, 0].argsort(kind="stable")
    starts = np.arange(PARTS, dtype=np.uint64) << np.uint64(56)
    return {
        kind: hashes[order],
        f"{kind}_row": rows[order],
        f"{kind}_bounds": np.append(np.searchsorted(hashes[order, 0], starts), len(rows)),
    }


def _looked_up(sketch: Hashes, similarity: float | None) -> Hashes:
    if similarity is None or not len(sketch):
        return sketch[:0]
    n_first = len(sketch) - int(np.ceil(similarity * len(sketch) - 1e-9)) + 1
    return sketch[: min(n_first, LOOKED_UP)]

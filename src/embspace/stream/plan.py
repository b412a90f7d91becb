"""Cuts a corpus into shards with keys that identify texts and reading."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from embspace.errors import InputError
from embspace.stream.sources import Source, count_rows, document_starts

FEWEST_SHARDS = 16  # where there are as many texts: intervals come from halves of the shards
FORMAT = 2  # of files of sums: another one where they hold something else
MOST_SHARDS = 128  # by default; each is a unit of the intervals, and has a file of sums


@dataclass(frozen=True)
class Reading:
    """Everything that decides the numbers of a shard, besides the texts."""

    model_name: str
    model: dict[str, Any]
    """The content of the model's file in conf/model/."""
    weights: str
    """A hash to notice different weights under the same name."""
    spaces: tuple[str, ...]
    window_length: int
    overlap: int
    tokens_per_batch: int
    tokens_per_chunk: int
    batch_size: int
    """The number of vectors in a batch, for the share of the first principal axis."""
    number_type: str
    """float32 or bfloat16, of the model's arithmetic."""
    sample_rate: float
    """The share of texts with kept vectors."""
    device: str


@dataclass(frozen=True)
class Shard:
    """Rows of one file."""

    number: int
    source: Source
    first: int
    n: int
    key: str
    joined: str = ""
    """The file of moved rows, see `units.rows`; "": the shard keeps all rows."""


def plan_shards(
    sources: Sequence[Source], reading: Reading, texts_per_shard: int | None = None
) -> list[Shard]:
    """Return the shards of all files, in order, within single files.

    Shards depend only on the corpus, never on the workers. By default, files are cut into some 16
    to 128 shards for the whole corpus.

    Raises:
        InputError: if no file has a row.
    """
    counts = [count_rows(source) for source in sources]
    total = sum(counts)
    if not total:
        raise InputError(f"{sources[0].address}: no row in any file")
    size = texts_per_shard or default_size(total)
    shards: list[Shard] = []
    for source, n_rows in zip(sources, counts, strict=True):
        cuts = _cuts(source, n_rows, -(-n_rows // size))
        for first, end in zip(cuts, cuts[1:], strict=False):
            key = _key(source, first, end, reading)
            shards.append(Shard(len(shards), source, first, end - first, key))
    return shards


def _cuts(source: Source, n_rows: int, n_shards: int) -> list[int]:
    """Return where shards begin, and the end of the last; at documents, if these must stay whole.

    There are fewer shards if a document is longer than a shard.
    """
    if not n_shards:
        return []
    cuts = [n_rows * cut // n_shards for cut in range(n_shards + 1)]
    if source.whole_documents:
        starts = [*document_starts(source), n_rows]
        cuts = sorted({starts[bisect_left(starts, cut)] for cut in cuts})
    return cuts


def default_size(n_texts: int) -> int:
    """Return how many texts a shard has: 1,000, or a number that gives 16 to 128 shards."""
    return max(1, min(max(1000, -(-n_texts // MOST_SHARDS)), -(-n_texts // FEWEST_SHARDS)))


def _key(source: Source, first: int, end: int, reading: Reading) -> str:
    # Where and in what portions it is computed changes no number beyond rounding.
    content = asdict(reading) | {"device": "", "tokens_per_batch": 0, "tokens_per_chunk": 0}
    known = [FORMAT, asdict(source), first, end, content]
    return key_of(json.dumps(known, sort_keys=True, default=str))


def key_of(known: str) -> str:
    """Return a key: the hash of the words in `known`."""
    return hashlib.sha256(known.encode()).hexdigest()[:20]

"""Reads the texts of a shard with texts moved to the shard, for whole units."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from os import SEEK_CUR
from pathlib import Path

import numpy as np
from jaxtyping import Int

from embspace.files.atomic import writing
from embspace.stream.plan import Shard
from embspace.stream.sources import Text, check_unchanged, read_rows

ALONE = -1
UNIT = "\0{}"  # the document of the texts of a unit; no name of a document in a file has a NUL


@dataclass(frozen=True, eq=False)
class Places:
    """The unit and the shard that each row of a shard belongs to."""

    unit: Int[np.ndarray, " row"]
    """The number of the row's unit; -1 for a row that stands alone."""
    home: Int[np.ndarray, " row"]
    """The number of the shard with which the row is read."""


def rows_of(shard: Shard) -> Iterator[Text]:
    """Yield the texts of a shard: staying rows, then incoming rows.

    Raises:
        InputError: if a file cannot be opened, or lacks a column.
        OSError: if a file cannot be read to the end.
    """
    if not shard.joined:
        yield from read_rows(shard.source, shard.first, shard.n)
        return
    path = Path(shard.joined)
    known = json.loads(path.read_text(encoding="utf-8"))
    yield from (text for home, text in _placed(shard, _places(known)) if home == shard.number)
    for name in known["coming"]:
        yield from _coming(path.parent / name, shard.number)


def write_places(places: Places, coming: list[str], path: Path) -> None:
    """Write what `rows_of` reads: places, and the files of rows that come from other shards."""
    known = {"unit": places.unit.tolist(), "home": places.home.tolist(), "coming": coming}
    with writing(path) as partial:
        partial.write_text(json.dumps(known), encoding="utf-8")


def write_leaving(shard: Shard, places: Places, path: Path) -> None:
    """Write the leaving rows of a shard, ordered by the number of the target shard.

    The first line has a checksum and, by target, the byte offset and the number of rows.
    """
    lines: dict[int, list[bytes]] = {}
    for home, text in _placed(shard, places):
        if home != shard.number:
            lines.setdefault(home, []).append(json.dumps(text).encode() + b"\n")
    starts: dict[int, tuple[int, int]] = {}
    digest, start = hashlib.sha256(), 0
    for home, own in lines.items():
        starts[home] = (start, len(own))
        start += sum(map(len, own))
        for line in own:
            digest.update(line)
    check_unchanged([shard.source])
    with writing(path) as partial, partial.open("wb") as file:
        head = {"starts": starts, "sha256": digest.hexdigest()}
        file.write(json.dumps(head).encode() + b"\n")
        file.writelines(line for own in lines.values() for line in own)


def is_whole(path: Path) -> bool:
    """Return whether `write_leaving` has written a file, and no byte of its rows has changed."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        try:
            known = json.loads(file.readline())["sha256"]
        except (ValueError, KeyError, TypeError):
            return False
        return bool(hashlib.file_digest(file, "sha256").hexdigest() == known)


def _placed(shard: Shard, places: Places) -> Iterator[tuple[int, Text]]:
    """Yield the rows of a shard's file with their home shards; their units name their documents."""
    rows = read_rows(shard.source, shard.first, shard.n)
    for text, unit, home in zip(rows, places.unit.tolist(), places.home.tolist(), strict=False):
        yield home, text if unit == ALONE else text._replace(document=UNIT.format(unit))


def _places(known: dict[str, list[int]]) -> Places:
    return Places(np.array(known["unit"], np.int64), np.array(known["home"], np.int64))


def _coming(path: Path, number: int) -> Iterator[Text]:
    with path.open("rb") as file:
        start, n = json.loads(file.readline())["starts"][str(number)]
        file.seek(start, SEEK_CUR)
        yield from (Text(*json.loads(line)) for line in islice(file, n))

"""Brings all texts of a unit into one shard, as intervals are taken over halves of the shards."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from embspace.stream.plan import Shard, key_of
from embspace.stream.store import is_finished
from embspace.stream.units.chains import TextNumbers, units_of_scans
from embspace.stream.units.rows import ALONE, Places, is_whole, write_leaving, write_places
from embspace.stream.units.scan import scan_shard

Run = Callable[[dict[str, tuple[Any, ...]]], None]
"""Makes calls, by their names, here or on workers."""
MIX = np.uint64(0x9E3779B97F4A7C15)  # odd; by it units spread over the shards that have their texts


def join_shards(
    shards: Sequence[Shard], folder: Path, similarity: float | None, run: Run
) -> tuple[list[Shard], int]:
    """Return shards with whole units, in the given order, and the number of copies.

    Copies of a text, and texts of a document, are read with one of the shards that hold some of
    them; the corpus alone decides with which one. A shard without moves stays unchanged. Files in
    `folder`, visible to all workers, list the moves. `similarity` is as in `copies_of`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scans = [folder / f"{shard.key}-{similarity}.safetensors" for shard in shards]
    both = list(zip(shards, scans, strict=True))
    run(
        {
            scan.name: (scan_shard, shard, similarity, scan)
            for shard, scan in both
            if not is_finished(scan)
        }
    )
    sizes = [shard.n for shard in shards]
    units = units_of_scans(scans, sizes, similarity)
    places = places_of(units.unit, sizes)
    shards = [replace(shard, number=number) for number, shard in enumerate(shards)]
    left = _leaving(shards, places, folder)
    run(
        {
            path.name: (write_leaving, shards[number], places[number], path)
            for number, path in left.items()
            if not is_whole(path)
        }
    )
    joined = [
        _joined(shard, shard_places, _coming(shard.number, places, left), folder)
        for shard, shard_places in zip(shards, places, strict=True)
    ]
    return joined, units.n_copies


def places_of(unit: TextNumbers, sizes: Sequence[int]) -> list[Places]:
    """Return the places of the rows, by shard, from the units of all texts in order."""
    shard = np.repeat(np.arange(len(sizes)), sizes)
    order = unit.argsort(kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(unit[order]) != 0))
    counts = np.diff(np.append(starts, len(unit)))
    mixed = (order[starts].astype(np.uint64) * MIX) >> np.uint64(32)
    chosen = order[starts + (mixed % counts.astype(np.uint64)).astype(np.int64)]
    several = np.repeat(counts > 1, counts)
    name, home = np.full(len(unit), ALONE), shard.copy()
    name[order[several]] = np.repeat(order[starts], counts)[several]
    home[order] = np.repeat(shard[chosen], counts)
    bounds = pairwise(np.cumsum([0, *sizes]).tolist())
    return [Places(name[start:end], home[start:end]) for start, end in bounds]


def _leaving(shards: Sequence[Shard], places: Sequence[Places], folder: Path) -> dict[int, Path]:
    """Return the files of the rows that leave shards, by the number of the shard."""
    return {
        shard.number: folder / f"{shard.key}-{_digest(shard_places)}.jsonl"
        for shard, shard_places in zip(shards, places, strict=True)
        if (shard_places.home != shard.number).any()
    }


def _coming(number: int, places: Sequence[Places], left: dict[int, Path]) -> list[str]:
    return [
        path.name
        for origin, path in left.items()
        if (places[origin].home == number).any() and origin != number
    ]


def _joined(shard: Shard, places: Places, coming: list[str], folder: Path) -> Shard:
    if not coming and (places.unit == ALONE).all():
        return shard
    key = key_of(repr([shard.key, _digest(places), coming]))
    path = folder / f"{key}.json"
    write_places(places, coming, path)
    return replace(shard, key=key, joined=str(path))


def _digest(places: Places) -> str:
    return hashlib.sha256(places.unit.tobytes() + places.home.tobytes()).hexdigest()[:16]

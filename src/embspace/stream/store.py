"""Files of finished shards: whole or missing, the same bytes for the same numbers."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, UInt8

from embspace.errors import InputError
from embspace.files.atomic import writing
from embspace.stream.layers import KINDS, Pilot
from embspace.stream.shard import ShardResult
from embspace.stream.sums import Sums, from_arrays, to_arrays

FACTS = "facts"  # a tensor of bytes: JSON
CHECKSUM = "sha256"  # a tensor of bytes: the hash of all others


def shard_path(folder: Path, key: str) -> Path:
    """Return where the sums of a shard lie."""
    return folder / f"{key}.safetensors"


def save_shard(result: ShardResult, path: Path) -> None:
    """Write a shard's sums under a temporary name, then move the file to `path` in one step."""
    arrays: dict[str, np.ndarray] = {}
    for kind in result.sums[0] if result.sums else ():
        layers = [to_arrays(layer[kind]) for layer in result.sums]
        for name in layers[0]:
            arrays[f"{kind}.{name}"] = np.stack([layer[name] for layer in layers])
    for space in result.shares[0] if result.shares else ():
        arrays[f"{space}.shares"] = np.stack([layer[space] for layer in result.shares])
    for space, vectors in result.sample.items():
        arrays[f"{space}.sample"] = np.ascontiguousarray(vectors, np.float32)
    facts = {
        "counts": result.counts,
        "quarantine": result.quarantine,
        "sample_ids": result.sample_ids,
        "sample_documents": result.sample_documents,
        "n_layers": len(result.sums),
        "digest": result.digest,
    }
    text = json.dumps(facts, sort_keys=True).encode()
    arrays[FACTS] = np.frombuffer(text, np.uint8)
    save_arrays(arrays, path)


class StoredShard:
    """A finished shard; only the requested arrays are read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: dict[str, Any] = json.loads(self._read(FACTS).tobytes())

    def sums(self, layer: int, kind: str) -> Sums:
        """Return the sums of a layer over a kind of rows."""
        return from_arrays(lambda name: self._read(f"{kind}.{name}", layer))

    def shares(self, layer: int, space: str) -> Float[np.ndarray, " batch"]:
        """Return the shares of the first principal axis by batch."""
        return self._read(f"{space}.shares", layer)

    def sample(self, layer: int, space: str) -> Float[np.ndarray, "text dim"]:
        """Return the vectors of the texts of the sample."""
        return self._read(f"{space}.sample", layer)

    def _read(self, name: str, layer: int | None = None) -> np.ndarray:
        return read_array(self.path, name, layer)


def read_array(path: Path, name: str, part: int | slice | None = None) -> np.ndarray:
    """Return an array, or a part of the first axis, from a file of `save_arrays`.

    Raises:
        InputError: naming the file, if damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as tensors:
            if part is None:  # which no slice is of an array without a number
                return np.asarray(tensors.get_tensor(name))
            return np.asarray(tensors.get_slice(name)[part])
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path}: is no whole file of a shard: {error}") from error


def is_finished(path: Path) -> bool:
    """Return whether a file was computed; a file whose checksum does not match is removed."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return False
    try:
        with safe_open(path, framework="numpy") as tensors:
            names = sorted({*tensors.keys()} - {CHECKSUM})
            now = _checksum((name, tensors.get_tensor(name)) for name in names)
            is_whole = np.array_equal(tensors.get_tensor(CHECKSUM), now)
    except (SafetensorError, OSError, ValueError):
        is_whole = False
    if not is_whole:
        path.unlink(missing_ok=True)  # another worker may have removed it
    return is_whole


def _checksum(arrays: Iterable[tuple[str, np.ndarray]]) -> UInt8[np.ndarray, " byte"]:
    """Return a hash of names, types, shapes and numbers, in the order given."""
    digest = hashlib.sha256()
    for name, array in arrays:
        digest.update(repr((name, array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).data)
    return np.frombuffer(digest.digest(), np.uint8)


def save_pilot(pilot: Pilot, path: Path) -> None:
    """Write the pilot's means, whole or not at all."""
    save_arrays({space: np.ascontiguousarray(x) for space, x in pilot.means.items()}, path)


def load_pilot(path: Path) -> Pilot:
    """Return the means that `save_pilot` wrote."""
    from safetensors.numpy import load_file

    return Pilot({space: x for space, x in load_file(path).items() if space in KINDS})


def save_arrays(arrays: dict[str, np.ndarray], path: Path) -> None:
    """Write arrays and their checksum, whole or not at all.

    Raises:
        InputError: if the file cannot be written; the library's own error names no file.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    with writing(path) as partial:
        try:
            save_file(arrays | {CHECKSUM: _checksum(sorted(arrays.items()))}, partial)
        except SafetensorError as error:
            raise InputError(f"{path}: cannot be written: {error}") from error

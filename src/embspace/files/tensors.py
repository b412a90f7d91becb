"""Tensors: safetensors, float32, named, memory-mapped when read, no pickle."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.atomic import writing

BYTES = 4  # float32


class TensorWriter:
    """Fills tensors of known shapes piece by piece, without a whole tensor in memory.

    The layout is safetensors' own: an 8-byte header length, a JSON header, the values in the order
    of the header. The library itself can only write tensors in memory.
    """

    def __init__(self, stream: BinaryIO, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._stream = stream
        self._shapes = dict(sorted(shapes.items()))
        header: dict[str, object] = {}
        self._starts, end = {}, 0
        for name, shape in self._shapes.items():
            start, end = end, end + BYTES * math.prod(shape)
            self._starts[name] = start
            header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        stream.write(len(text).to_bytes(8, "little") + text)
        self._values = stream.tell()
        stream.truncate(self._values + end)

    def write(self, name: str, layer: int, first: int, rows: Float[np.ndarray, "row dim"]) -> None:
        """Put `rows` at rows `first`… of `layer` of the tensor `name`, (layer, row, dim).

        Raises:
            InputError: if the width differs, or the rows do not fit.
        """
        n_layers, n_rows, dim = self._shapes[name]
        fits = rows.ndim == 2 and rows.shape[1] == dim and 0 <= layer < n_layers
        if not (fits and 0 <= first <= n_rows - len(rows)):
            raise InputError(
                f"'{name}': found rows of the shape {rows.shape} for layer {layer} from row "
                f"{first} on, expected rows of a tensor (layer, row, dim) = {self._shapes[name]}"
            )
        start = self._starts[name] + BYTES * dim * (layer * n_rows + first)
        self._stream.seek(self._values + start)
        self._stream.write(np.ascontiguousarray(rows, dtype="<f4").tobytes())


@contextmanager
def writing_tensors(path: str, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[TensorWriter]:
    """A `TensorWriter` for `path`; the file appears when the block ends without an error."""
    with writing(Path(path)) as partial, partial.open("wb") as stream:
        yield TensorWriter(stream, shapes)


def save_tensors(tensors: Mapping[str, np.ndarray], path: str) -> None:
    """Write float32 arrays by name; the same arrays give the same bytes."""
    from safetensors.numpy import save

    content = save({name: np.ascontiguousarray(x, np.float32) for name, x in tensors.items()})
    with writing(Path(path)) as partial:
        partial.write_bytes(content)


def load_tensors(path: str, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Return the tensors of a file by name: those in `names`, or all."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as tensors:
            return {name: tensors.get_tensor(name) for name in names or tensors.keys()}
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except SafetensorError as error:
        raise InputError(f"{path}: is no whole safetensors file: {error}") from error


def map_tensors(path: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return tensors of a file, read-only; only the parts that are accessed are read."""
    start, header = _header(path)
    try:
        return {name: _mapped(path, start, header[name]) for name in names}
    except (ValueError, KeyError) as error:
        raise InputError(f"{path}: is no whole safetensors file: {error}") from error


def tensor_names(path: str) -> list[str]:
    """The names of the tensors of a file."""
    return [name for name in _header(path)[1] if name != "__metadata__"]


def listed_shapes(path: str) -> dict[str, list[int]]:
    """Return the shapes of the tensors of any file, by name, without reading the values."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as tensors:
            names = tensors.keys()
            return {name: tensors.get_slice(name).get_shape() for name in names}
    except SafetensorError as error:
        raise InputError(f"{path}: is no whole safetensors file: {error}") from error


def _header(path: str) -> tuple[int, dict[str, Any]]:
    """Return the byte at which the values of a file start, and the header that describes them."""
    try:
        with Path(path).open("rb") as stream:
            start = 8 + int.from_bytes(stream.read(8), "little")
            header: dict[str, Any] = json.loads(stream.read(start - 8))
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except ValueError as error:
        raise InputError(f"{path}: is no whole safetensors file: {error}") from error
    return start, header


def _mapped(path: str, start: int, entry: dict[str, Any]) -> np.ndarray:
    shape = tuple(entry["shape"])
    if not math.prod(shape):
        return np.empty(shape, np.float32)  # nothing cannot be mapped
    offset = start + entry["data_offsets"][0]
    return np.memmap(path, dtype="<f4", mode="r", offset=offset, shape=shape)

"""Tells files of vectors from files of texts, and maps large files of vectors into memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.formats.endings import PARQUET, ending_of

NPY, SAFETENSORS = ".npy", ".safetensors"
ARRAYS = (NPY, ".npz", SAFETENSORS)
ROWS = 4096  # that are checked at once


def holds_vectors(file: Path, reading: Mapping[str, Any] | None = None) -> bool:
    """Return whether a file holds vectors by the ending or, for a parquet, by the columns.

    A parquet holds vectors if no text column is named or called `text`, and either a column holds
    lists of numbers, or two or more columns hold numbers.

    Raises:
        InputError: if a parquet cannot be read.
    """
    ending = ending_of(file.name)
    if ending in ARRAYS:
        return True
    if ending != PARQUET or not file.is_file() or (reading or {}).get("text_column"):
        return False
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(file)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(f"{file}: is no whole parquet: {error}") from error
    if "text" in schema.names:
        return False
    types = [field.type for field in schema]
    has_lists = any(
        (
            pa.types.is_list(kind)
            or pa.types.is_large_list(kind)
            or pa.types.is_fixed_size_list(kind)
        )
        and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))
        for kind in types
    )
    return has_lists or sum(pa.types.is_floating(kind) for kind in types) > 1


def mapped_vectors(file: Path) -> Float[np.ndarray, "row dim"] | None:
    """Return the vectors of an .npy or .safetensors as a memory map, which reads rows when used.

    None if the file is no matrix of finite float32 numbers laid out as in memory, for
    `read_labeled_vectors` to convert or refuse.
    """
    x = _mapped(file)
    if x is None or x.dtype != "<f4" or x.ndim != 2 or min(x.shape) < 2 or not x.flags.c_contiguous:
        return None
    parts = (x[begin : begin + ROWS] for begin in range(0, len(x), ROWS))
    return x if all(np.isfinite(part).all() for part in parts) else None


def _mapped(file: Path) -> np.ndarray | None:
    from embspace.files.tensors import map_tensors, tensor_names

    try:
        if file.suffix == NPY:
            return np.load(file, mmap_mode="r", allow_pickle=False)
        if file.suffix == SAFETENSORS:
            (name,) = tensor_names(str(file))
            return map_tensors(str(file), [name])[name]
    except (ValueError, OSError, EOFError, KeyError, InputError, MemoryError, OverflowError):
        return None
    return None

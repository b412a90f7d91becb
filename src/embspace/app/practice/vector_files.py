"""Tells files of vectors from files of texts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.files.formats.endings import PARQUET, ending_of

ARRAYS = (".npy", ".npz", ".safetensors")


def holds_vectors(file: Path, reading: Mapping[str, Any] | None = None) -> bool:
    """Return whether a file holds vectors by its ending or, of a parquet, by its columns.

    A parquet holds vectors if no text column is named or called `text`, and a column holds lists of
    numbers, or numbers of which there are two columns or more.

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

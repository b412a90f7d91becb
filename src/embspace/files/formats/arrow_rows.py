"""Rows of .parquet and .arrow files, and of folders that `datasets` has saved."""

import json
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embspace.errors import InputError
from embspace.files.formats.cells import check_columns
from embspace.files.formats.endings import PARQUET
from embspace.files.formats.row import NoRow, NumberedRow
from embspace.files.formats.streams import opened

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_AT_ONCE = 1024
STATE, SPLITS = "state.json", "dataset_dict.json"
INDEX = "__index_level_"  # begins the names of pandas' index where it has none


def arrow_rows(
    stream: Any, ending: str, where: str, *, columns: Collection[str] = (), first: int = 0
) -> Iterator[NumberedRow]:
    """Yield rows from the `first` on, counted from 0; memory holds some thousand of a .parquet.

    Rows have the columns among `columns`, or all columns if none is given.

    Raises:
        InputError: naming `where`, if it is no such file.
    """
    batches, passed = _batches(stream, ending, where, columns, first)
    rows = (row for batch in _read(batches) for row in _rows_of_batch(batch))
    yield from enumerate(islice(rows, first - passed, None), first + 1)


def _read(batches: Iterator["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
    """Yield batches; a damaged page is reported as an error of the file, as in any other format."""
    import pyarrow as pa

    try:
        yield from batches
    except pa.ArrowException as error:
        raise OSError(str(error)) from error


def _batches(
    stream: Any, ending: str, where: str, columns: Collection[str], first: int
) -> tuple[Iterator["pa.RecordBatch"], int]:
    """Return batches, and the number of rows before the first of them."""
    if ending != PARQUET:
        table = arrow_table(stream, where)
        check_columns(table.schema.names, where)
        kept = [name for name in table.schema.names if not columns or name in columns]
        return iter(table.select(kept).to_batches(ROWS_AT_ONCE)), 0
    file = parquet_file(stream, where)
    names = file.schema_arrow.names
    check_columns(names, where)
    groups: list[int] = []
    passed = 0
    for group in range(file.num_row_groups):
        n_rows = file.metadata.row_group(group).num_rows
        if not groups and passed + n_rows <= first:
            passed += n_rows
        else:
            groups.append(group)
    kept = [name for name in names if not columns or name in columns]
    return file.iter_batches(ROWS_AT_ONCE, row_groups=groups, columns=kept), passed


def parquet_file(stream: Any, where: str) -> Any:
    """Return pyarrow's reader of a .parquet file.

    Raises:
        InputError: naming `where`, if the file has a different format.
    """
    import pyarrow.parquet

    try:
        return pyarrow.parquet.ParquetFile(stream)
    except (OSError, ValueError) as error:
        raise InputError(f"{where}: is no parquet table: {error}") from None


def arrow_table(stream: Any, where: str) -> "pa.Table":
    """Return the table of an .arrow file of either kind, a stream or a file.

    Raises:
        InputError: naming `where`, if the file has a different format.
    """
    import pyarrow as pa

    content = stream.read()
    for read in (pa.ipc.open_stream, pa.ipc.open_file):
        try:
            return read(pa.BufferReader(content)).read_all()
        except (OSError, ValueError):
            continue
    raise InputError(f"{where}: is no arrow table")


def _rows_of_batch(batch: "pa.RecordBatch") -> Iterator[dict[str, Any] | NoRow]:
    try:
        yield from batch.to_pylist()
    except (ValueError, OverflowError, ArithmeticError):  # of one value, such as broken UTF-8
        for number in range(len(batch)):
            yield _row(batch, number)


def _row(batch: "pa.RecordBatch", number: int) -> dict[str, Any] | NoRow:
    row = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            row[name] = column[number].as_py()
        except UnicodeDecodeError as error:
            return NoRow(f"the byte 0x{error.object[error.start]:02x} is not UTF-8")
        except (ValueError, OverflowError, ArithmeticError) as error:
            return NoRow(f"column '{name}' cannot be read: {error}")
    return row


def saved_files(folder: Path) -> list[Path]:
    """Return the files of a data set that `save_to_disk` has written; none for any other folder.

    Raises:
        InputError: if the folder has several splits, which are named, or a broken list of files.
    """
    if (folder / SPLITS).is_file():
        splits = _json_of(folder / SPLITS).get("splits", [])
        allowed = " or ".join(str(folder / str(split)) for split in splits)
        raise InputError(f"{folder}: holds several splits; allowed: one, {allowed}")
    if not (folder / STATE).is_file():
        return []
    listed = _json_of(folder / STATE).get("_data_files")
    names = [str(entry.get("filename")) for entry in listed or [] if isinstance(entry, dict)]
    if not names or any(Path(name).name != name for name in names):
        raise InputError(f"{folder / STATE}: names no files of a data set")
    return [folder / name for name in names]


def _json_of(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file}: cannot be read: {error}") from None
    return content if isinstance(content, dict) else {}


def folder_as_parquet(files: Collection[Path]) -> bytes:
    """Return the tables of .arrow files, one below the other, as a .parquet file."""
    import pyarrow as pa
    import pyarrow.parquet

    tables = []
    for file in files:
        with opened(file) as stream:
            tables.append(arrow_table(stream, str(file)))
    written = pa.BufferOutputStream()
    pa.parquet.write_table(pa.concat_tables(tables), written)
    return bytes(written.getvalue())

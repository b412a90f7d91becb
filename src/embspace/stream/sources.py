"""Finds the files of a corpus, on a disk or at an address of fsspec, and reads them row by row."""

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from embspace.app.describe import Say
from embspace.errors import InputError, counted

ENDINGS = (".parquet", ".jsonl", ".jsonl.gz", ".txt", ".txt.gz")
ROWS_AT_ONCE = 1024
N_NAMED = 5  # files that are passed over
BUFFER = 2**18  # bytes of a file of lines that are read at once


def check_place(place: str) -> None:
    """Refuse a place that is no corpus of conf/corpus/, no file, no folder and no address.

    Raises:
        InputError: naming it.
    """
    is_described = Path(f"conf/corpus/{place}.yaml").is_file()
    if not (is_described or "://" in place or "*" in place or Path(place).exists()):
        raise InputError(
            f"{place}: no corpus of conf/corpus/, and no file or folder; an address has ://"
        )


class NoText(NamedTuple):
    """Holds the reason why a row has no text, in the place of the text."""

    reason: str


class Text(NamedTuple):
    """A text as it came; what is no text is kept for the list of those that were left out."""

    id: str
    document: str
    text: Any


@dataclass(frozen=True)
class Source:
    """A file of texts."""

    address: str
    """A path, or an address such as s3://bucket/file.parquet."""
    text_column: str
    id_column: str | None
    """Unique in the corpus. None: the name of the file and the number of the row."""
    version: str
    """Another one after the file has changed: its size and what fsspec knows of it."""
    whole_documents: bool = False
    """Whether the rows of a document, which lie together, stay in one shard."""

    @property
    def name(self) -> str:
        """Return the name of the file without its folders."""
        return self.address.rstrip("/").rpartition("/")[2]


def find_sources(
    place: str, text_column: str, id_column: str | None, say: Say | None = None
) -> list[Source]:
    """Return the files of texts at a place, each once, in the order of their addresses.

    `place` is a file, a folder, which is searched with those in it, or a pattern with `*`; on a
    disk or at an address: `s3://…`, `https://…`, `hf://datasets/<owner>/<name>`, where `@<commit>`
    after the name says which one. Files of other kinds are passed over, and `say` hears of it.

    Raises:
        InputError: if there is none, or the place cannot be reached.
    """
    import fsspec

    from embspace.files.asking import allow_hub

    if place.startswith("hf://"):
        allow_hub()
    try:
        system, path = fsspec.core.url_to_fs(place)
        if "*" in path:
            found = system.glob(path)
        # First: to know whether an address of the web is a folder, fsspec reads all of the file.
        elif path.endswith(ENDINGS) and system.isfile(path):
            found = [path]
        else:
            found = system.find(path) if system.isdir(path) else []
        texts = sorted({_real(system, each) for each in found if each.endswith(ENDINGS)})
        infos = [system.info(each) for each in texts]
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{place}: cannot be reached: {error}") from error
    if not texts:
        raise InputError(f"{place}: no file of texts; allowed: {', '.join(ENDINGS)}")
    others = sorted(each for each in found if not each.endswith(ENDINGS))
    if others and say is not None:
        say(_passed_over(others, f"allowed: {', '.join(ENDINGS)}"))
    return [
        Source(system.unstrip_protocol(path), text_column, id_column, _version(info))
        for path, info in zip(texts, infos, strict=True)
    ]


def _passed_over(files: Sequence[str], reason: str) -> str:
    """Return `2 files passed over: a.csv, b.pdf; <reason>`, with the names of the first."""
    names = [each.rstrip("/").rpartition("/")[2] for each in files[:N_NAMED]]
    names += ["…"] * (len(files) > N_NAMED)
    return f"{counted(len(files), 'file')} passed over: {', '.join(names)}; {reason}"


def say_of_empty(sources: Sequence[Source], read: Collection[Source], say: Say) -> None:
    """Say which files have no row: those of which nothing is `read`."""
    if empty := [source.address for source in sources if source not in read]:
        say(_passed_over(empty, "no row in it" if len(empty) == 1 else "no row in them"))


def _real(system: Any, path: str) -> str:
    """Return the file itself, so that two links to one file are one."""
    from pathlib import Path

    return str(Path(path).resolve()) if "file" in system.protocol else path


def _version(info: dict[str, Any]) -> str:
    known = [info.get(key) for key in ("size", "mtime", "ETag", "etag", "blob_id", "last_commit")]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:16]


def count_rows(source: Source) -> int:
    """Return the number of rows; of lines, those that are not empty of Unicode's blanks.

    Raises:
        InputError: naming the file, if it cannot be read to its end.
    """
    with _opened_whole(source) as file:
        if source.address.endswith(".parquet"):
            return int(_parquet(source, file).metadata.num_rows)
        return sum(1 for line in file if line.strip())


def document_starts(source: Source) -> list[int]:
    """Return the rows of a parquet file at which another document begins."""
    with _opened_whole(source) as file:
        names = _parquet(source, file).read(["document"])["document"].to_pylist()
    return [row for row, name in enumerate(names) if not row or name != names[row - 1]]


def read_rows(source: Source, first: int, n: int) -> Iterator[Text]:
    """Yield rows from the `first`, counted from 0, on; memory holds some thousand of them.

    Raises:
        InputError: if the file cannot be opened, or lacks a column.
        OSError: if it cannot be read to its end.
    """
    kind = _parquet_rows if source.address.endswith(".parquet") else _lines
    for number, row in enumerate(islice(kind(source, first), n), first):
        usual = f"{source.name}:{number}"
        name = usual if source.id_column is None else str(row.get(source.id_column) or usual)
        text = row.get(source.text_column)
        yield Text(name, str(row.get("document") or name), text)


def _parquet_rows(source: Source, first: int) -> Iterator[dict[str, Any]]:
    with _opened(source) as file:
        parquet = _parquet(source, file)
        names = parquet.schema_arrow.names
        for column in (source.text_column, source.id_column):
            if column is not None and column not in names:
                raise InputError(f"{source.address}: no column '{column}', found {names}")
        wanted = {source.text_column, source.id_column, "document"}
        groups: list[int] = []
        passed = 0
        for group in range(parquet.num_row_groups):
            n_rows = parquet.metadata.row_group(group).num_rows
            if not groups and passed + n_rows <= first:
                passed += n_rows
            else:
                groups.append(group)
        batches = parquet.iter_batches(
            ROWS_AT_ONCE, row_groups=groups, columns=[name for name in names if name in wanted]
        )
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from islice(rows, first - passed, None)


def _parquet(source: Source, file: Any) -> Any:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.ParquetFile(file)
    except (OSError, ValueError) as error:
        raise InputError(f"{source.address}: is no parquet file: {error}") from error


def _lines(source: Source, first: int) -> Iterator[dict[str, Any]]:
    """Each line of a .txt is a text, of a .jsonl an object; a line that is none has no text."""
    is_json = ".jsonl" in source.name
    with _opened(source) as file:
        for line in islice((line for line in file if line.strip()), first, None):
            text = line.decode(errors="surrogateescape").rstrip("\r\n")
            if not is_json:
                yield {source.text_column: text}
                continue
            yield _object(text, source)


def _object(line: str, source: Source) -> dict[str, Any]:
    """Return the object of a line of JSON; one that lacks a column has no text."""
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        return {source.text_column: NoText("is in a line that is no JSON object")}
    for column in (source.text_column, source.id_column):
        if column is not None and column not in row:
            reason = f"is in a row without {column!r}, which has {', '.join(map(repr, row))}"
            return {**row, source.text_column: NoText(reason[:200])}
    return row


@contextmanager
def _opened_whole(source: Source) -> Iterator[Any]:
    """Open a file that a plan needs whole: one that cannot be read to its end is refused.

    Raises:
        InputError: naming it.
    """
    try:
        with _opened(source) as file:
            yield file
    except OSError as error:
        raise InputError(str(error)) from error


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """Open a file of texts for reading.

    Raises:
        InputError: naming it, if it cannot be opened.
        OSError: naming it, if it cannot be read to its end; another try may.
    """
    try:
        with _file(source) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:  # such as a .gz that is none, or is cut
        raise OSError(f"{source.address}: cannot be read to its end: {error}") from error


def _file(source: Source) -> Any:
    import fsspec

    try:
        file = fsspec.open(source.address, "rb").open()
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{source.address}: cannot be read: {error}") from error
    if source.address.endswith(".parquet"):
        return file
    if source.address.endswith(".gz"):
        file = gzip.GzipFile(fileobj=file)
    # A buffer of its own: for each line of an address, fsspec would read 5 MB from its cache.
    return io.BufferedReader(file, BUFFER)

"""Finds the files of a corpus, on a disk or at an address of fsspec, and reads them row by row."""

import hashlib
import json
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from embspace.app.describe.find import Say
from embspace.errors import InputError, counted
from embspace.files.formats.arrow_rows import STATE, arrow_rows, parquet_file
from embspace.files.formats.encodings import advice
from embspace.files.formats.endings import (
    ARROW,
    ENDINGS,
    GZIP,
    JSON,
    JSON_LINES,
    PARQUET,
    PLAIN,
    ending_of,
    listed,
)
from embspace.files.formats.row import NoRow, NumberedRow
from embspace.files.formats.rows import rows_of
from embspace.files.formats.streams import BUFFER, GZIP_ERRORS, NO_FILE, NotUtf8Error, unpacked
from embspace.files.texts import flaw_of_name, flaw_of_text

N_NAMED = 5  # files that are passed over


def check_place(place: str) -> None:
    """Refuse a place that is no corpus of conf/corpus/, no file, no folder and no address.

    Raises:
        InputError: naming the place.
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
    """A text as given; anything but text is kept for the list of left-out texts."""

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
    """A value that changes with the file: size and fsspec's facts."""
    whole_documents: bool = False
    """Whether the rows of a document, which lie together, stay in one shard; only for conf/."""
    separator: str | None = None
    """The separator of cells in a .csv or .tsv; None: as the file declares, or a comma or tab."""

    @property
    def name(self) -> str:
        """Return the name of the file without folders."""
        return self.address.rstrip("/").rpartition("/")[2]

    @property
    def ending(self) -> str:
        """Return the ending of the name, in small letters."""
        return ending_of(self.name)


def find_sources(
    place: str,
    text_column: str,
    id_column: str | None,
    say: Say | None = None,
    separator: str | None = None,
) -> list[Source]:
    """Return the distinct files of texts at a place, in the order of addresses.

    `place` is a file, a folder, searched recursively, or a pattern with `*`; on a disk or at an
    address: `s3://…`, `https://…`, `hf://datasets/<owner>/<name>`, with the revision as `@<commit>`
    after the name. Files of unknown kinds are skipped, and reported by `say`.

    Raises:
        InputError: without a file, or if the place cannot be reached.
    """
    import fsspec

    from embspace.files.asking import allow_hub

    if place.startswith("hf://"):
        allow_hub()
    try:
        system, path = fsspec.core.url_to_fs(place)
        if "*" in path:
            listing = [name for name in system.glob(path) if not system.isdir(name)]
        # First: to know whether an address of the web is a folder, fsspec reads all of the file.
        elif ending_of(path) in ENDINGS and _is_file(system, path):
            listing = [path]
        else:
            listing = _listing(system, path) if system.isdir(path) else []
        files, others = _told_apart(system, listing, is_named=listing == [path])
        versions = [_version(system, file) for file in files]
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{place}: cannot be reached: {error}") from error
    if not files:
        reason = (
            NO_FILE if listing and others[NO_FILE] else f"no file of texts; allowed: {listed()}"
        )
        raise InputError(f"{place}: {reason}")
    for reason, names in others.items():
        if names and say is not None:
            say(_passed_over(sorted(names), reason))
    return [
        Source(
            system.unstrip_protocol(path),
            text_column,
            id_column,
            version,
            separator=separator,
        )
        for path, version in zip(files, versions, strict=True)
    ]


def _listing(system: Any, folder: str) -> list[str]:
    """Return the files below a folder; for a `save_to_disk` folder, the listed files."""
    paths = list(system.find(folder))
    for state in [path for path in paths if path.endswith(f"/{STATE}")]:
        within = state.removesuffix(STATE)
        try:
            entries = json.loads(system.cat_file(state)).get("_data_files")
            kept = {f"{within}{entry['filename']}" for entry in entries}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # a file of that name that is none of a data set
        paths = [path for path in paths if path.rpartition("/")[0] != within[:-1] or path in kept]
    return paths


def _told_apart(
    system: Any, listing: Sequence[str], *, is_named: bool
) -> tuple[list[str], dict[str, list[str]]]:
    """Return the distinct files of texts, by address, and the reasons of skipped names.

    A .json counts if named directly: in a folder, .json files describe the rest.
    """
    allowed = f"allowed: {listed()}"
    others: dict[str, list[str]] = {allowed: [], NO_FILE: []}
    files: dict[object, str] = {}
    for path in sorted({_real(system, path) for path in listing}):
        if ending_of(path) not in ENDINGS or (ending_of(path) == JSON and not is_named):
            others[allowed].append(path)
        elif (identity := _identity(system, path)) is None:
            others[NO_FILE].append(path)
        else:
            files.setdefault(identity, path)
    return list(files.values()), others


def _is_file(system: Any, path: str) -> bool:
    """Return whether a path is a file; a pipe is refused later."""
    if "file" in system.protocol:
        return Path(path).exists() and not Path(path).is_dir()
    return bool(system.isfile(path))


def _identity(system: Any, path: str) -> object:
    """Return what two links to one file share; None if it is no regular file of this machine."""
    if "file" not in system.protocol:
        return path
    try:
        info = Path(path).stat()
    except FileNotFoundError:  # a link that leads nowhere
        return path if not Path(path).is_symlink() else None
    return (info.st_dev, info.st_ino) if stat.S_ISREG(info.st_mode) else None


def _passed_over(files: Sequence[str], reason: str) -> str:
    """Return `2 files passed over: a.csv, b.pdf; <reason>`, with the names of the first."""
    names = [file.rstrip("/").rpartition("/")[2] for file in files[:N_NAMED]]
    names += ["…"] * (len(files) > N_NAMED)
    return f"{counted(len(files), 'file')} passed over: {', '.join(names)}; {reason}"


def say_of_empty(sources: Sequence[Source], read: Collection[Source], say: Say) -> None:
    """Print which files have no row: the sources that are not in `read`."""
    if empty := [source.address for source in sources if source not in read]:
        say(_passed_over(empty, "no row in it" if len(empty) == 1 else "no row in them"))


def _real(system: Any, path: str) -> str:
    """Return the file itself, unless the link's ending differs."""
    if "file" not in system.protocol:
        return path
    real = str(Path(path).resolve())
    return real if ending_of(real) == ending_of(path) else path


def _version(system: Any, path: str) -> str:
    """Return a hash of the size and time of a file, or of a link's target."""
    if "file" in system.protocol:
        info = Path(path).stat()
        known: list[object] = [info.st_size, info.st_mtime_ns]
    else:
        about = system.info(path)
        keys = ("size", "mtime", "ETag", "etag", "blob_id", "last_commit")
        known = [about.get(key) for key in keys]
    return hashlib.sha256(repr(known).encode()).hexdigest()[:16]


def is_changed(source: Source) -> bool:
    """Return whether a file has changed since found, by size and time.

    Texts of conf/corpus/ lie under a hash.
    """
    import fsspec

    if source.whole_documents:
        return False
    system, path = fsspec.core.url_to_fs(source.address)
    try:
        system.invalidate_cache()
        return _version(system, path) != source.version
    except OSError:
        return True


def check_unchanged(sources: Collection[Source]) -> None:
    """Stop if a file has changed since it was found.

    Raises:
        InputError: naming the file.
    """
    for source in sources:
        if is_changed(source):
            raise InputError(
                f"{source.address}: has changed while it was read; the same command, when it is "
                "complete, computes its shards anew"
            )


def count_rows(source: Source) -> int:
    """Return the number of rows; of a .txt, lines with more than blanks of Unicode.

    Raises:
        InputError: naming the file, if it cannot be read to the end.
    """
    with _opened_whole(source) as file:
        if source.ending == PARQUET:
            return int(parquet_file(file, source.address).metadata.num_rows)
        return sum(1 for _ in _rows(source, file, 0))


def document_starts(source: Source) -> list[int]:
    """Return the rows of a parquet file at which a new document begins."""
    with _opened_whole(source) as file:
        table = parquet_file(file, source.address).read(["document"])
    names = table["document"].to_pylist()
    return [row for row, name in enumerate(names) if not row or name != names[row - 1]]


def read_rows(source: Source, first: int, n: int) -> Iterator[Text]:
    """Yield rows from `first` on, counted from 0; memory holds some thousand rows.

    Without an id, a text is named by file and line number, or row number, from 1.

    Raises:
        InputError: if the file cannot be opened, or lacks a column.
        OSError: if the file cannot be read to the end.
    """
    with _opened(source) as file:
        for line, row in islice(_rows(source, file, first), n):
            usual = f"{source.name}:{line}"
            yield _text(source, row, usual)


def _text(source: Source, row: dict[str, Any] | NoRow, usual: str) -> Text:
    """Return the text of a row; for a row without text, the reason in its place."""
    if isinstance(row, NoRow):
        what = "JSON object" if source.ending.removesuffix(GZIP) in JSON_LINES else "row"
        return Text(usual, usual, NoText(f"is in a line that is no {what}: {row.reason}"))
    for column in (source.text_column, source.id_column):
        if column is not None and column not in row:
            keys = ", ".join(map(repr, row))
            if source.ending in (PARQUET, ARROW):  # of all rows alike
                raise InputError(f"{source.address}: no column '{column}', found {keys[:200]}")
            reason = f"is in a row without {column!r}, which has {keys}"
            return Text(usual, usual, NoText(reason[:200]))
    name: Any = usual
    if source.id_column is not None:
        name = row[source.id_column]
        if flaw := flaw_of_name(name) or flaw_of_text(str(name)):
            return Text(usual, usual, NoText(f"has an id that {flaw}"))
    document = row.get("document")
    is_named = not flaw_of_name(document) and document != ""
    return Text(str(name), str(document if is_named else name), row[source.text_column])


def _rows(source: Source, file: Any, first: int) -> Iterator[NumberedRow]:
    """Yield the rows of an open file from the `first` on, counted from 0."""
    ending = source.ending
    names = [source.text_column, *filter(None, [source.id_column])]
    if ending in (PARQUET, ARROW):
        columns = [*names, "document"]
        yield from arrow_rows(file, ending, source.address, columns=columns, first=first)
        return
    where = source.address
    rows = rows_of(file, ending, where, separator=source.separator, names=names)
    if ending.removesuffix(GZIP) == PLAIN:
        column = source.text_column
        rows = (
            (line, row if isinstance(row, NoRow) else {column: row["text"]})
            for line, row in rows
            if isinstance(row, NoRow) or row["text"].strip()
        )
    yield from islice(rows, first, None)


@contextmanager
def _opened_whole(source: Source) -> Iterator[Any]:
    """Open a file that a plan needs as a whole; a file unreadable to the end is refused.

    Raises:
        InputError: naming the file.
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
        InputError: naming the file, if the file cannot be opened.
        OSError: naming the file, if reading fails before the end; a second try may succeed.
    """
    try:
        with _file(source) as file:
            yield file
    except NotUtf8Error as error:
        hint = advice(Path(PurePosixPath(source.address.removeprefix("file://"))), _start(source))
        raise InputError(f"{source.address}: {error}{hint}") from None
    except (OSError, *GZIP_ERRORS) as error:  # such as a .gz that is none, or is cut
        raise OSError(f"{source.address}: cannot be read to its end: {error}") from error


def _file(source: Source) -> Any:
    import fsspec

    try:
        file = fsspec.open(source.address, "rb").open()
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{source.address}: cannot be read: {error}") from error
    return file if source.ending == PARQUET else unpacked(file, source.name)


def _start(source: Source) -> bytes:
    with _file(source) as file:
        return bytes(file.read(BUFFER))

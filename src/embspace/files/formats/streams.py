"""Opens files of tables: regular ones alone, unpacked, as bytes or as lines of UTF-8."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from embspace.errors import InputError
from embspace.files.formats.encodings import marked_wide, packed_as
from embspace.files.formats.endings import GZIP, ending_of

BUFFER = 2**18  # bytes that are read at once
NO_FILE = "is a pipe, a socket or a device; allowed: a file"
GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)


@contextmanager
def opened(file: Path) -> Iterator[io.BufferedReader]:
    """Open a regular file, unpacked if the name ends in `.gz`.

    Raises:
        InputError: naming the file, if missing, not regular, or not readable to the end.
    """
    try:
        mode = file.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise InputError(f"{file}: {NO_FILE}")
        with file.open("rb") as stream:
            yield unpacked(stream, file.name)
    except FileNotFoundError:
        raise InputError(f"{file}: not found") from None
    except GZIP_ERRORS as error:
        raise InputError(f"{file}: is no whole gzip file: {error}") from None
    except OSError as error:  # a folder, a file that may not be read
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None


def unpacked(stream: Any, name: str) -> io.BufferedReader:
    """Return what a stream holds, unpacked, by the ending of its name."""
    if ending_of(name).endswith(GZIP):
        stream = gzip.GzipFile(fileobj=stream)
    # A buffer of its own: for each line of an address, fsspec would read 5 MB from its cache.
    return io.BufferedReader(stream, BUFFER)


def lines_of(stream: io.BufferedReader) -> io.TextIOWrapper:
    r"""Return the lines of a stream with line ends, without a byte order mark.

    Lines end in \n, or in \r in a stream without \n; a byte that is not UTF-8 is half a character,
    as in `surrogateescape`. A line may hold other separators of splitlines().

    Raises:
        NotUtf8Error: if the stream begins with a mark of UTF-16 or UTF-32, or of a file without
            text, such as an archive.
    """
    start = stream.peek(BUFFER)
    # Without a zero byte it is a file of lines whose first is broken: a wide blank has one.
    if (marked_wide(start) and b"\0" in start) or packed_as(start):
        raise NotUtf8Error("is not UTF-8")
    end = "\r" if b"\r" in start and b"\n" not in start else "\n"
    return io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline=end)


class NotUtf8Error(ValueError):
    """A file as a whole is no UTF-8; the message is the end of a sentence."""

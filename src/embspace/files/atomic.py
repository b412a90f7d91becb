"""Whole or not at all: a file appears under the final name only when complete."""

import hashlib
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embspace.errors import InputError

# Which files were made in this tree, and not brought by git. Never committed.
COMPUTED = Path(".cache/computed")
PARTIAL = ".partial"
# Seconds without a byte after which a writer on another machine, which cannot be asked, has ended.
GIVEN_UP = 24 * 3600.0


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a name to write to, and move it to `path` when the block ends without an error.

    Raises:
        InputError: if the folder or the file cannot be written, naming the file and the reason.
    """
    partial = partial_name(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_strays(path)
        yield partial
        # DVC may have linked the old file to its cache; replacing leaves the cache alone.
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        _remove(partial)


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, and remember that this tree computed it."""
    with writing(path) as partial:
        partial.write_bytes(content)
    computed = [*_computed(path), hashlib.sha256(content).hexdigest()]
    with writing(_mark(path)) as partial:
        partial.write_text("\n".join(dict.fromkeys(computed)), encoding="ascii")


def computed_here(path: Path) -> bool:
    """Return whether `path` holds bytes written by a `write_bytes` of this tree, now or before.

    DVC's cache may give back results of earlier settings.
    """
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() in _computed(path)


def _mark(path: Path) -> Path:
    return COMPUTED / f"{path}.sha256"


def _computed(path: Path) -> list[str]:
    """Return the hashes of all contents written to `path`."""
    mark = _mark(path)
    return mark.read_text(encoding="ascii").split() if mark.is_file() else []


def partial_name(path: Path) -> Path:
    """Return a temporary name beside `path`, unique among processes and machines.

    Two processes may run at once, also on two machines with a shared disk.
    """
    writer = f"{_machine()}.{os.getpid()}.{secrets.token_hex(4)}"
    return path.with_name(f".{path.name}.{writer}{PARTIAL}")


def remove_strays(path: Path) -> None:
    """Remove partial files of killed writers beside `path`.

    A file of a different machine stays until unchanged for `GIVEN_UP` seconds.
    """
    writer = r"(?:\.([0-9a-f]{8}))?\.(\d+)\.[0-9a-f]{8}"
    form = re.compile(rf"\.{re.escape(path.name)}(?:{writer})?{re.escape(PARTIAL)}")
    for stray in path.parent.glob(f".*{PARTIAL}"):
        named = form.fullmatch(stray.name)
        if named and not _is_written(stray, *named.groups()):
            shutil.rmtree(stray, ignore_errors=True) if stray.is_dir() else _remove(stray)


def _machine() -> str:
    """Return eight hexadecimal digits for this machine, as the machine's name may be long."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _is_written(partial: Path, machine: str | None, process: str | None) -> bool:
    """Return whether a process may still write to `partial`, whose name has these parts."""
    import psutil

    if process is None:
        return False
    if machine == _machine():
        return psutil.pid_exists(int(process))
    try:
        return time.time() - partial.stat().st_mtime < GIVEN_UP
    except FileNotFoundError:  # its writer has moved it
        return True


def _remove(partial: Path) -> None:
    try:
        partial.unlink(missing_ok=True)
    except OSError:
        return  # a read-only folder: the first error has said so

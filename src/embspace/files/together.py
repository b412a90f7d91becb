"""Files of one call that appear together: new files never lie beside old ones."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from embspace.errors import InputError
from embspace.files.atomic import partial_name, remove_strays


@contextmanager
def writing_together(
    paths: Sequence[Path], *, obsolete: Sequence[Path] = ()
) -> Iterator[list[Path]]:
    """Yield temporary names, and move all to `paths` when the block ends without an error.

    Every byte is written before the first file is moved: a full disk changes nothing. The last path
    signals completeness: the old file goes before any replacement, with the `obsolete` files, and
    the new file comes last.

    Raises:
        InputError: if a folder or a file cannot be written, or the block cannot open a further
            file.
    """
    partials = [partial_name(path) for path in paths]
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            remove_strays(path)
        try:
            yield partials
        except OSError as error:
            # Where a disk is full, no file is named.
            if error.filename is None or Path(error.filename) in partials:
                raise
            raise InputError(f"{error.filename}: {error.strerror}") from error
        for old in (paths[-1], *obsolete):
            old.unlink(missing_ok=True)
        for partial, path in zip(partials, paths, strict=True):
            partial.replace(path)
    except OSError as error:
        folder = paths[-1].parent
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        for partial in partials:
            with suppress(OSError):  # a read-only folder: the first error has said so
                partial.unlink(missing_ok=True)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as `save_table` does, without marking it as computed by a pipeline."""
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")

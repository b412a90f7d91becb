"""Finds reference corpora in the user's cache, unused for long or beyond the allowed size."""

import time
from contextlib import suppress
from pathlib import Path

from embspace.settings.roots import cache_folder

REFERENCES = "references"  # in the folder of the cache; one has several files, of one stem
MOST_DAYS = 30  # since it was used last
MOST_BYTES = 4 * 2**30  # of all together


def unused_references() -> list[Path]:
    """Return the files unused for `MOST_DAYS`, and the files longest unused beyond `MOST_BYTES`."""
    with suppress(OSError):  # there is no such folder, or another process removes files
        by_stem: dict[str, list[Path]] = {}
        for file in sorted((cache_folder() / REFERENCES).iterdir()):
            by_stem.setdefault(file.name.partition(".")[0], []).append(file)
        used = {stem: _last_used(files) for stem, files in by_stem.items()}
        oldest, n_bytes, unused = time.time() - MOST_DAYS * 24 * 3600, 0, []
        for stem in sorted(used, key=lambda stem: -used[stem]):
            n_bytes += sum(file.stat().st_size for file in by_stem[stem])
            if used[stem] < oldest or n_bytes > MOST_BYTES:
                unused += by_stem[stem]
        return unused
    return []


def remove_unused() -> None:
    """Remove the files of `unused_references`, except files held by another process."""
    for file in unused_references():
        with suppress(OSError):
            file.unlink()


def _last_used(files: list[Path]) -> float:
    return max(file.stat().st_mtime for file in files)

"""Hashes the files of a model in a folder, which tell it from a later version."""

from collections.abc import Iterable, Iterator
from pathlib import Path


def hashes_of(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of every file, by the path in the folder."""
    from embspace.models.locate import sha256

    return {file.relative_to(folder).as_posix(): sha256(file) for file in files}


def files_of_model(folder: Path) -> Iterator[Path]:
    """Yield the files of a model in a folder; the hashes tell the model from a later version."""
    from embspace.models.hub import CONFIG, TOKENIZER
    from embspace.models.locate import weight_files
    from embspace.models.sentence.files import sentence_files, transformer_folder

    place = transformer_folder(folder)
    small = (place / file for file in sorted({CONFIG, *TOKENIZER}))
    files = [*(file for file in small if file.is_file()), *weight_files(place)]
    yield from dict.fromkeys([*files, *sentence_files(folder)])

"""The record of runs under a protocol: the state of the tree, and the tables that were computed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from embspace.errors import InputError
from embspace.published.contents import SUFFIXES
from embspace.settings.pipeline import Stage, fill_item, read_stages
from embspace.verify.protocol import KINDS, State, hash_of, read_parts, save

RESULTS = Path("results")
RECORD = "protocol.yaml"  # beside the results
TABLES = "tables"


class Record(NamedTuple):
    """The state and the tables of runs under a protocol."""

    state: State
    tables: dict[str, str]
    """Hashes at the end of the run, by the path below the results."""


def record(name: str, state: State, stages: Iterable[str]) -> None:
    """Write the state of the tree, and hashes of the tables of `stages`, beside the results.

    Tables of earlier runs under the protocol stay, if the state was the same.

    Args:
        name: The protocol.
        state: The state of the tree.
        stages: Names of completed stages, as in dvc.lock: `measure_helix@minilm`.
    """
    tables = {
        file.relative_to(RESULTS).as_posix(): hash_of(file.read_bytes())
        for file in _tables(stages, read_stages(Path()))
    }
    earlier = _earlier(name, state)
    save(
        RESULTS / RECORD,
        {"protocol": name, **state, TABLES: dict(sorted((earlier | tables).items()))},
    )


def _earlier(name: str, state: State) -> dict[str, str]:
    """Return the recorded tables of the same protocol and state."""
    try:
        earlier = read_record(name, RESULTS)
    except InputError:
        return {}
    return earlier.tables if earlier.state == state else {}


def read_record(name: str, folder: Path) -> Record:
    """Return the record of runs under the protocol `name` in a folder of results.

    Raises:
        InputError: if the record is missing, or is about a different protocol.
    """
    file = folder / RECORD
    if not file.is_file():
        raise InputError(f"{file}: not found; `embspace run --protocol {name}` writes it")
    content = read_parts(file, name, (*KINDS, TABLES))
    return Record({kind: content[kind] for kind in KINDS}, content[TABLES])


def _tables(names: Iterable[str], stages: dict[str, Stage]) -> Iterator[Path]:
    """Yield the tables among the outputs of completed stages."""
    for name in names:
        stage, _, item = name.partition("@")
        keys = stages[stage].entry.get("matrix", {})
        # Stages of two keys have no tables.
        outputs = [fill_item(path, dict.fromkeys(keys, item)) for path in stages[stage].outputs()]
        for path in map(Path, outputs):
            if path.is_relative_to(RESULTS):
                files = [path] if path.is_file() else path.rglob("*")
                yield from (file for file in files if file.suffix in SUFFIXES)

"""Shards of texts in a folder, as a plan cuts them."""

import json
from collections.abc import Sequence
from pathlib import Path

from embspace.stream.plan import Shard
from embspace.stream.sources import find_sources


def write_rows(path: Path, rows: Sequence[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"id": f"{path.stem}{n}", **row}) for n, row in enumerate(rows)]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def shards_of(folder: Path, size: int) -> list[Shard]:
    """Return the rows of all files, `size` of each in a shard at most."""
    shards: list[Shard] = []
    for source in find_sources(str(folder), "text", "id"):
        n_rows = len(Path(source.address.removeprefix("file://")).read_text().splitlines())
        for first in range(0, n_rows, size):
            n, number = min(size, n_rows - first), len(shards)
            shards.append(Shard(number, source, first, n, f"{source.name}-{first}"))
    return shards


def run_calls(calls: dict[str, tuple[object, ...]]) -> None:
    for function, *arguments in calls.values():
        function(*arguments)  # type: ignore[operator]

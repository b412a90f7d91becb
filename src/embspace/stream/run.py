"""Measures a corpus shard by shard and writes the tables that stages write for small corpora."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.app.describe.find import Say
from embspace.errors import InputError, counted
from embspace.files.tables import Row, Tables
from embspace.files.together import write_csv, writing_together
from embspace.models.tokens.unknown import not_checkable, share_of
from embspace.stream.cluster import Cluster, check_dask, paths_of, run_all
from embspace.stream.neighbors import OF_SAMPLE
from embspace.stream.plan import Reading, Shard, plan_shards
from embspace.stream.sources import NoText, Source, check_unchanged, read_rows, say_of_empty
from embspace.stream.store import StoredShard, is_finished, shard_path
from embspace.stream.tables import FAMILIES, OF_DISTRIBUTIONS, Intervals, profile_table, totals
from embspace.stream.units.join import join_shards
from embspace.stream.work import call_in, finish_layer, finish_shard, is_of_other_texts, make_pilot

UNITS = "units"  # the folder beside shards that says which texts are copies


@dataclass(frozen=True)
class Request:
    """A corpus, how it is read, and where its tables go."""

    corpus: str
    sources: Sequence[Source]
    reading: Reading
    intervals: Intervals
    texts_per_shard: int | None
    results: Path
    """The folder of the tables, laid out as results/ is."""
    shards: Path
    """The folder of the shards' sums, on a disk that all workers see."""
    root: Path
    """The root of the tree that has the model, on all workers' machines."""
    copy_similarity: float | None
    """As in conf/corpus/, for texts that come without their units."""
    largest_unknown_share: float
    """The largest share of unknown tokens; beyond it, tables have no row."""
    check: bool = False
    """Whether texts of finished shards are read again, and compared."""


def measure_corpus(request: Request, cluster: Cluster, say: Say) -> Path:
    """Run all unfinished shards, write the tables, and return the tables' folder.

    Raises:
        InputError: if a shard failed on every try; finished shards stay, and the same command
            continues.
    """
    check_dask()
    shards = unique_shards(plan_shards(request.sources, request.reading, request.texts_per_shard))
    say_of_empty(request.sources, {shard.source for shard in shards}, say)
    folder = request.shards.absolute()
    _make_folders(folder, request.root / request.results)
    n_texts = sum(shard.n for shard in shards)
    shards = _whole_units(request, cluster, shards, folder, say)
    if request.check:
        _remove_others(request, cluster, shards, folder, say)
    left = [shard for shard in shards if not is_finished(shard_path(folder, shard.key))]
    say(
        f"{counted(n_texts, 'text')} in {counted(len(shards), 'shard')}, "
        f"{len(shards) - len(left)} of them finished"
    )
    if left:
        _run_shards(request, cluster, shards, left, folder, say)
    check_unchanged(request.sources)  # tables would be neither of the old texts nor of the new
    if request.check and _others(request, cluster, shards, folder):
        raise InputError(f"{request.corpus}: texts have changed while they were read; run it again")
    paths = paths_of(str(folder), [shard.key for shard in shards])
    _write_tables(request, cluster, paths, say)
    return request.results


def _whole_units(
    request: Request, cluster: Cluster, shards: Sequence[Shard], folder: Path, say: Say
) -> list[Shard]:
    """Return shards that share no unit: no copy of a text, and no document."""
    place = folder / UNITS
    if any(source.whole_documents for source in request.sources):
        return list(shards)
    if request.check:  # texts are read again
        for file in (file for shard in shards for file in place.glob(f"{shard.key}-*")):
            file.unlink(missing_ok=True)

    def run(calls: Mapping[str, tuple[Any, ...]]) -> None:
        here = {key: (call_in, str(request.root), *call) for key, call in calls.items()}
        if cluster.scheduler is None:  # quicker than workers start, and little beside the model
            for call in here.values():
                call_in(*call[1:])
            return
        failed = run_all(cluster, here, is_done=lambda _: False, on_result=lambda *_: None, say=say)
        if failed:
            raise InputError(f"{request.corpus}: its units: {next(iter(failed.values()))}")

    joined, n_copies = join_shards(shards, place, request.copy_similarity, run)
    if n_copies:
        say(
            f"{n_copies:,} of {counted(sum(shard.n for shard in shards), 'text')} repeat another "
            "one, word for word or nearly; copies count as one unit"
        )
    return joined


def _remove_others(
    request: Request, cluster: Cluster, shards: Sequence[Shard], folder: Path, say: Say
) -> None:
    """Remove finished shards with texts that have changed, even at equal size and time."""
    others = _others(request, cluster, shards, folder)
    for shard in others:
        shard_path(folder, shard.key).unlink(missing_ok=True)
    say(f"{counted(len(others), 'finished shard')} of other texts, computed anew")


def _others(
    request: Request, cluster: Cluster, shards: Sequence[Shard], folder: Path
) -> list[Shard]:
    """Return finished shards with texts that have changed."""
    by_key = {shard.key: shard for shard in shards}
    others: list[Shard] = []

    def take(key: str, is_other: bool) -> None:
        if is_other:
            others.append(by_key[key])

    failed = run_all(
        cluster,
        {
            key: (is_of_other_texts, str(request.root), shard, str(folder))
            for key, shard in by_key.items()
        },
        is_done=lambda _: False,
        on_result=take,
        say=lambda _: None,
    )
    if failed:
        raise InputError(f"{request.corpus}: --check: {next(iter(failed.values()))}")
    return others


def _make_folders(*folders: Path) -> None:
    """Make the folders of shards and tables, before hours go into what is written there."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be made a folder: {error.strerror}") from error


def unique_shards(shards: Sequence[Shard]) -> list[Shard]:
    """Return shards with distinct keys: no shard counts twice."""
    return list({shard.key: shard for shard in shards}.values())


def _run_shards(
    request: Request,
    cluster: Cluster,
    shards: Sequence[Shard],
    left: Sequence[Shard],
    folder: Path,
    say: Say,
) -> None:
    root, reading = str(request.root), request.reading
    pilots: list[str] = []
    failed = run_all(
        cluster,
        {"pilot": (make_pilot, root, list(shards), reading, str(folder))},
        is_done=lambda _: False,
        on_result=lambda _, path: pilots.append(path),
        say=lambda _: None,
    )
    if failed or not pilots[0]:
        reason = failed["pilot"] if failed else _why_none(shards[0])
        raise InputError(f"{request.corpus}: the first texts: {reason}")
    progress = Progress(sum(shard.n for shard in left), say)
    calls = {
        shard.key: (finish_shard, root, shard, reading, pilots[0], str(folder)) for shard in left
    }
    failed = run_all(
        cluster,
        calls,
        is_done=lambda key: is_finished(shard_path(folder, key)),
        on_result=lambda _, report: progress.add(report),
        say=say,
    )
    progress.end()
    if failed:
        listed = "\n".join(f"  {key}: {reason}" for key, reason in list(failed.items())[:5])
        raise InputError(
            f"{request.corpus}: {counted(len(failed), 'shard')} failed on every try; the same "
            f"command goes on with them\n{listed}"
        )


def _why_none(shard: Shard) -> str:
    """Return the message that no text could be read, with the reason that the first row gives."""
    said = f"no text could be read in the column {shard.source.text_column!r}"
    first = next(read_rows(shard.source, shard.first, 1), None)
    if first is not None and isinstance(first.text, NoText):
        said += f"; the first text {first.text.reason}"
    return said


class Progress:
    """Prints how many texts are done, how fast, and the time that is left."""

    def __init__(self, n_texts: int, say: Say, clock: Callable[[], float] = time.monotonic) -> None:
        self._n, self._say, self._clock = n_texts, say, clock
        self._start = self._said = clock()
        self._done, self._fresh, self._tokens = 0, 0, 0
        self._peaks: dict[int, float] = {}
        self._seconds = {"seconds_reading": 0.0, "seconds_summing": 0.0}

    def add(self, report: dict[str, Any]) -> None:
        """Take the report of `finish_shard`."""
        self._done += report["texts"]
        if not report["resumed"]:
            self._fresh += report["texts"]
            self._tokens += report["tokens"]
            self._peaks[report["pid"]] = report["peak_mib"]
            for name in self._seconds:
                self._seconds[name] += report[name]
        now = self._clock()
        if now - self._said >= 5:
            self._said = now
            rate = max(self._fresh, 1) / (now - self._start)
            self._say(
                f"{self._done:,} of {self._n:,} texts, {_rate(rate)} a second, "
                f"{_duration((self._n - self._done) / rate)} left"
            )

    def end(self) -> None:
        """Print the totals."""
        seconds = self._clock() - self._start
        if not self._fresh:
            return
        self._say(
            f"{self._fresh:,} texts, {self._tokens:,} tokens in {_duration(seconds)}: "
            f"{_rate(self._fresh / seconds)} texts, {_rate(self._tokens / seconds)} tokens a "
            f"second; of the workers' time {self._seconds['seconds_reading']:.1f} s in the model, "
            f"{self._seconds['seconds_summing']:.1f} s in sums; most memory of a worker "
            f"{max(self._peaks.values()):,.0f} MiB"
        )


def _rate(number: float) -> str:
    """Return a number per second; a small number has two digits, as a slow run is no standstill."""
    return f"{number:,.0f}" if number >= 9.5 else f"{number:.2g}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def _write_tables(request: Request, cluster: Cluster, paths: Sequence[str], say: Say) -> None:
    files = [Path(path) for path in paths]
    n_layers = max(StoredShard(path).facts["n_layers"] for path in files)
    if not n_layers:
        raise InputError(f"{request.corpus}: no text could be read")
    say(f"tables of {counted(n_layers, 'layer')}")  # which take longer than a small corpus
    counts = {"corpus": request.corpus, "shards": len(files), **totals(files)}
    is_known = _is_known(request, counts, say)
    by_layer = _rows_by_layer(request, cluster, paths, n_layers) if is_known else []
    tables = _tables(by_layer)
    quarantine = [row for path in files for row in StoredShard(path).facts["quarantine"]]
    tables["quarantine"] = pd.DataFrame(quarantine, columns=["id", "reason"])
    tables["counts"] = pd.DataFrame([counts])
    name = request.reading.model_name
    with chdir(request.root):
        places = [request.results / folder / f"{name}.csv" for folder in tables]
        with writing_together(places) as partials:
            for table, partial in zip(tables.values(), partials, strict=True):
                write_csv(table, partial)
    if quarantine:
        say(
            f"{counted(len(quarantine), 'text')} left out, with ids and reasons in "
            f"{request.results}/quarantine/{name}.csv"
        )


def _is_known(request: Request, counts: Mapping[str, Any], say: Say) -> bool:
    """Return whether enough of the tokens is known to the tokenizer, and say how many are not."""
    largest = request.largest_unknown_share
    share = share_of(counts["unknown_tokens"], counts["known_tokens"])
    if share > largest:
        say(not_checkable(request.corpus, share, largest))
    elif share:
        say(f"{100 * share:.2g} % of the tokens are unknown to the tokenizer")
    return share <= largest


def _rows_by_layer(
    request: Request, cluster: Cluster, paths: Sequence[str], n_layers: int
) -> list[dict[str, list[Row]]]:
    layer_rows: dict[str, dict[str, list[Row]]] = {}
    arguments = (request.reading.spaces, request.intervals)
    calls = {
        str(layer): (finish_layer, request.corpus, list(paths), layer, *arguments)
        for layer in range(n_layers)
    }
    failed = run_all(
        cluster,
        calls,
        is_done=lambda key: key in layer_rows,
        on_result=layer_rows.__setitem__,
        say=lambda _: None,
    )
    if failed:
        raise InputError(f"{request.corpus}: tables: {next(iter(failed.values()))}")
    return [layer_rows[str(layer)] for layer in range(n_layers)]


def _tables(by_layer: Sequence[dict[str, list[Row]]]) -> Tables:
    """Return the tables by their folders, from the rows of all layers."""
    tables = {
        f"{family}/profiles": profile_table([row for layer in by_layer for row in layer[family]])
        for family in (*FAMILIES, *OF_SAMPLE)
    }
    rows = [row for layer in by_layer for row in layer["distributions"]]
    return tables | {"distributions": pd.DataFrame(rows, columns=OF_DISTRIBUTIONS)}


def weights_version(files: Sequence[Path]) -> str:
    """Return a hash of the sizes and times of a model's files; new weights change the hash."""
    known = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(files)]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()[:16]

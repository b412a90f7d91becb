"""Runs the stages of a tree, several at once, as `dvc repro` would run them in sequence."""

import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import Literal

from embspace.app.repro.bookkeeping import Bookkeeper, open_books
from embspace.app.repro.commands import Command, End, Line, undisturbed
from embspace.app.repro.durations import Durations
from embspace.app.repro.environment import environment, n_cores
from embspace.app.repro.schedule import Needs, earliest_turns, in_order, longest_chains
from embspace.app.warm.python import warm_python
from embspace.errors import InputError
from embspace.files.atomic import writing

HELD = Path(".cache/run.lock")
FORCED = Path(".cache/forced.json")  # what a forced run has computed before it was ended
UNSAVED = 5.0  # seconds of stages after which locks are written
MEMORY = 3 * 2**30  # bytes that are free where a stage starts beside another one
TAIL = 20  # lines of a stage that failed without saying why
PULSE = 0.5  # seconds between two looks at memory and time
SILENCE = 30.0  # seconds after which the stages that run are named again
Kind = Literal["starts", "runs", "ends", "current", "cached"]


@dataclass(frozen=True)
class Step:
    """Reports an event of a stage: start, progress, end, up to date, or taken from the cache."""

    stage: str
    kind: Kind
    time_left: str = ""
    """`, up to 3 min left`, at the start or during the run."""
    running: tuple[str, ...] = ()
    """Further running stages."""
    seconds: float = 0.0
    """The time since the start, during the run or at the end."""
    n_done: int = 0
    """Number of completed stages, including the present stage."""
    n_stages: int = 0


@dataclass
class _Running:
    command: Command
    start: float
    lines: list[str] = field(default_factory=list)


def run_side_by_side(
    folder: Path,
    targets: Sequence[str],
    show: Callable[[str, str], None],
    *,
    jobs: int | None = None,
    force: bool = False,
    durations: Durations | None = None,
    ranks: Mapping[str, int] | None = None,
    announce: Callable[[Needs], None] | None = None,
) -> Iterator[Step]:
    """Run outdated targets, and outdated stages before, side by side; yield every step.

    Closing the iterator ends the commands; finished stages stay in the locks. A forced run that was
    interrupted continues.

    Args:
        folder: The root of the tree.
        targets: Addresses of stages; without any, all stages of the tree.
        show: Takes the name of a stage and a printed line.
        jobs: Number of commands at once; None for one a core. A command starts beside a running
            command only while `MEMORY` is free.
        force: True to compute stages that are up to date, or were computed before, as well.
        durations: Where times are kept; by default the tree's.
        ranks: The turn of a stage, by name, from 0; stages needed before have an earlier turn.
            Among stages of the same rank, and without a rank, the longest chain comes first.
        announce: Takes, before any stage runs, the outdated stages with the outdated stages before.

    Raises:
        InputError: if a stage fails, with the stage's output; all running stages have ended by
            then.
    """
    jobs = jobs or n_cores()
    with ExitStack() as stack:
        held = stack.enter_context(_held(folder))
        books = stack.enter_context(open_books(folder, targets))
        run = _Run(folder, books, show, jobs, force, durations or Durations(folder), ranks or {})
        if run.is_all_current():
            yield from (run.step(name, "current") for name in books.needs)
            return
        if announce:
            announce(run.out_of_date())
        given = stack.enter_context(warm_python(environment(jobs)))
        stack.callback(run.close)
        yield from run.steps(given, held)


class _Run:
    """A run: the waiting, running and completed stages."""

    def __init__(
        self,
        folder: Path,
        books: Bookkeeper,
        show: Callable[[str, str], None],
        jobs: int,
        force: bool,
        durations: Durations,
        ranks: Mapping[str, int],
    ) -> None:
        self._folder, self._books, self._show, self._jobs = folder, books, show, jobs
        self._durations, self._is_forced = durations, force
        self._computed = _read_forced(folder) if force else set[str]()
        chains = longest_chains(durations.known(books.needs), books.needs)
        turns = earliest_turns(ranks, books.needs)
        self._waiting = sorted(books.needs, key=lambda name: (turns[name], -chains[name]))
        self._out_of_date, self._done = set[str](), set[str]()
        self._running = dict[str, _Running]()
        self._news: Queue[Line | End] = Queue()
        self._ended_at = dict[str, float]()
        self._failure: InputError | None = None
        self._unsaved, self._last_step = 0.0, monotonic()

    def is_all_current(self) -> bool:
        """Return whether nothing is to be done; current stages then need not be checked again."""
        if self._is_forced:
            return False
        return all(map(self._books.is_current, self._waiting))

    def out_of_date(self) -> Needs:
        """Return the stages to run, unless cached, with what they need among these stages."""
        stale = set[str]()
        for name in in_order(self._books.needs):
            is_fed = not self._books.needs[name].isdisjoint(stale)
            if is_fed or self._is_forced or not self._books.is_current(name):
                stale.add(name)
        return {name: self._books.needs[name] & stale for name in stale}

    def step(self, name: str, kind: Kind) -> Step:
        """Return a step of a stage, with how far the run is."""
        seconds, left = 0.0, ""
        others = tuple(other for other in self._running if other != name)
        if kind in ("starts", "runs"):
            now = monotonic()
            needs = {key: self._books.needs[key] for key in self._books.needs.keys() - self._done}
            since = {key: now - running.start for key, running in self._running.items()}
            left = self._durations.time_left(needs, self._jobs, since)
        else:
            self._done.add(name)
        if kind in ("runs", "ends"):
            seconds = self._ended_at.get(name, monotonic()) - self._running[name].start
        self._last_step = monotonic()
        n_stages = len(self._books.needs)
        return Step(name, kind, left, others, seconds, len(self._done), n_stages)

    def steps(self, given: dict[str, str], held: int) -> Iterator[Step]:
        """Run all stages; yield every step."""
        while self._waiting or self._running:
            yield from self._start_ready(given, held)
            if not self._running:
                break
            try:
                news = self._news.get(timeout=PULSE)
            except Empty:
                if monotonic() - self._last_step >= SILENCE:
                    longest = min(self._running, key=lambda name: self._running[name].start)
                    yield self.step(longest, "runs")
                continue
            if isinstance(news, Line):
                self._running[news.stage].lines.append(news.text)
                self._show(news.stage, news.text)
            else:
                self._ended_at[news.stage] = news.at  # read later, while a page is written
                yield from self._ended(news, given, held)
        self._save()
        if self._failure is not None:
            raise self._failure
        if self._is_forced:
            (self._folder / FORCED).unlink(missing_ok=True)

    def close(self) -> None:
        """End the commands that still run, and write the locks of the stages that have ended."""
        running, self._running = [*self._running.values()], {}
        for stage in running:
            stage.command.end()
        for stage in running:
            stage.command.wait()
        self._save()

    def _start_ready(self, given: dict[str, str], held: int) -> Iterator[Step]:
        """Start stages whose needs have ended while jobs are free; pass over current stages."""
        has_news = True
        while has_news and self._failure is None:
            has_news = False
            for name in [*self._waiting]:
                if not self._books.needs[name] <= self._done:
                    continue
                if step := self._take_up(name, given, held):
                    yield step
                    has_news = True

    def _take_up(self, name: str, given: dict[str, str], held: int) -> Step | None:
        """Pass over a current stage, or take the stage from the cache, or start if allowed."""
        may_be_current = not self._is_forced or name in self._computed
        if may_be_current and name not in self._out_of_date:
            if self._books.is_current(name):
                self._waiting.remove(name)
                return self.step(name, "current")
            self._out_of_date.add(name)
        if not self._may_start():
            return None
        with undisturbed():
            self._waiting.remove(name)
            is_cached = self._books.begin(name, restore=not self._is_forced)
            if is_cached:
                self._books.finish(name)
            else:
                arguments, folder = self._books.command(name)
                variables = {**given, **self._books.variables(name)}
                command = Command(name, arguments, folder, variables, held, self._news)
                self._running[name] = _Running(command, monotonic())
        return self.step(name, "cached" if is_cached else "starts")

    def _may_start(self) -> bool:
        """Return whether a job is free, and enough memory if other commands run."""
        import psutil

        if len(self._running) >= self._jobs:
            return False
        return not self._running or psutil.virtual_memory().available >= MEMORY

    def _ended(self, end: End, given: dict[str, str], held: int) -> Iterator[Step]:
        """Take the outputs of a stage; before, start the next stage, to keep all cores busy."""
        stage = self._running[end.stage]
        if end.status:
            self._fail(InputError(_complaint(end, stage.lines)))
            del self._running[end.stage]
            return
        step = self.step(end.stage, "ends")
        self._done.discard(end.stage)  # until its outputs are known
        del self._running[end.stage]
        yield from self._start_ready(given, held)
        try:
            with undisturbed():
                self._books.finish(end.stage)
                self._done.add(end.stage)
                self._durations.keep(end.stage, step.seconds)
                self._unsaved += step.seconds
                if self._unsaved >= UNSAVED or not self._running:
                    self._save()
        except InputError as error:
            self._fail(error)
            return
        yield replace(step, n_done=len(self._done))

    def _fail(self, error: InputError) -> None:
        self._failure = self._failure or error

    def _save(self) -> None:
        """Write locks, times, and the stages that a forced run need not compute again.

        Raises:
            InputError: if a file cannot be written, as on a full disk.
        """
        self._unsaved = 0.0
        with undisturbed():
            if not (names := self._books.write_locks()):
                return
            try:
                self._durations.save()
                if self._is_forced:
                    self._computed |= {*names}
                    with writing(self._folder / FORCED) as partial:
                        partial.write_text(json.dumps(sorted(self._computed)), encoding="utf-8")
            except OSError as error:
                message = f"{self._folder.absolute()}: cannot be written: {error.strerror}"
                raise InputError(message) from error


def _read_forced(folder: Path) -> set[str]:
    with suppress(FileNotFoundError, ValueError, TypeError):
        return set(json.loads((folder / FORCED).read_text(encoding="utf-8")))
    return set()


@contextmanager
def _held(folder: Path) -> Iterator[int]:
    """Lock the tree against further runs, wait for a present run, and yield the file descriptor.

    The command of a killed run holds the lock, too.

    Raises:
        InputError: if the tree cannot be written.
    """
    import fcntl  # what runs no stage works where there is none

    path = folder / HELD
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            logging.getLogger(__name__).warning(
                "%s: another run is at work there, this one waits for it", folder.absolute()
            )
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _complaint(end: End, lines: Collection[str]) -> str:
    """Return the message of a failed stage, or the end of the printed lines, and the name."""
    said = [*lines]
    if end.status < 0 or end.status > 128:
        number = -end.status if end.status < 0 else end.status - 128
        reason = ", perhaps for want of memory" if number == 9 else ""
        return f"stage {end.stage} was ended by signal {number}{reason}"
    marks = [number for number, line in enumerate(said) if line.startswith("error: ")]
    if marks:
        message = "\n".join(said[marks[-1] :]).removeprefix("error: ").strip()
        return f"stage {end.stage}: {message}"
    return "\n".join([f"stage {end.stage} failed with status {end.status}:", *said[-TAIL:]])

"""Keeps the seconds that each stage took, and tells from them the time that a run has left."""

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from time import monotonic

from embspace.app.repro import Step
from embspace.files.atomic import writing

DURATIONS = Path(".cache/durations.json")
ENOUGH = 5.0  # seconds of stages, to tell how fast the machine is


class Durations:
    """The seconds of the last run of each stage of a tree, kept beside its cache."""

    def __init__(self, root: Path) -> None:
        """Read what earlier runs have left in the tree, if there were any."""
        self._file = root / DURATIONS
        text = self._file.read_text(encoding="utf-8") if self._file.is_file() else "{}"
        self._seconds: dict[str, float] = json.loads(text)
        self._excused = False
        self._expected = self._taken = 0.0

    def time_left(self, stages: Collection[str]) -> str:
        """Return `, up to 3 min left`; where it is not known, the reason the first time alone.

        Less, if DVC has known some of the stages: that shows only when it comes to them.
        """
        seconds = self.left(stages)
        if seconds is not None:
            return f", up to {rounded(seconds)} left"
        said, self._excused = self._excused, True
        return "" if said else ", first run here: no estimate yet"

    def left(self, stages: Collection[str]) -> float | None:
        """Return the seconds that stages take if all have to run; None if one has never run.

        One that never ran for its model counts as long as it took for the slowest other one. Where
        the stages of this run took longer than before, as beside another program, so will others.
        """
        seconds = [self._of(stage) for stage in stages]
        known = [each for each in seconds if each is not None]
        return sum(known) * self._slowness() if len(known) == len(seconds) else None

    def timed(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Hand on the steps of a run, and keep how long each stage of it takes."""
        running, start = "", 0.0
        for step in steps:
            if running:
                self._keep(running, monotonic() - start)
            running, start = step.stage if step.runs else "", monotonic()
            yield step
        if running:
            self._keep(running, monotonic() - start)

    def _of(self, stage: str) -> float | None:
        name = stage.partition("@")[0]
        alike = [s for each, s in self._seconds.items() if each.partition("@")[0] == name]
        return self._seconds.get(stage, max(alike, default=None))

    def _slowness(self) -> float:
        return max(1.0, self._taken / self._expected) if self._expected > ENOUGH else 1.0

    def _keep(self, stage: str, seconds: float) -> None:
        if (expected := self._of(stage)) is not None:
            self._expected += expected
            self._taken += seconds
        self._seconds[stage] = round(seconds, 1)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with writing(self._file) as partial:
            partial.write_text(json.dumps(self._seconds, indent=1), encoding="utf-8")


def rounded(seconds: float) -> str:
    """Return `3 min` or `12 s`."""
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

"""Keeps the seconds that each stage took, and tells from them the time that a run has left."""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from embspace.app.repro.schedule import schedule
from embspace.files.atomic import writing

DURATIONS = Path(".cache/durations.json")
ENOUGH = 5.0  # seconds of stages, to tell how fast the machine is


class Durations:
    """The seconds of the last run of each stage of a tree, kept beside its cache."""

    def __init__(self, root: Path) -> None:
        """Read what earlier runs have left in the tree, if there were any."""
        self._file = root / DURATIONS
        self._seconds = dict[str, float]()
        with suppress(FileNotFoundError, ValueError, TypeError):
            self._seconds = dict(json.loads(self._file.read_text(encoding="utf-8")))
        self._excused = False
        self._expected = self._taken = 0.0

    def time_left(
        self,
        needs: Mapping[str, Collection[str]],
        jobs: int = 1,
        running: Mapping[str, float] | None = None,
    ) -> str:
        """Return `, up to 3 min left`; where it is not known, the reason the first time alone.

        Less, if DVC has known some of the stages: that shows only when it comes to them.
        """
        seconds = self.left(needs, jobs, running)
        if seconds is not None:
            return f", up to {rounded(seconds)} left"
        said, self._excused = self._excused, True
        return "" if said else ", first run here: no estimate yet"

    def left(
        self,
        needs: Mapping[str, Collection[str]],
        jobs: int = 1,
        running: Mapping[str, float] | None = None,
    ) -> float | None:
        """Return the seconds that stages take if all have to run; None if one has never run.

        One that never ran for its model counts as long as it took for the slowest other one. Where
        the stages of this run took longer than before, as beside another program, so will others.

        Args:
            needs: For each stage that has not ended, the stages that run before it.
            jobs: How many run at once.
            running: Stages of `needs` that run already, with the seconds since their starts.
        """
        known = self.known(needs)
        if len(known) < len(needs):
            return None
        return schedule(known, needs, jobs, running).seconds * self._slowness()

    def known(self, stages: Collection[str]) -> dict[str, float]:
        """Return the seconds of the stages that ran before, or ran for another model."""
        seconds = {stage: self._estimate(stage) for stage in stages}
        return {stage: value for stage, value in seconds.items() if value is not None}

    def keep(self, stage: str, seconds: float) -> None:
        """Take the seconds of a stage that has ended; `save` writes them."""
        if (expected := self._estimate(stage)) is not None:
            self._expected += expected
            self._taken += seconds
        self._seconds[stage] = round(seconds, 1)

    def save(self) -> None:
        """Write all seconds."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with writing(self._file) as partial:
            partial.write_text(json.dumps(self._seconds, indent=1), encoding="utf-8")

    def _estimate(self, stage: str) -> float | None:
        name = stage.partition("@")[0]
        alike = [s for key, s in self._seconds.items() if key.partition("@")[0] == name]
        return self._seconds.get(stage, max(alike, default=None))

    def _slowness(self) -> float:
        return max(1.0, self._taken / self._expected) if self._expected > ENOUGH else 1.0


def rounded(seconds: float) -> str:
    """Return `3 min` or `12 s`."""
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

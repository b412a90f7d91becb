"""Keeps the seconds of all stages, and estimates the remaining time of a run."""

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from embspace.app.repro.schedule import schedule
from embspace.files.atomic import writing

DURATIONS = Path(".cache/durations.json")
OF_TREE = ":"  # between the name of a tree and that of a stage
ENOUGH = 5.0  # seconds of stages, to tell how fast the machine is


class Durations:
    """The seconds of the last run of every stage of a tree, kept beside the cache."""

    def __init__(
        self, root: Path, tree: str = "", expected: Callable[[str], float | None] | None = None
    ) -> None:
        """Read the durations left in the tree by earlier runs.

        Args:
            root: The root of the tree.
            tree: The name of a tree beside, with different texts or settings, and hence with
                separate times.
            expected: Returns the known seconds of a stage that never ran; by default the seconds of
                the same stage for a different model.
        """
        self._file = root / DURATIONS
        self._prefix = f"{tree}{OF_TREE}" if tree else ""
        self._expect = expected or self._slowest_other
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
        """Return `, up to 3 min left`; if unknown, the reason, the first time alone.

        The time is shorter if DVC has some stages in its cache, which only shows on reaching them.
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
        """Return the seconds until all stages have run; None if a stage never ran for any model.

        A stage that never ran for this model counts the longest time of the stage for any model. If
        the stages of this run took longer than before, as beside a second program, the remaining
        stages are scaled likewise.

        Args:
            needs: For every unfinished stage, the stages before.
            jobs: Number of jobs at once.
            running: Running stages of `needs`, with the seconds since the start.
        """
        known = self.known(needs)
        if len(known) < len(needs):
            return None
        return schedule(known, needs, jobs, running).seconds * self._slowness()

    def known(self, stages: Collection[str]) -> dict[str, float]:
        """Return the seconds of the stages with an earlier run, for this or a different model."""
        seconds = {stage: self._estimate(stage) for stage in stages}
        return {stage: value for stage, value in seconds.items() if value is not None}

    def keep(self, stage: str, seconds: float) -> None:
        """Take the seconds of an ended stage; `save` writes the seconds."""
        if (expected := self._estimate(stage)) is not None:
            self._expected += expected
            self._taken += seconds
        self._seconds[f"{self._prefix}{stage}"] = round(seconds, 1)

    def save(self) -> None:
        """Write all seconds."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with writing(self._file) as partial:
            partial.write_text(json.dumps(self._seconds, indent=1), encoding="utf-8")

    def _estimate(self, stage: str) -> float | None:
        known = self._seconds.get(f"{self._prefix}{stage}")
        return self._expect(stage) if known is None else known

    def _slowest_other(self, stage: str) -> float | None:
        """Return the seconds that a stage took for the slowest other model."""
        names = {key: key.rpartition(OF_TREE)[2].partition("@")[0] for key in self._seconds}
        name = stage.partition("@")[0]
        return max((s for key, s in self._seconds.items() if names[key] == name), default=None)

    def _slowness(self) -> float:
        return max(1.0, self._taken / self._expected) if self._expected > ENOUGH else 1.0


def rounded(seconds: float) -> str:
    """Return `3 min` or `12 s`."""
    return f"{seconds / 60:.0f} min" if seconds > 90 else f"{seconds:.0f} s"

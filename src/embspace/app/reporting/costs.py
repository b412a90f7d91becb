"""Says what a report will cost before it starts: by what ran before, or by a measured run."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from embspace.app.repro.durations import Durations, rounded
from embspace.app.repro.environment import n_cores
from embspace.app.repro.schedule import Needs, schedule
from embspace.errors import counted
from embspace.settings.pipeline import Stage

MEASURED = "seconds.json"
# Parts of it: with the settings of conf/, and of stages that have others in a report.
WHOLE, QUICKER = "seconds", "seconds_of_quicker_settings"
N_SHOWN = 3
# What a stage reads, by the beginning of a path, and the powers of the number of parameters and of
# characters of texts that its time grows by. Vectors of the vocabulary grow by their width alone,
# about the root of the parameters; all states of texts by width, layers and number.
GROWS = {
    "data/extracted/hidden_states": (0.8, 1.0),
    "data/prepared/texts/": (0.8, 1.0),
    "data/extracted/embeddings": (0.5, 0.0),
    "data/prepared/model": (0.8, 0.0),
}


@dataclass(frozen=True)
class Size:
    """The size of a model and of its texts, from which the time of a stage is estimated."""

    parameters: int
    """Number of parameters of the model; 0 if unknown: that of the measured model is taken."""
    characters: int
    """Number of characters of all texts; 0 if unknown: that of the measured texts is taken."""
    corpora: int = 1
    """Number of corpora that have the texts."""


class Expected:
    """The seconds of stages that never ran here, from a measured run of another model and texts."""

    def __init__(self, stages: Mapping[str, Stage], size: Size, *, is_quicker: bool) -> None:
        """Take the graph's stages by name, and the size of what they will read.

        `is_quicker` says that they have the settings of a report without `--all`.
        """
        measured = measured_run()
        self._seconds: dict[str, float] = measured[WHOLE]
        if is_quicker:
            self._seconds = self._seconds | measured[QUICKER]
        base = Size(measured["parameters"], measured["characters"])
        parameters = size.parameters or base.parameters
        characters = size.characters or base.characters
        self._ratios = (parameters / base.parameters, characters / base.characters)
        self._corpora = size.corpora
        self._stages = stages

    def __call__(self, item: str) -> float | None:
        """Return the seconds of a stage's item, None of a stage that was not measured."""
        name = item.partition("@")[0]
        stage = self._stages.get(name)
        seconds = self._seconds.get(name)
        if seconds is None or stage is None:
            return seconds
        of_model, of_texts = growth(stage)
        one_of = self._corpora if "corpus" in stage.entry.get("matrix", {}) else 1
        return seconds * self._ratios[0] ** of_model * (self._ratios[1] / one_of) ** of_texts


def measured_run() -> dict[str, Any]:
    """Return the measured seconds by stage, and of what; `benchmarks.stage_seconds` writes it."""
    text = files("embspace.app.reporting").joinpath(MEASURED).read_text(encoding="utf-8")
    measured: dict[str, Any] = json.loads(text)
    return measured


def growth(stage: Stage) -> tuple[float, float]:
    """Return the powers of parameters and characters that a stage's time grows by; 0 of neither."""
    listed = stage.entry.get("deps", ())
    paths = [path if isinstance(path, str) else next(iter(path)) for path in listed]
    return next(
        (
            powers
            for start, powers in GROWS.items()
            if any(path.startswith(start) for path in paths)
        ),
        (0.0, 0.0),
    )


def cost_told(
    needs: Needs,
    durations: Durations,
    jobs: int | None,
    way_of: Callable[[str], str] = lambda _: "",
) -> str:
    """Return a sentence on the minutes that stages will take, and which of them take most.

    Args:
        needs: The stages that will run, and what they need of each other.
        durations: Knows their seconds.
        jobs: How many run at once; None for one a core.
        way_of: Returns how a stage is left out, or "".
    """
    seconds = durations.known(needs)
    total = schedule(seconds, needs, jobs or n_cores()).seconds
    unknown = counted(len(needs) - len(seconds), "stage")
    beside = f", with {unknown} that never ran" if len(seconds) < len(needs) else ""
    longest = sorted(seconds, key=lambda name: -seconds[name])[:N_SHOWN]
    named = [f"{name.partition('@')[0]} {rounded(seconds[name])}{way_of(name)}" for name in longest]
    most = f"; most of it for {', '.join(named)}" if named else ""
    return f"about {rounded(total)} for {counted(len(needs), 'stage')}{beside}{most}"

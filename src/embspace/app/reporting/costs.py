"""Estimates the cost of a report before it starts, from earlier runs or from a measured run."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any

from embspace.app.repro.durations import Durations, rounded
from embspace.app.repro.environment import n_cores
from embspace.app.repro.schedule import Needs, schedule
from embspace.errors import counted
from embspace.settings.pipeline import Stage

MEASURED = "seconds.json"
# Parts of it: with the settings of conf/, and of stages that have others in a report.
WHOLE, QUICKER = "seconds", "seconds_of_quicker_settings"
SMALL = "small"  # a second run, of a small model and few short texts
N_SHOWN = 3
# What a stage reads, by the beginning of a path, and the powers of the number of parameters, of
# characters of texts and of tokens of the vocabulary that its time grows by. The width of learned
# vectors is about the cube root of the parameters; all states of texts grow by width, layers and
# number.
GROWS = {
    "data/extracted/hidden_states": (0.8, 1.0, 0.0),
    "data/prepared/texts/": (0.8, 1.0, 0.0),
    "data/extracted/embeddings": (0.3, 0.0, 1.0),
    "data/prepared/model": (0.8, 0.0, 0.0),
}
NOTHING = (0.0, 0.0, 0.0)
# The stage that changes sentences of words alone, and how many of them it changes.
OF_SENTENCES, MOST_SENTENCES = "measure_opposite_texts", 12


@dataclass(frozen=True)
class Size:
    """The size of a model and of texts, from which the time of a stage is estimated.

    Sizes that are unknown, or 0, are taken from the measured run.
    """

    parameters: int
    """Number of parameters of the model; those of shared blocks count in every layer."""
    characters: int
    """Number of characters of all texts."""
    corpora: int = 1
    """Number of corpora with the texts."""
    tokens: int = 0
    """Number of tokens of the vocabulary."""
    sentences: int | None = None
    """Number of sentences of words alone; None if not counted."""

    def over(self, base: "Size") -> tuple[float, float, float]:
        """Return parameters, characters and tokens, divided by the values of another size."""
        return (
            (self.parameters or base.parameters) / base.parameters,
            (self.characters or base.characters) / base.characters,
            (self.tokens or base.tokens) / base.tokens,
        )


class Expected:
    """The seconds of stages that never ran here, from measured runs of different models and texts.

    There are runs of a large and of a small model: what a stage takes for the smallest model, such
    as imports and compiled loops, does not shrink further.
    """

    def __init__(
        self,
        stages: Mapping[str, Stage],
        size: Size,
        *,
        is_quicker: bool,
        slowness: Callable[[], float] = lambda: 1.0,
    ) -> None:
        """Take the graph's stages by name, and the size of what they will read.

        `is_quicker` says that the stages have the settings of a report without `--all`; `slowness`
        returns how many times as long this machine takes now as the measured one, and is called
        when a time is expected.
        """
        measured = measured_run()
        self._seconds: dict[str, float] = measured[WHOLE]
        if is_quicker:
            self._seconds = self._seconds | measured[QUICKER]
        self._smallest: dict[str, float] = measured[SMALL][WHOLE]
        base = _size(measured)
        self._ratios, self._small_ratios = size.over(base), _size(measured[SMALL]).over(base)
        self._corpora, self._sentences = size.corpora, size.sentences
        self._stages = stages
        self._slowness = cache(slowness)

    def __call__(self, item: str) -> float | None:
        """Return the seconds of a stage's item, None for a stage without a measurement."""
        name = item.partition("@")[0]
        stage = self._stages.get(name)
        large, small = self._seconds.get(name), self._smallest.get(name)
        if large is None and small is None:
            return None
        powers = growth(stage) if stage else NOTHING
        is_of_one = stage is not None and "corpus" in stage.entry.get("matrix", {})
        here = _grown(self._ratios, powers) / (self._corpora ** powers[1] if is_of_one else 1)
        seconds = _between(large, small, here, _grown(self._small_ratios, powers))
        if name == OF_SENTENCES and self._sentences is not None:
            seconds *= min(1.0, self._sentences / MOST_SENTENCES)
        return seconds * self._slowness()


def _size(measured: Mapping[str, Any]) -> Size:
    return Size(measured["parameters"], measured["characters"], tokens=measured["tokens"])


def _grown(ratios: Sequence[float], powers: Sequence[float]) -> float:
    return prod(ratio**power for ratio, power in zip(ratios, powers, strict=True))


def _between(large: float | None, small: float | None, here: float, small_size: float) -> float:
    """Return the seconds at a size `here`; the large run has size 1, the small run `small_size`.

    One part is fixed, another grows with the size. If only one run has the stage, all of the large
    run's time grows, or half of the small run's.
    """
    if small is None:
        return (large or 0.0) * here
    if large is None:
        return small * (1 + here / small_size) / 2
    if small_size >= 1:
        return max(large, small)
    growing = max(large - small, 0.0) / (1 - small_size)
    return max(small - growing * small_size, 0.0) + growing * here


def measured_run() -> dict[str, Any]:
    """Return the seconds by stage that `benchmarks.stage_seconds` measured, and what was run."""
    text = files("embspace.app.reporting").joinpath(MEASURED).read_text(encoding="utf-8")
    measured: dict[str, Any] = json.loads(text)
    return measured


def growth(stage: Stage) -> tuple[float, float, float]:
    """Return the powers of parameters, characters and tokens by which a stage's time grows."""
    listed = stage.entry.get("deps", ())
    paths = [path if isinstance(path, str) else next(iter(path)) for path in listed]
    return next(
        (
            powers
            for start, powers in GROWS.items()
            if any(path.startswith(start) for path in paths)
        ),
        NOTHING,
    )


def cost_told(
    needs: Needs,
    durations: Durations,
    jobs: int | None,
    way_of: Callable[[str], str] = lambda _: "",
    untrained: Collection[str] = (),
) -> str:
    """Return a sentence on how many minutes the stages will take, and which take longest.

    Args:
        needs: The stages that will run, and which stages each needs.
        durations: Knows the seconds of the stages.
        jobs: Number of stages at once; None for one a core.
        way_of: Returns how a stage is left out, or "".
        untrained: Models with random weights, of which the claims of publications are asked, too.
    """
    seconds = durations.known(needs)
    total = schedule(seconds, needs, jobs or n_cores()).seconds
    unknown = counted(len(needs) - len(seconds), "stage")
    beside = f", with {unknown} that never ran" if len(seconds) < len(needs) else ""
    totals = defaultdict[str, float](float)  # of a stage, over models and corpora
    ways = dict[str, str]()
    for item, needed in seconds.items():
        name = item.partition("@")[0]
        totals[name] += needed
        way = way_of(item)
        ways[name] = way if ways.get(name, way) == way else ""
    longest = sorted(totals, key=lambda name: -totals[name])[:N_SHOWN]
    named = [f"{name} {rounded(totals[name])}{ways[name]}" for name in longest]
    most = f"; most of it for {', '.join(named)}" if named else ""
    share = _share_of(untrained, seconds)
    drawn = (
        f"; {rounded(share * total)} of it for {counted(len(untrained), 'network')} with random "
        f"weights (--untrained 0 leaves {'it' if len(untrained) == 1 else 'them'} out)"
    )
    stages = counted(len(needs), "stage")
    return f"about {rounded(total)} for {stages}{beside}{most}{drawn if share else ''}"


def _share_of(models: Collection[str], seconds: Mapping[str, float]) -> float:
    """Return the share of some models' stages in all seconds."""
    begins = tuple(f"{model}-" for model in models)  # a corpus follows
    own = sum(
        needed
        for item, needed in seconds.items()
        if f"{item.partition('@')[2]}-".startswith(begins)
    )
    return own / max(sum(seconds.values()), 1e-9)

"""Order and duration of stages that run side by side."""

import heapq
from collections.abc import Collection, Mapping
from dataclasses import dataclass

UNKNOWN = 1.0  # seconds of a stage that never ran
Needs = Mapping[str, Collection[str]]
"""By stage, the stages to run before."""


@dataclass(frozen=True)
class Schedule:
    """The run of some stages by a number of jobs."""

    seconds: float
    """From the first start to the last end."""
    last_chain: list[str]
    """The chain of stages up to the last end: a stage starts when the stage before ends."""


def longest_chains(
    seconds: Mapping[str, float], needs: Mapping[str, Collection[str]]
) -> dict[str, float]:
    """Return the seconds from the start of a stage to the end of all dependent stages, by stage.

    Args:
        seconds: The time of a stage; a missing stage counts `UNKNOWN`.
        needs: For a stage, the stages before.
    """
    users: dict[str, list[str]] = {stage: [] for stage in needs}
    for stage, needed in needs.items():
        for name in needed:
            if name in users:
                users[name].append(stage)
    chains = dict[str, float]()

    def measure(stage: str) -> float:
        if stage not in chains:
            after = max((measure(user) for user in users[stage]), default=0.0)
            chains[stage] = seconds.get(stage, UNKNOWN) + after
        return chains[stage]

    for stage in needs:
        measure(stage)
    return chains


def in_order(needs: Needs) -> list[str]:
    """Return the stages of `needs`, every stage after those that it needs."""
    order = dict[str, None]()

    def take(stage: str) -> None:
        if stage not in order:
            for name in needs[stage]:
                if name in needs:
                    take(name)
            order[stage] = None

    for stage in needs:
        take(stage)
    return [*order]


def earliest_turns(ranks: Mapping[str, int], needs: Needs) -> dict[str, int]:
    """Return the ranks of the stages: their own, or the smaller rank of a dependent stage.

    A stage without a rank, and without a ranked dependent, comes last.
    """
    last = max(ranks.values(), default=0) + 1 if ranks else 0
    turns = {stage: ranks.get(stage, last) for stage in needs}
    for stage in reversed(in_order(needs)):
        for name in needs[stage]:
            if name in turns:
                turns[name] = min(turns[name], turns[stage])
    return turns


def schedule(
    seconds: Mapping[str, float],
    needs: Mapping[str, Collection[str]],
    jobs: int,
    running: Mapping[str, float] | None = None,
) -> Schedule:
    """Return the time of the stages of `needs` with `jobs` jobs, the longest chain first.

    Args:
        seconds: The time of a stage.
        needs: For a remaining stage, the stages before; missing stages are done.
        jobs: Number of jobs at once.
        running: Running stages of `needs`, with the seconds since the start.
    """
    passed = running or {}
    chains = longest_chains(seconds, needs)
    ends = dict[str, float]()
    before: dict[str, str | None] = {}
    now, at_work = 0.0, list[tuple[float, str]]()
    for stage, since in passed.items():
        before[stage] = None
        heapq.heappush(at_work, (max(0.0, seconds.get(stage, UNKNOWN) - since), stage))
    waiting = sorted(set(needs) - set(passed), key=lambda stage: (-chains[stage], stage))
    last: str | None = None
    while waiting or at_work:
        for stage in [name for name in waiting if _is_ready(needs[name], needs, ends)]:
            if len(at_work) >= jobs:
                break
            waiting.remove(stage)
            before[stage] = last
            heapq.heappush(at_work, (now + seconds.get(stage, UNKNOWN), stage))
        now, last = heapq.heappop(at_work)
        ends[last] = now
    return Schedule(now, _chain(last, before))


def _is_ready(needed: Collection[str], left: Collection[str], ends: Collection[str]) -> bool:
    return all(name in ends or name not in left for name in needed)


def _chain(last: str | None, before: Mapping[str, str | None]) -> list[str]:
    chain = list[str]()
    while last is not None:
        chain.insert(0, last)
        last = before[last]
    return chain

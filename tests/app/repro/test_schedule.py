"""Known makespans of small graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embspace.app.repro.schedule import (
    UNKNOWN,
    earliest_turns,
    in_order,
    longest_chains,
    schedule,
)

# a and b are free; c needs both; d is free.
NEEDS: dict[str, set[str]] = {"a": set(), "b": set(), "c": {"a", "b"}, "d": set()}
SECONDS = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}


def test_a_chain_is_a_stage_and_the_longest_of_what_waits_for_it():
    assert longest_chains(SECONDS, NEEDS) == {"a": 5, "b": 3, "c": 2, "d": 4}
    assert longest_chains({}, {"a": set()}) == {"a": UNKNOWN}


@pytest.mark.parametrize(("jobs", "seconds"), [(1, 10), (2, 6), (3, 5), (8, 5)])
def test_a_run_takes_what_its_jobs_allow(jobs: int, seconds: float):
    # With two: a and d start; b at 3; c at 4, for 2 seconds.
    assert schedule(SECONDS, NEEDS, jobs).seconds == seconds


def test_the_last_chain_is_what_made_the_run_as_long_as_it_is():
    assert schedule(SECONDS, NEEDS, 8).last_chain == ["a", "c"]
    assert schedule(SECONDS, NEEDS, 2).last_chain == ["a", "b", "c"]


def test_a_stage_that_runs_has_only_the_rest_to_go():
    assert schedule(SECONDS, NEEDS, 8, {"a": 2.0}).seconds == 4
    assert schedule({"a": 3.0}, {"a": set()}, 1, {"a": 9.0}).seconds == 0


def test_what_is_needed_but_done_is_not_waited_for():
    assert schedule(SECONDS, {"c": {"a", "b"}}, 1).seconds == 2
    assert schedule({}, {}, 3).seconds == 0


@given(st.lists(st.tuples(st.floats(0, 9), st.sets(st.integers(0, 6))), max_size=7), st.data())
def test_no_run_is_shorter_than_its_longest_chain_or_its_work(stages, data):
    seconds = {str(n): value for n, (value, _) in enumerate(stages)}
    needs = {str(n): {str(m) for m in before if m < n} for n, (_, before) in enumerate(stages)}
    jobs = data.draw(st.integers(1, 4))
    longest = max(longest_chains(seconds, needs).values(), default=0.0)
    total = sum(seconds.values())
    made = schedule(seconds, needs, jobs).seconds
    assert max(longest, total / jobs) <= made + 1e-9
    assert made <= total / jobs + longest + 1e-9  # Graham's bound


def test_a_stage_comes_behind_those_that_it_needs():
    needs = {"c": {"b"}, "b": {"a", "elsewhere"}, "a": set[str]()}
    assert in_order(needs) == ["a", "b", "c"]


def test_what_is_needed_early_has_its_turn_early():
    needs = {"a": set[str](), "b": {"a"}, "c": {"a"}, "d": {"c"}, "e": set[str]()}
    assert earliest_turns({"b": 0, "d": 2}, needs) == {"a": 0, "b": 0, "c": 2, "d": 2, "e": 3}
    assert earliest_turns({}, needs) == dict.fromkeys(needs, 0)

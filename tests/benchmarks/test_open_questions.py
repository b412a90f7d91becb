from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.open_questions import CONTESTS, Contest, bound_of, counted, page


def test_sixteen_of_two_hundred_are_what_a_twentieth_explains():
    assert bound_of(200) == 16
    assert bound_of(0) == 0


def test_worlds_are_drawn_until_there_are_enough_or_the_time_is_up():
    answers: Iterator[bool] = iter([True, False] * 20)
    row = counted(Contest("v", "w", lambda rng: next(answers)), 10, 60)
    assert (row["worlds"], row["says yes"], row["within"]) == (10, 5, "no")
    row = counted(Contest("v", "w", lambda rng: False), 10, -1)
    assert (row["worlds"], row["says yes"], row["within"]) == (1, 0, "too few")
    row = counted(Contest("v", "w", lambda rng: False), 60, 60)
    assert (row["worlds"], row["within"]) == (60, "yes")


def test_the_page_has_a_row_a_verdict():
    row = counted(Contest("a loop stands", "a walk", lambda rng: False), 2, 60)
    assert "| a loop stands | a walk |" in " ".join(page([row]).split())


@pytest.mark.parametrize(
    "contest", [one for one in CONTESTS if "island" not in one.verdict], ids=lambda one: one.verdict
)
@pytest.mark.slow
def test_a_world_has_an_answer(contest: Contest):
    assert contest.draw(np.random.default_rng(0)) in (True, False)

import numpy as np
import pytest

from embspace.measure.open_questions.opposite_texts_values import (
    Comparators,
    Course,
    course_rows,
    search_row,
    unless_at_random_weights,
)

N = 12


def course(cosine: float, n_changed: int = 1, scatter: float = 0.02) -> Course:
    smallest = cosine + scatter * np.random.default_rng(0).normal(size=N)
    cosines = np.column_stack([np.ones(N), smallest])
    return Course([["a", "b"]] * N, cosines, np.full(N, n_changed))


def beside(corpus: float = -0.1, at_random: float = 0.8) -> Comparators:
    return Comparators(np.full(N, corpus), np.tile([1.0, at_random], (N, 1)), 200, 0.95, 0)


@pytest.mark.parametrize(
    ("cosine", "at_random", "opposites", "strangers"),
    [
        (-0.6, 0.8, "yes", "yes"),
        (-0.5, 0.8, "no", "yes"),  # half of the interval is above
        (-0.3, 0.8, "no", "yes"),
        (-0.1, 0.8, "no", "no"),
        (-0.6, -0.6, "no", "no"),  # random words do as well
    ],
)
def test_verdicts_are_those_of_the_rule(
    cosine: float, at_random: float, opposites: str, strangers: str
):
    row = search_row(course(cosine), beside(at_random=at_random))
    assert (row["finds_opposites"], row["finds_strangers"]) == (opposites, strangers)
    assert row["smallest_low"] < row["smallest"] < row["smallest_high"]
    assert row["beyond_corpus"] == pytest.approx(row["smallest"] + 0.1)


def test_a_search_that_has_ended_is_held_against_as_few_random_words():
    row = search_row(course(0.9, n_changed=0), beside())
    assert row["beyond_random"] == pytest.approx(row["smallest"] - 1)


def test_what_random_weights_do_as_well_does_not_count():
    row, plain = search_row(course(-0.6), beside()), search_row(course(-0.3), beside())
    verdicts = unless_at_random_weights(row, plain)
    assert (verdicts["finds_opposites"], verdicts["finds_strangers"]) == ("yes", "no")
    assert unless_at_random_weights(row, row)["finds_opposites"] == "no"


def test_a_row_a_change_has_the_mean_over_sentences():
    rows = [*course_rows(course(0.2).cosines, beside())]
    assert [row["n_changed"] for row in rows] == [0, 1]
    assert rows[0]["cosine_low"] == rows[0]["cosine_high"] == 1
    assert rows[1]["cosine"] == pytest.approx(course(0.2).cosines[:, 1].mean())

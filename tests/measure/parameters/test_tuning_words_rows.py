"""Holds the nulls of listed words: one direction is one chance, and a list is a list."""

import numpy as np
import pytest

from embspace.measure.parameters.tuning_words_rows import (
    READS,
    Counted,
    Lists,
    Protocol,
    claim_rows,
    counted_changes,
    lists_of,
)
from tests.measure.parameters.known_tuning import (
    N_LISTED,
    N_TOKENS,
    known_tuning,
    known_vocabulary,
    one_way,
)

PROTOCOL = Protocol(
    n_tokens=20, n_random_vectors=500, level=0.95, n_turns=60, n_turned=30, n_lists=30,
    n_nearest=20, n_shown=5, seed=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def lists() -> Lists:
    vocabulary = known_vocabulary()
    is_read = vocabulary.not_of(["special"])
    return lists_of(known_tuning().embedding, vocabulary, is_read, PROTOCOL)


def test_the_list_stands_before_random_lists_of_other_words(lists: Lists) -> None:
    assert lists.members.shape == (31, N_TOKENS - 1)
    assert lists.members[0].sum() == N_LISTED
    assert not (lists.members[1:] & lists.members[0]).any()
    assert (lists.members.sum(axis=1) == N_LISTED).all()


def test_turns_keep_lengths(lists: Lists) -> None:
    turn = lists.turns[0]
    assert turn @ turn.T == pytest.approx(np.eye(len(turn)), abs=1e-5)
    assert len(lists.turns) == 60


def test_what_points_one_way_is_one_chance(lists: Lists) -> None:
    """All of them hold the same number of words, whichever way they are turned."""
    [counted, _] = counted_changes(known_tuning(3, attention_query=one_way), lists, PROTOCOL)
    counts = counted.of_turns.max(axis=-1)
    assert (np.ptp(counts, axis=1) == 0).all()
    assert len(set(counts[:, 0])) > 2


def planted(lists: Lists, group: str, *, list_high: int, turn_high: int) -> Counted:
    """Return counts in which the changes are above, and of each null as much as is asked."""
    above = int(lists.bound.max()) + 1
    of_lists = np.zeros((len(lists.members), 10, 2), dtype=np.int64)
    of_turns = np.zeros((60, 10, 2), dtype=np.int64)
    of_lists[0, :5] = above
    of_lists[1:, :list_high] = above
    of_turns[:, :turn_high] = above
    vectors = np.ones((10, 16), dtype=np.float32)
    return Counted(group, 1, vectors, np.arange(10), 10, 0.1, of_lists, of_turns)


@pytest.mark.parametrize(
    ("group", "list_high", "turn_high", "verdict"),
    [
        ("attention_key", 1, 1, "matches"),
        ("attention_key", 9, 1, "undecided"),
        ("attention_key", 1, 9, "undecided"),
        ("attention_key", 5, 5, "differs"),  # not above is absent
        ("attention_output", 1, 1, "differs"),
        ("attention_output", 9, 9, "matches"),
        ("feed_forward_value", 9, 1, "undecided"),
    ],
)
def test_verdicts_need_both_nulls(
    lists: Lists, group: str, list_high: int, turn_high: int, verdict: str
) -> None:
    counted = planted(lists, group, list_high=list_high, turn_high=turn_high)
    [row] = claim_rows([counted], lists, PROTOCOL)
    assert row["verdict"] == verdict
    assert (row["claim"] == READS) == (group == "attention_key")
    assert row["share"] == pytest.approx(0.5)


def test_groups_that_the_paper_does_not_name_have_no_claim(lists: Lists) -> None:
    assert not list(
        claim_rows([planted(lists, "feed_forward_gate", list_high=1, turn_high=1)], lists, PROTOCOL)
    )

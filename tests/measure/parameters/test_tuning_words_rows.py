"""Holds the nulls of listed words: one direction is one chance, and a list is a list."""

from dataclasses import replace

import numpy as np
import pytest

from embspace.geometry.parameters.listed_words import listed_counts
from embspace.measure.parameters.tuning_words_rows import (
    READS,
    Counted,
    Lists,
    Protocol,
    _mean,
    card_row,
    claim_rows,
    class_rows,
    counted_change,
    counted_changes,
    lists_of,
    share_row,
    word_null,
)
from tests.measure.parameters.known_tuning import (
    N_LISTED,
    N_TOKENS,
    known_tuning,
    known_vocabulary,
    one_way,
)

NAMED = [f"w{number}" for number in range(N_TOKENS - 1)]
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
    counts = counted.turn_counts.max(axis=-1)
    assert (np.ptp(counts, axis=1) == 0).all()
    assert len(set(counts[:, 0])) > 2


def planted(lists: Lists, group: str, *, list_high: int, turn_high: int) -> Counted:
    """Return counts in which the changes are above, and of each null as much as is asked."""
    above = int(lists.bound.max()) + 1
    list_counts = np.zeros((len(lists.members), 10, 2), dtype=np.int64)
    turn_counts = np.zeros((60, 10, 2), dtype=np.int64)
    list_counts[0, :5] = above
    list_counts[1:, :list_high] = above
    turn_counts[:, :turn_high] = above
    vectors = np.ones((10, 16), dtype=np.float32)
    return Counted(group, 1, vectors, np.arange(10), 10, 0.1, list_counts, turn_counts)


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


def test_every_number_of_a_share(lists: Lists) -> None:
    """Half of ten changes are above the bound, of each random list one, of each turn four."""
    counted = planted(lists, "attention_key", list_high=1, turn_high=4)
    above = int(lists.bound.max()) + 1
    row = share_row(replace(counted, n_rows=25, layer=3), lists, PROTOCOL)
    expected = {"group": "attention_key", "layer": 3, "n_vectors": 10, "n_rows": 25}
    expected |= {"relative_change": 0.1, "least_listed": int(lists.bound[0]) + 1}
    expected |= {"null_vectors": lists.null_vectors, "share": 0.5}
    assert {name: row[name] for name in expected} == expected
    for end in ("", "_low", "_high"):
        assert row[f"null_lists{end}"] == pytest.approx(0.1)
        assert row[f"null_turned{end}"] == pytest.approx(0.4 * above)
    assert row["mean_listed"] == pytest.approx(0.5 * above)
    assert row["p_value_lists"] == pytest.approx(1 / 31)
    assert row["p_value_turned"] == pytest.approx(1 / 61)
    [claim] = claim_rows([counted, replace(counted, layer=2)], lists, PROTOCOL)
    assert (claim["n_layers"], claim["n_vectors"], claim["share"]) == (2, 20, 0.5)


def test_the_larger_count_of_a_change_and_its_negation_counts() -> None:
    assert _mean(np.array([[[1, 3], [5, 2]], [[0, 0], [1, 0]]])).tolist() == [4, 0.5]


def test_the_card_is_of_the_change_with_most_words(lists: Lists) -> None:
    counted = planted(lists, "attention_key", list_high=1, turn_high=1)
    counted.list_counts[0, 3, 1] = counted.list_counts.max() + 2
    row = card_row(replace(counted, changed=np.arange(10) + 20), lists, NAMED, 3)
    assert (row["vector"], row["sign"]) == (23, "negation")
    assert row["n_listed"] == counted.list_counts.max()
    counted.list_counts[0, 3] = 0
    row = card_row(counted, lists, NAMED, 3)
    assert (row["vector"], row["sign"]) == (0, "change")  # the first of several
    assert len(row["tokens"].split()) == 3


def test_changes_are_measured_by_what_they_change(lists: Lists) -> None:
    tuned = known_tuning(attention_query=one_way)
    changes = list(counted_changes(tuned, lists, PROTOCOL))
    assert [counts.layer for counts in changes] == [2, 3]  # the first is frozen
    for counts in changes:
        before = tuned.before["attention_query"][counts.layer - 1]
        change = tuned.after["attention_query"][counts.layer - 1] - before
        share = np.linalg.norm(change) / np.linalg.norm(before)
        assert counts.relative_change == pytest.approx(share, rel=1e-5)
        assert (counts.n_rows, len(counts.vectors), len(counts.changed)) == (40, 40, 40)
        assert counts.turn_counts.shape == (60, 30, 2)


def test_classes_are_beside_random_vectors_and_their_negations(lists: Lists) -> None:
    vocabulary = known_vocabulary()
    is_read = vocabulary.not_of(["special"])
    polarities = {name: vocabulary.of(name)[is_read] for name in ("positive", "negative")}
    rows = list(class_rows(known_tuning(), lists, polarities, NAMED, PROTOCOL))
    own = [row for row in rows if row["reading"] == "own"]
    assert [row["polarity"] for row in own] == ["positive", "negative"] * 2
    words = np.stack([*polarities.values()])
    drawn = listed_counts(lists.random, lists.embedding, words, n_tokens=20)
    for row, null in zip(own, [*drawn, *drawn], strict=True):
        assert row["null_listed"] == pytest.approx(null.mean())
        larger = (null >= row["n_listed"]).sum()
        assert row["p_value"] == pytest.approx((1 + larger) / (1 + null.size))


def test_changes_toward_other_words_are_what_other_words_are(lists: Lists) -> None:
    vectors = lists.embedding[N_LISTED : N_LISTED + 60] - lists.embedding.mean(axis=0)
    before = np.zeros_like(vectors)
    change = counted_change(
        "feed_forward_value", 1, before + 1, before + 1 + vectors, lists, PROTOCOL
    )
    assert change is not None
    null = word_null([change], lists, PROTOCOL, n_words=200, n_draws=99)
    assert null.min() <= _mean(change.list_counts[0]) <= null.max() and np.ptp(null) > 0


def test_changes_of_one_word_are_one_chance_among_words(lists: Lists) -> None:
    one = np.repeat(lists.embedding[[N_LISTED]], 40, axis=0)
    many = lists.embedding[N_LISTED : N_LISTED + 40]
    spreads = []
    for vectors in (one, many):
        change = counted_change("feed_forward_value", 1, vectors, 2 * vectors, lists, PROTOCOL)
        assert change is not None
        null = word_null([change], lists, PROTOCOL, n_words=200, n_draws=99)
        spreads.append(null.std())
    assert spreads[0] > 2 * spreads[1]

import numpy as np
import pandas as pd
import pytest

from embspace.measure.sentences.synonym_slots import COLUMNS, frames_of, slot_table
from tests.measure.planted_synonyms import (
    other_rows,
    rotation,
    slot_rows,
    stimuli,
    synonym_table,
)


def table(rows: pd.DataFrame, x: np.ndarray, words: list[list[int]] | None = None) -> pd.DataFrame:
    return slot_table(
        stimuli(rows, x, words=words),
        n_half_samples=30,
        level=0.9,
        generator=np.random.default_rng(0),
    )


def additive(rows: pd.DataFrame, dim: int = 12, seed: int = 0) -> np.ndarray:
    """A place for the frame, and for each slot's word a step of its own; others at random."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1, len(rows), dim))
    for _, group in rows[rows["kind"] == "slots"].groupby("group"):
        slots = np.stack(group["slots"].tolist())
        steps = rng.normal(size=(slots.shape[1], 3, dim))
        x[0, group.index] = 9 * rng.normal(size=dim) + sum(
            steps[slot, slots[:, slot]] for slot in range(slots.shape[1])
        )
    return x


def test_pairs_of_a_complete_frame_by_the_number_of_changes():
    frames = frames_of(pd.concat([slot_rows("one"), slot_rows("two")], ignore_index=True))
    assert frames.pairs.sum(axis=(2, 3)).tolist() == [[27, 81, 162, 108]] * 2
    assert not frames.pairs[:, :, :27, 27:].any()


def test_sentences_of_equal_slots_are_no_pair_of_different_ones():
    doubled = pd.concat([slot_rows("one"), slot_rows("one")], ignore_index=True)
    assert frames_of(doubled).pairs[0, 0].sum() == 54


def test_squared_distance_grows_with_the_changes_where_words_add_up():
    slots = table(synonym_table(), additive(synonym_table())).query("pooling == 'cls'")
    some = slots[slots["n_changed"] > 0]
    assert some["additivity"].tolist() == pytest.approx([1] * len(some), abs=1e-5)


def test_rows_are_numbered_through_both_poolings():
    slots = table(synonym_table(), additive(synonym_table()))
    assert slots["pooling"].nunique() > 1 and slots.index.tolist() == list(range(len(slots)))


def test_words_that_act_together_do_not_add_up():
    rows = slot_rows("one")
    slots = np.stack(rows["slots"].tolist())
    # All that a second change does was done by the first: a sentence is changed or is not.
    x = np.random.default_rng(0).normal(size=(1, 27, 400))
    additivity = table(rows, x).query("pooling == 'cls'").set_index("n_changed")["additivity"]
    assert additivity[2] == pytest.approx(1 / 2, abs=0.05)
    assert additivity[3] == pytest.approx(1 / 3, abs=0.05)
    # Steps along one line, each word further: mean squares still add up, of all pairs.
    line = slots.sum(axis=1).astype(float)[np.newaxis, :, np.newaxis] * np.ones(3)
    additivity = table(rows, line).query("pooling == 'cls'").set_index("n_changed")["additivity"]
    assert additivity[3] == pytest.approx(1)


def test_a_sentence_has_no_distance_from_itself():
    slots = table(synonym_table(), additive(synonym_table()))
    own = slots[slots["n_changed"] == 0]
    assert (own["euclidean_distance"] == 0).all()
    assert (own["cosine"] == 1).all()
    assert (own["relative_distance"] == 0).all()
    assert own["additivity"].isna().all()


def test_a_bag_of_words_changes_by_two_squares_a_word():
    rows = pd.concat([slot_rows("one"), slot_rows("two")], ignore_index=True)
    words = [
        [1000 * (row.group == "two") + 10 * slot + word for slot, word in enumerate(row.slots)]
        for row in rows.itertuples()
    ]
    slots = table(rows, np.ones((1, 54, 3)), words).query("pooling == 'bag_of_words'")
    for row in slots.itertuples():
        assert row.euclidean_distance == pytest.approx((2 * row.n_changed) ** 0.5)
        assert row.cosine == pytest.approx(1 - row.n_changed / 3)
        # Two frames share no word: six words are not in both.
        assert row.relative_distance == pytest.approx((row.n_changed / 3) ** 0.5)


def test_all_is_the_mean_of_the_frames_and_has_all_pairs():
    slots = table(synonym_table(), additive(synonym_table())).query("pooling == 'max'")
    by_group = slots.pivot(index="n_changed", columns="group", values="euclidean_distance")
    assert np.allclose(by_group["all"], by_group[["one", "two"]].mean(axis=1))
    assert slots.query("group == 'all'")["n_pairs"].tolist() == [54, 162, 324, 216]
    assert list(slots) == COLUMNS


def test_one_frame_has_no_mean_and_no_relative_distance():
    slots = table(slot_rows("one"), additive(slot_rows("one")))
    assert set(slots["group"]) == {"one"}
    assert slots["relative_distance"].isna().all()


def test_rotation_changes_nothing():
    rows = synonym_table()
    x = additive(rows)
    first, second = table(rows, x), table(rows, x @ rotation(12))
    columns = ["cosine", "euclidean_distance", "relative_distance", "additivity", "cosine_low"]
    assert np.allclose(first[columns], second[columns], atol=1e-5, equal_nan=True)


def test_no_frame_or_nothing_read_gives_an_empty_table():
    nothing = table(other_rows("three", "paraphrases", 6), np.ones((1, 6, 3)))
    unread = table(synonym_table(), np.ones((1, 0, 3)), words=[])
    for empty in (nothing, unread):
        assert list(empty) == COLUMNS
        assert empty.empty

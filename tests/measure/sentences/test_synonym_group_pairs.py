import numpy as np
import pytest

from embspace.measure.sentences.synonym_group_pairs import COLUMNS, group_pair_table, n_pairs
from embspace.measure.sentences.synonym_groups import sentences_of
from embspace.measure.sentences.synonym_vectors import codes
from tests.measure.planted_synonyms import at_corners, paraphrase_table, stimuli, synonym_table


def table(x: np.ndarray):
    paraphrases = paraphrase_table()
    given = sentences_of(
        stimuli(synonym_table(), x, words=[[1]] * 70),
        stimuli(paraphrases, np.ones((1, 24, 4)), words=[[1]] * 24),
    )
    return group_pair_table(
        given[1], n_half_samples=20, level=0.9, generator=np.random.default_rng(0)
    )


def test_each_pair_of_groups_once_with_the_number_of_its_pairs():
    found = table(at_corners(codes(synonym_table()["group"]))).query("pooling == 'cls'")
    assert list(found) == COLUMNS
    assert len(found) == 5 * 6 / 2
    own = found[found["group_1"] == found["group_2"]].set_index("group_1")
    assert own["n_pairs"].to_dict() == {
        "one": 351,
        "two": 351,
        "three": 15,
        "random_characters": 10,
        "random_words": 10,
    }
    assert found["n_pairs"].sum() == 70 * 69 / 2
    assert n_pairs(np.array([27, 6]), 0, 1) == 162


def test_planted_groups_are_alike_in_themselves_and_not_with_others():
    label = codes(synonym_table()["group"])
    label[label == 4] = 3  # the random groups at one place
    found = table(at_corners(label)).query("pooling == 'mean'")
    groups = found[["group_1", "group_2"]].to_numpy(object)
    alike = [a == b or (a, b) == ("random_characters", "random_words") for a, b in groups]
    assert found["cosine"].tolist() == pytest.approx(np.array(alike) * 1.0)
    assert found["euclidean_distance"].tolist() == pytest.approx(~np.array(alike) * 2**0.5)
    assert (found["cosine_low"] == found["cosine_high"]).all()


def test_means_by_hand_and_intervals_around_them():
    x = at_corners(codes(synonym_table()["group"]), 0.5)
    found = table(x).query("pooling == 'max' and group_1 == 'three' and group_2 == 'random_words'")
    unit = x[0] / np.linalg.norm(x[0], axis=1, keepdims=True)
    expected = (unit[54:60] @ unit[65:].T).mean()
    assert found["cosine"].item() == pytest.approx(expected, abs=1e-6)
    assert found["cosine_low"].item() < expected < found["cosine_high"].item()


def test_a_model_that_reads_nothing_has_an_empty_table():
    nothing = stimuli(synonym_table(), np.ones((2, 0, 4)), words=[])
    sets = sentences_of(nothing, stimuli(paraphrase_table(), np.ones((2, 0, 4)), words=[]))
    found = group_pair_table(
        sets[1], n_half_samples=5, level=0.9, generator=np.random.default_rng(0)
    )
    assert list(found) == COLUMNS
    assert found.empty

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import silhouette_score

from embspace.measure.sentences.synonym_groups import (
    COLUMNS,
    PAIR_COLUMNS,
    Sentences,
    group_pair_table,
    group_statistic,
    group_table,
    n_pairs,
    sentences_of,
)
from embspace.measure.sentences.synonym_vectors import codes
from tests.measure.planted_synonyms import (
    at_corners,
    paraphrase_table,
    rotation,
    stimuli,
    synonym_table,
)

SETTINGS = {"n_half_samples": 30, "n_shuffles": 39, "level": 0.9}


def sets(spread: float = 0.0, turn: np.ndarray | None = None) -> list[Sentences]:
    synonyms, paraphrases = synonym_table(), paraphrase_table()
    x = at_corners(codes(synonyms["group"]), spread)
    y = at_corners(codes(paraphrases["meaning"]), spread, seed=1)
    if turn is not None:
        x, y = x @ turn, y @ turn
    same_words = [[number] for number in codes(synonyms["group"])]
    other_words = [[number] for number in range(len(paraphrases))]
    return sentences_of(
        stimuli(synonyms, x, words=same_words), stimuli(paraphrases, y, words=other_words)
    )


def table(given: list[Sentences], seed: int = 0) -> pd.DataFrame:
    return group_table(given, **SETTINGS, generator=np.random.default_rng(seed))


@pytest.fixture(scope="module")
def planted() -> pd.DataFrame:
    return table(sets()).set_index(["sentences", "pooling"])


def test_planted_groups_are_found_whole(planted: pd.DataFrame):
    trained = planted.drop("bag_of_words", level="pooling")
    for column in ("within_cosine", "silhouette", "purity", "nearest_in_group"):
        assert trained[column].tolist() == pytest.approx([1] * 9)
    assert trained["between_cosine"].tolist() == pytest.approx([0] * 9)
    assert trained["between_euclidean_distance"].tolist() == pytest.approx([2**0.5] * 9)
    assert trained["within_euclidean_distance"].tolist() == pytest.approx([0] * 9)
    assert (trained["silhouette_p_value"] == 1 / 40).all()
    assert (trained["within_minus_between_cosine_p_value"] == 1 / 40).all()


def test_three_sets_with_their_numbers(planted: pd.DataFrame):
    numbers = planted.xs("cls", level="pooling")[["n", "n_groups"]].to_numpy().tolist()
    assert planted.index.unique("sentences").tolist() == ["groups", "groups_and_random", "meanings"]
    assert numbers == [[60, 3], [70, 5], [24, 8]]
    assert list(planted.reset_index()) == COLUMNS


def test_a_bag_of_words_finds_groups_of_one_frame_and_no_meaning(planted: pd.DataFrame):
    bag = planted.xs("bag_of_words", level="pooling")
    assert bag.loc["groups", ["purity", "silhouette", "nearest_in_group"]].tolist() == [1, 1, 1]
    assert bag.loc["meanings", "within_cosine"] == 0
    assert bag.loc["meanings", "silhouette"] == 0
    assert bag.loc["meanings", "silhouette_p_value"] == 1
    assert bag.loc["meanings", "nearest_in_group"] == pytest.approx(2 / 23)
    assert bag["random_weights_silhouette"].isna().all()


def test_random_weights_know_no_group(planted: pd.DataFrame):
    trained = planted.drop("bag_of_words", level="pooling")
    assert (trained["random_weights_silhouette"] < 0.05).all()
    assert (trained["random_weights_purity"] < 0.7).all()


def test_rotation_changes_nothing():
    first, second = table(sets(0.2)), table(sets(0.2, rotation(16)))
    numbers = first.select_dtypes("number").columns
    trained = [name for name in numbers if not name.startswith("random_weights")]
    assert np.allclose(first[trained], second[trained], atol=1e-6, equal_nan=True)


def test_the_silhouette_is_scikit_learns():
    given = sets(0.4)
    groups = table(given).query("sentences == 'groups_and_random' and pooling == 'cls'")
    x, label = given[1].vectors[0].trained[0], given[1].label
    expected = silhouette_score(x, label, metric="cosine")
    assert groups["silhouette"].item() == pytest.approx(expected, abs=1e-6)


def test_the_value_lies_in_its_interval_also_where_groups_are_of_odd_size():
    groups = table(sets(0.4)).query("pooling == 'cls'")
    for quantity in ("within_cosine", "between_cosine", "silhouette", "nearest_in_group"):
        assert (groups[f"{quantity}_low"] <= groups[quantity] + 1e-9).all(), quantity
        assert (groups[quantity] <= groups[f"{quantity}_high"] + 1e-9).all(), quantity
    assert (groups["silhouette_high"] - groups["silhouette_low"] > 1e-4).all()


def test_one_place_for_all_is_no_group():
    synonyms, paraphrases = synonym_table(), paraphrase_table()
    given = sentences_of(
        stimuli(synonyms, np.ones((1, 70, 5))), stimuli(paraphrases, np.ones((1, 24, 5)))
    )
    groups = table(given).query("pooling == 'cls'").set_index("sentences")
    assert groups["silhouette"].tolist() == [0, 0, 0]
    assert groups["within_minus_between_cosine"].tolist() == [0, 0, 0]
    assert groups["silhouette_p_value"].tolist() == [1, 1, 1]
    assert groups["within_minus_between_cosine_p_value"].tolist() == [1, 1, 1]
    assert groups["purity"].tolist() == pytest.approx([27 / 60, 27 / 70, 1 / 8])
    assert groups.loc["meanings", "nearest_in_group"] == pytest.approx(2 / 23)


def test_p_values_are_uniform_where_labels_mean_nothing():
    rng = np.random.default_rng(0)
    p_values: dict[str, list[float]] = {"silhouette": [], "within_minus_between_cosine": []}
    paraphrases = paraphrase_table(4, 5)
    for seed in range(10):
        x = rng.normal(size=(10, 20, 6))
        given = stimuli(paraphrases, x)
        meanings = sentences_of(stimuli(synonym_table(), np.ones((1, 70, 5))), given)[2]
        one = [replace(meanings, vectors=meanings.vectors[:1])]
        settings = {"n_half_samples": 1, "n_shuffles": 39, "level": 0.9}
        groups = group_table(one, **settings, generator=np.random.default_rng(seed))
        for quantity, values in p_values.items():
            values += groups[f"{quantity}_p_value"].tolist()
    for values in p_values.values():
        assert np.mean(values) == pytest.approx(0.5, abs=0.09)  # three standard errors
        assert np.mean(np.array(values) <= 0.25) == pytest.approx(0.25, abs=0.13)


def test_meanings_are_in_or_out_as_a_whole():
    meanings = sets(0.4)[2]
    statistic = group_statistic(meanings.vectors[0].trained, meanings)
    some = statistic(np.array([0, 1, 5]))
    rows = np.flatnonzero(np.isin(meanings.label, [0, 1, 5]))
    x = meanings.vectors[0].trained[0][rows].astype(np.float64)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    same = meanings.label[rows][:, None] == meanings.label[rows]
    within = (unit @ unit.T)[same & ~np.eye(9, dtype=bool)].mean()
    assert some[0, 0] == pytest.approx(within)
    assert some[1, 0] == pytest.approx((unit @ unit.T)[~same].mean())


def test_groups_weigh_as_in_the_whole_whichever_sentences_are_in():
    everywhere = stimuli(synonym_table(), np.ones((1, 70, 5)))
    groups = sentences_of(everywhere, stimuli(paraphrase_table(), np.ones((1, 24, 5))))[0]
    statistic = group_statistic(groups.vectors[0].trained, groups)
    # All are nearest to all, so that a sentence's share is that of its group: 26, 26 and 5 of 59.
    expected = (2 * 27 * 26 + 6 * 5) / (60 * 59)
    for rows in (np.arange(60), np.array([0, 1, 27, 54, 55, 56, 57])):
        assert statistic(rows)[-1, 0] == pytest.approx(expected)


def test_a_model_that_reads_nothing_has_an_empty_table():
    nothing = np.ones((3, 0, 4))
    given = sentences_of(
        stimuli(synonym_table(), nothing, words=[]), stimuli(paraphrase_table(), nothing, words=[])
    )
    groups = table(given)
    assert list(groups) == COLUMNS
    assert groups.empty


def pair_table(x: np.ndarray):
    paraphrases = paraphrase_table()
    given = sentences_of(
        stimuli(synonym_table(), x, words=[[1]] * 70),
        stimuli(paraphrases, np.ones((1, 24, 4)), words=[[1]] * 24),
    )
    return group_pair_table(
        given[1], n_half_samples=20, level=0.9, generator=np.random.default_rng(0)
    )


def test_each_pair_of_groups_once_with_the_number_of_its_pairs():
    pairs = pair_table(at_corners(codes(synonym_table()["group"]))).query("pooling == 'cls'")
    assert list(pairs) == PAIR_COLUMNS
    assert len(pairs) == 5 * 6 / 2
    own = pairs[pairs["group_1"] == pairs["group_2"]].set_index("group_1")
    assert own["n_pairs"].to_dict() == {
        "one": 351,
        "two": 351,
        "three": 15,
        "random_characters": 10,
        "random_words": 10,
    }
    assert pairs["n_pairs"].sum() == 70 * 69 / 2
    assert n_pairs(np.array([27, 6]), 0, 1) == 162


def test_planted_groups_are_alike_in_themselves_and_not_with_others():
    label = codes(synonym_table()["group"])
    label[label == 4] = 3  # the random groups at one place
    pairs = pair_table(at_corners(label)).query("pooling == 'mean'")
    groups = pairs[["group_1", "group_2"]].to_numpy(object)
    alike = [a == b or (a, b) == ("random_characters", "random_words") for a, b in groups]
    assert pairs["cosine"].tolist() == pytest.approx(np.array(alike) * 1.0)
    assert pairs["euclidean_distance"].tolist() == pytest.approx(~np.array(alike) * 2**0.5)
    assert (pairs["cosine_low"] == pairs["cosine_high"]).all()


def test_means_by_hand_and_intervals_around_them():
    x = at_corners(codes(synonym_table()["group"]), 0.5)
    pairs = pair_table(x).query(
        "pooling == 'max' and group_1 == 'three' and group_2 == 'random_words'"
    )
    unit = x[0] / np.linalg.norm(x[0], axis=1, keepdims=True)
    expected = (unit[54:60] @ unit[65:].T).mean()
    assert pairs["cosine"].item() == pytest.approx(expected, abs=1e-6)
    assert pairs["cosine_low"].item() < expected < pairs["cosine_high"].item()


def test_a_model_that_reads_nothing_has_no_pair_of_groups():
    nothing = stimuli(synonym_table(), np.ones((2, 0, 4)), words=[])
    sets = sentences_of(nothing, stimuli(paraphrase_table(), np.ones((2, 0, 4)), words=[]))
    pairs = group_pair_table(
        sets[1], n_half_samples=5, level=0.9, generator=np.random.default_rng(0)
    )
    assert list(pairs) == PAIR_COLUMNS
    assert pairs.empty

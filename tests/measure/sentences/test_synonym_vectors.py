import numpy as np
import pandas as pd
import pytest

from embspace.geometry.inference.resampling import Interval
from embspace.measure.sentences import synonym_vectors
from embspace.measure.sentences.synonym_vectors import (
    bag_of_words,
    codes,
    cosines_of,
    distances_of,
    estimate_names,
    estimate_table,
    vectors_of,
)
from embspace.measure.tables.deviations import UNITS
from tests.measure.planted_synonyms import paraphrase_table, stimuli


def tokens(sentences: list[str]) -> pd.DataFrame:
    """Letters as words, between special tokens that are the same in all."""
    rows = [
        (window, ord(letter), letter in "[]")
        for window, sentence in enumerate(sentences)
        for letter in f"[{sentence}]"
    ]
    return pd.DataFrame(rows, columns=["window", "id", "special"])


def test_a_bag_of_words_counts_by_hand():
    counts = bag_of_words(tokens(["abca", "cc", ""]), 3)
    assert counts.tolist() == [[2, 1, 1], [0, 0, 2], [0, 0, 0]]


def test_a_bag_of_words_knows_no_order_and_no_meaning():
    counts = bag_of_words(tokens(["abc", "cba", "def", "ab"]), 4)[np.newaxis]
    cosine = cosines_of(counts)[0]
    assert cosine[0, 1] == 1
    assert cosine[0, 2] == 0
    assert cosine[0, 3] == pytest.approx(2 / 6**0.5)
    assert distances_of(counts)[0][0, [1, 2, 3]] == pytest.approx([0, 6**0.5, 1])


def test_equal_vectors_are_exactly_alike():
    row = np.random.default_rng(0).normal(size=384).astype(np.float32)
    same = np.tile(row, (1, 40, 1))
    assert (cosines_of(same) == 1).all()
    assert (distances_of(same) == 0).all()


def test_poolings_come_in_order_and_the_bag_of_words_last():
    vectors = vectors_of(stimuli(paraphrase_table(2), np.ones((4, 6, 3))))
    assert [pooled.pooling for pooled in vectors] == ["cls", "mean", "max", "bag_of_words"]
    assert [len(pooled.trained) for pooled in vectors] == [4, 4, 4, 1]
    assert vectors[-1].random_weights is None
    part = vectors[0].of(np.array([1, 5]))
    assert part.trained.shape == (4, 2, 3)
    assert part.random_weights is not None
    assert part.random_weights.shape == (4, 2, 3)


def test_a_model_that_reads_nothing_has_no_vectors():
    assert vectors_of(stimuli(paraphrase_table(2), np.ones((4, 0, 3)), words=[])) == []


def test_codes_follow_the_order_of_the_rows():
    assert codes(pd.Series(["b", "a", "b", "c"])).tolist() == [0, 1, 0, 2]


def test_a_table_has_a_row_a_combination_and_bounds_stay_in_range(monkeypatch: pytest.MonkeyPatch):
    values = np.array([[[0.1, 0.2], [0.3, 0.4]], [[1.0, 2.0], [3.0, 4.0]]])
    interval = Interval(values - 0.2, values + 0.8, np.stack([values, -values]))
    monkeypatch.setattr(synonym_vectors, "stratified_interval", lambda *_, **__: interval)
    table = estimate_table(
        {"kind": ["a", "b"], "layer": [0, 1]},
        ["auc", "free"],
        [lambda units: values],
        np.zeros(4, dtype=np.int64),
        n_half_samples=2,
        level=0.9,
        generator=np.random.default_rng(0),
    )
    columns = ["kind", "layer", *estimate_names(["auc", "free"])]
    assert set(table) == set(columns) - {*UNITS}
    assert table["auc"].tolist() == [0.1, 0.2, 0.3, 0.4]
    assert table["auc_low"].tolist() == pytest.approx([0, 0, 0.1, 0.2])
    assert table["auc_high"].tolist() == pytest.approx([0.9, 1, 1, 1])
    assert table.query("kind == 'b' and layer == 0")["free_high"].item() == 3.8
    assert table["random_weights_free"].isna().all()
    assert table["auc_deviations"].iloc[1].tolist() == pytest.approx([0.2, -0.2])


@pytest.mark.parametrize("name", ["auc", "nearest_in_group", "silhouette"])
def test_no_bound_lies_beyond_what_a_quantity_can_be(name: str, monkeypatch: pytest.MonkeyPatch):
    values = np.full((1, 1, 1), 0.5)
    interval = Interval(values - 9, values + 9, np.stack([values, -values]))
    monkeypatch.setattr(synonym_vectors, "stratified_interval", lambda *_, **__: interval)
    table = estimate_table(
        {"layer": [0]},
        [name],
        [lambda units: values],
        np.zeros(4, dtype=np.int64),
        n_half_samples=2,
        level=0.9,
        generator=np.random.default_rng(0),
    )
    assert table[f"{name}_low"].item() == (-1 if name == "silhouette" else 0)
    assert table[f"{name}_high"].item() == 1

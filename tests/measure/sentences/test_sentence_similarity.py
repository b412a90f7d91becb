import numpy as np
import pandas as pd
import pytest

from embspace.measure.sentences.sentence_similarity import (
    PooledStates,
    largest_cosines,
    measure_sentence_similarity,
)

VECTORS = np.array([[1.0, 0.0], [3.0, 4.0], [0.0, -2.0], [2.0, 0.0]], dtype=np.float32)
WINDOWS = pd.DataFrame({"text": ["a", "b", "b", "c"], "window": [0, 0, 1, 0]})


def states(*layers: np.ndarray) -> PooledStates:
    stacked = np.stack(layers)
    return PooledStates({"mean": stacked, "max": stacked[:, ::-1]}, WINDOWS)


def inputs(*, is_empty: bool) -> dict[str, dict[str, PooledStates]]:
    """Return two corpora, or one of a window alone."""
    if is_empty:
        return {"corpora": {"one": PooledStates({"mean": VECTORS[None, :1]}, WINDOWS[:1])}}
    return {"corpora": {"one": states(VECTORS, VECTORS[::-1].copy()), "two": states(VECTORS)}}


def measured(n_listed: int = 10) -> pd.DataFrame:
    table: pd.DataFrame = measure_sentence_similarity(**inputs(is_empty=False), n_listed=n_listed)[
        "csv"
    ]
    return table


def test_measures_of_a_pair_by_hand():
    table = measured()
    first = table[(table["corpus"] == "two") & (table["pooling"] == "mean")]
    pair = first[(first["first"] == "a") & (first["second"] == "b")].iloc[0]
    assert pair["cosine"] == pytest.approx(0.6)
    assert pair["euclidean_distance"] == pytest.approx(20**0.5)
    assert pair["unit_manhattan_distance"] == pytest.approx(0.4 + 0.8)


def test_pairs_come_in_the_order_of_their_cosine():
    for _, rows in measured().groupby(["corpus", "pooling", "layer"]):
        assert rows["rank"].tolist() == [1, 2, 3, 4, 5]
        assert (rows["n_pairs"] == 5).all()
        assert rows["cosine"].is_monotonic_decreasing
    assert measured().iloc[0][["first", "second"]].tolist() == ["a", "c"]


def test_every_corpus_layer_and_pooling_has_its_pairs_and_no_more():
    table = measured(n_listed=2)
    sizes = table.groupby(["corpus", "pooling", "layer"]).size()
    assert sizes.to_dict() == {
        (corpus, pooling, layer): 2
        for corpus, layers in (("one", 2), ("two", 1))
        for pooling in ("max", "mean")
        for layer in range(layers)
    }


def test_two_windows_of_one_text_are_no_pair():
    table = measured()
    assert not ((table["first"] == "b") & (table["second"] == "b#1")).any()


def test_pairs_of_one_text_take_no_place_in_the_list():
    vectors = np.array([[1.0, 0.0], [1.0, 0.01], [0.0, 1.0]], dtype=np.float32)
    windows = pd.DataFrame({"text": ["a", "a", "b"], "window": [0, 1, 0]})
    states = PooledStates({"mean": vectors[None]}, windows)
    table = measure_sentence_similarity({"one": states}, n_listed=2)["csv"]
    assert table[["first", "second"]].to_numpy().tolist() == [["a#1", "b"], ["a", "b"]]


def test_a_second_window_of_a_text_is_named():
    assert set(measured()["second"]) | set(measured()["first"]) == {"a", "b", "b#1", "c"}


def test_blocks_change_nothing_and_brute_force_agrees(monkeypatch):
    from embspace.measure.sentences import sentence_similarity

    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 5))
    x /= np.linalg.norm(x, axis=1)[:, None]
    text = np.repeat(np.arange(20), 3)
    pairs = [(i, j) for i in range(60) for j in range(i + 1, 60) if text[i] != text[j]]
    expected = sorted(pairs, key=lambda pair: -(x[pair[0]] @ x[pair[1]]))[:25]
    for rows in (7, 512):
        monkeypatch.setattr(sentence_similarity, "BLOCK_ROWS", rows)
        cosine, i, j = sentence_similarity.largest_cosines(x, text, 25)
        assert list(zip(i, j, strict=True)) == expected
        assert np.allclose(cosine, [x[a] @ x[b] for a, b in expected])


def test_a_text_of_many_windows_is_no_burden():
    windows = pd.DataFrame({"text": ["book"] * 900 + ["note"], "window": [*range(900), 0]})
    vectors = np.random.default_rng(0).normal(size=(1, 901, 8)).astype(np.float32)
    states = PooledStates({"mean": vectors}, windows)
    table = measure_sentence_similarity({"one": states}, n_listed=3)["csv"]
    assert len(table) == 3
    assert (table["n_pairs"] == 900).all()


def test_ties_go_to_the_first_pairs_and_each_is_listed_once():
    cosine, first, second = largest_cosines(np.eye(5), np.arange(5), 6)
    assert cosine.tolist() == [0] * 6
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3)]


def test_more_pairs_asked_for_than_there_are_is_all_pairs():
    x = np.random.default_rng(0).normal(size=(6, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    all_pairs = sorted((x @ x.T)[np.triu_indices(6, 1)], reverse=True)
    for n_listed in range(1, 36):  # one block has 36 cells, 15 of which are pairs
        cosine, *_ = largest_cosines(x, np.arange(6), n_listed)
        assert cosine == pytest.approx(all_pairs[:n_listed])


def test_vectors_alone_whose_states_have_no_dimension_give_an_empty_table():
    nothing = PooledStates({"mean": np.empty((2, 0, 0), np.float32)}, WINDOWS[:0])
    table = measure_sentence_similarity({"one": nothing}, n_listed=5)["csv"]
    assert table.empty and {*table} == {*measured()}

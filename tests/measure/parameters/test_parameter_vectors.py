"""`measure_parameter_vectors`: a planted topic is read, shuffled parameters read nothing."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.parameters.parameter_vectors import (
    _measured,
    _moments,
    _Numbers,
    _read,
    _Reading,
    _readings,
    measure_parameter_vectors,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.masked_head import HeadTransform
from tests.analyses import settings_of
from tests.measure.parameters.spaces import DIM, TOPICS, embedding, module_with, space_of, topic
from tests.models.parameters.tiny import TOKENS

FEW: dict[str, Any] = {"k": 5, "n_coherent": 1, "n_random": 1, "n_shuffles": 3, "n_shuffled": 40}
# Vectors that are shown are drawn.
DECIDED_BY_SEED = ("shuffled_mean", "shuffled_smallest", "shuffled_largest", "vector", "head")
DECIDED_BY_SEED += ("coherence", "tokens", "opposite_tokens")


def inputs(*, is_empty: bool) -> dict[str, VocabularySpace]:
    architecture = "FunnelModel"
    return {
        "space": VocabularySpace(None, architecture, []) if is_empty else space_of(module_with())
    }


def measured(space: VocabularySpace | None = None, **change: Any) -> dict[str, Any]:
    settings = settings_of(measure_parameter_vectors, **FEW | change)
    return measure_parameter_vectors(space or space_of(module_with()), **settings)


def card(cards: pd.DataFrame, **of: Any) -> dict[str, Any]:
    for column, value in of.items():
        cards = cards[cards[column] == value]
    [row] = cards.to_dict("records")
    return row


def identity_head() -> HeadTransform:
    return HeadTransform(
        dense=np.eye(DIM, dtype=np.float32),
        dense_bias=np.full(DIM, 3, np.float32),
        activation="linear",
        scale=np.ones(DIM, np.float32),
        shift=None,
        epsilon=1e-12,
        output=embedding(),
        bias=np.full(len(TOKENS), 9, np.float32),
    )


def test_a_value_that_writes_a_topic_is_read_as_that_topic():
    cards = measured(space_of(module_with(topic=topic()), identity_head()))["cards"]
    words = {f"w{token - 5}" for token in TOPICS}
    for reading in ("word_embeddings", "pseudo_inverse", "norm_scale", "masked_head"):
        vector = {"layer": 2, "group": "feed_forward_value", "chosen": "most coherent"}
        shown = card(cards, **vector, reading=reading)
        assert shown["vector"] == 3, reading
        assert set(shown["tokens"].split()) <= words, reading
        if reading != "masked_head":  # which is no linear map
            assert not set(shown["opposite_tokens"].split()) & words
    assert card(
        cards, layer=1, group="attention_query", chosen="at random", reading="word_embeddings"
    )["head"] in (1, 2, 3, 4)


def test_random_weights_are_within_shuffled_ones():
    rows = measured()["csv"].query("reading == 'word_embeddings'")
    assert len(rows) == 3 * 6 * 2
    gap = (rows["value"] - rows["shuffled_mean"]).abs() / rows["shuffled_mean"].abs()
    assert gap[rows["measure"] == "first_token_deviations"].median() < 0.05
    assert (rows["n_vectors"] >= rows["n_shuffled"]).all()


def test_every_vector_is_read_whatever_is_shuffled():
    module = module_with(topic=topic())
    one, other = (measured(space_of(module), n_shuffled=n)["csv"] for n in (2, 40))
    assert one["value"].tolist() == other["value"].tolist()
    values = one[one["group"] == "feed_forward_value"]
    assert set(values["n_vectors"]) == {module.config.intermediate_size}
    assert set(one["n_shuffled"]) == {2}


def test_tokens_of_the_kinds_left_out_are_not_named():
    kept = measured(left_out=["special", "unused"])
    assert not kept["cards"]["tokens"].str.contains(r"\[").any()
    assert kept["json"]["n_allowed"] == len(TOKENS) - 5
    assert measured(left_out=[], n_random=20)["cards"]["tokens"].str.contains(r"\[").any()


def test_the_negation_of_a_vector_reads_its_opposite_words():
    one = measured(space_of(module_with(topic=topic())))["cards"]
    other = measured(space_of(module_with(topic=-topic())))["cards"]
    place = {"layer": 2, "group": "feed_forward_value", "reading": "word_embeddings"}
    tokens = card(one, **place, chosen="most coherent")["tokens"]
    rows = other[(other["vector"] == 3) & (other["reading"] == "word_embeddings")]
    shown = rows[(rows["layer"] == 2) & (rows["group"] == "feed_forward_value")]
    assert tokens in one["tokens"].to_numpy()
    assert shown.empty or tokens in shown["opposite_tokens"].to_numpy()


def test_readings_that_a_model_has_not_are_left_out():
    scores = measured()["csv"]
    assert set(scores["reading"]) == {"word_embeddings", "pseudo_inverse", "norm_scale"}
    scaled = scores[scores["reading"] == "norm_scale"]
    # In a block that normalizes sums, nothing is between the stream and what reads it.
    assert set(scaled["group"]) == {"feed_forward_value", "attention_output"}


def test_more_words_than_tokens_are_all_of_them():
    assert measured(k=500)["json"]["k"] == len(TOKENS) - 5


def test_the_measures_of_a_vector_by_hand():
    readers = np.array([[2.0, 0], [0, 1], [-1, 0], [0, -1]], dtype=np.float32)
    embeddings = np.array([[3.0, 4], [0, 5], [1, 1], [9, 1]], dtype=np.float32)
    _, mean, spread = _moments(readers)
    assert mean == pytest.approx([0.25, 0]) and spread == pytest.approx(
        np.array([[1.1875, 0], [0, 0.5]])
    )
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    reading = _Reading("x", readers, mean, spread, unit)
    vectors = np.array([[1.0, 0], [3, 4], [0, 0]], dtype=np.float32)
    coherence, away = _measured(reading, vectors, 2)
    # Scores 2 0 -1 0, and 6 4 -3 -4: the first two of either.
    assert coherence[:2] == pytest.approx([0.8, 0.8], abs=1e-6)
    assert away == pytest.approx([1.75 / 1.1875**0.5, 5.25 / (9 * 1.1875 + 16 * 0.5) ** 0.5, 0])


def test_a_group_is_beside_shuffled_vectors_at_equal_distances():
    reading = next(_readings(space_of(module_with()).parameters, np.arange(len(TOKENS))))
    vectors = np.repeat(np.arange(1.0, 6)[:, None], DIM, axis=1).astype(np.float32)
    numbers = _Numbers(k=3, n_coherent=1, n_random=1, n_shuffles=4, n_shuffled=3)
    read = _read(reading, vectors, None, numbers, np.random.default_rng(0))
    assert [row["measure"] for row in read.rows] == ["coherence", "first_token_deviations"]
    for row in read.rows:  # whatever the order, the coordinates of these are equal
        shuffled = [row[f"shuffled_{name}"] for name in ("mean", "smallest", "largest")]
        assert shuffled == pytest.approx([row["value"]] * 3, rel=1e-4)
        assert (row["n_vectors"], row["n_shuffled"]) == (5, 3)
    values = _measured(reading, vectors, 3)
    assert [row["value"] for row in read.rows] == pytest.approx(values.mean(axis=1).tolist())
    other = np.random.default_rng(1).normal(size=(6, DIM)).astype(np.float32)
    for row in _read(reading, other, None, numbers, np.random.default_rng(0)).rows:
        assert row["shuffled_smallest"] < row["shuffled_mean"] < row["shuffled_largest"]


def test_cards_are_ranked_and_numbered_from_the_first_head():
    space = space_of(module_with(topic=topic()))
    cards = measured(space, n_coherent=3, n_random=2)["cards"]
    for _, rows in cards.groupby(["layer", "group", "reading"]):
        assert rows["rank"].tolist() == [1, 2, 3, 1, 2]
        coherent = rows["coherence"].tolist()[:3]
        assert coherent == sorted(coherent, reverse=True)
        assert min(coherent) >= rows["coherence"].max() or rows["coherence"].max() == coherent[0]
        assert rows["vector"].is_unique
    queries = cards[cards["group"] == "attention_query"]
    assert (queries["head"] == queries["vector"] // (DIM // 4) + 1).all()
    assert cards.loc[cards["group"] == "feed_forward_value", "head"].isna().all()

"""`measure_parameter_vectors`: a planted topic is read, shuffled parameters read nothing."""

from typing import Any

import numpy as np
import pandas as pd

from embspace.measure.parameters.parameter_vectors import measure_parameter_vectors
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.masked_head import HeadTransform
from tests.measure.parameters.spaces import DIM, TOPICS, embedding, module_with, space_of, topic
from tests.models.parameters.tiny import TOKENS

SETTINGS: dict[str, Any] = {
    "k": 5,
    "n_coherent": 1,
    "n_random": 1,
    "left_out": ["special", "unused"],
    "n_shuffles": 3,
    "n_shuffled": 40,
    "seed": 0,
}


def card(cards: pd.DataFrame, **of: Any) -> dict[str, Any]:
    for column, value in of.items():
        cards = cards[cards[column] == value]
    [found] = cards.to_dict("records")
    return found


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
    found = measure_parameter_vectors(
        space_of(module_with(topic=topic()), identity_head()), **SETTINGS
    )
    words = {f"w{each - 5}" for each in TOPICS}
    for reading in ("word_embeddings", "pseudo_inverse", "norm_scale", "masked_head"):
        of_value = {"layer": 2, "group": "feed_forward_value", "chosen": "most coherent"}
        shown = card(found.cards, **of_value, reading=reading)
        assert shown["vector"] == 3, reading
        assert set(shown["tokens"].split()) <= words, reading
        if reading != "masked_head":  # which is no linear map
            assert not set(shown["opposite_tokens"].split()) & words
    assert card(
        found.cards, layer=1, group="attention_query", chosen="at random", reading="word_embeddings"
    )["head"] in (1, 2, 3, 4)


def test_random_weights_are_within_shuffled_ones():
    found = measure_parameter_vectors(space_of(module_with()), **SETTINGS).scores
    found = found[found["reading"] == "word_embeddings"]
    assert len(found) == 3 * 6 * 2
    gap = (found["value"] - found["shuffled_mean"]).abs() / found["shuffled_mean"].abs()
    assert gap[found["measure"] == "first_token_deviations"].median() < 0.05
    assert (found["n_vectors"] >= found["n_shuffled"]).all()


def test_every_vector_is_read_whatever_is_shuffled():
    module = module_with(topic=topic())
    one, other = (
        measure_parameter_vectors(space_of(module), **SETTINGS | {"n_shuffled": n}).scores
        for n in (2, 40)
    )
    assert one["value"].tolist() == other["value"].tolist()
    of_values = one[one["group"] == "feed_forward_value"]
    assert set(of_values["n_vectors"]) == {module.config.intermediate_size}
    assert set(one["n_shuffled"]) == {2}


def test_tokens_of_the_kinds_left_out_are_not_named():
    kept = measure_parameter_vectors(space_of(module_with()), **SETTINGS)
    assert not kept.cards["tokens"].str.contains(r"\[").any()
    assert kept.facts["n_allowed"] == len(TOKENS) - 5
    everything = measure_parameter_vectors(
        space_of(module_with()), **SETTINGS | {"left_out": [], "n_random": 20}
    )
    assert everything.cards["tokens"].str.contains(r"\[").any()


def test_the_negation_of_a_vector_reads_its_opposite_words():
    one = measure_parameter_vectors(space_of(module_with(topic=topic())), **SETTINGS).cards
    other = measure_parameter_vectors(space_of(module_with(topic=-topic())), **SETTINGS).cards
    place = {"layer": 2, "group": "feed_forward_value", "reading": "word_embeddings"}
    tokens = card(one, **place, chosen="most coherent")["tokens"]
    of_other = other[(other["vector"] == 3) & (other["reading"] == "word_embeddings")]
    shown = of_other[(of_other["layer"] == 2) & (of_other["group"] == "feed_forward_value")]
    assert tokens in one["tokens"].to_numpy()
    assert shown.empty or tokens in shown["opposite_tokens"].to_numpy()


def test_readings_that_a_model_has_not_are_left_out():
    found = measure_parameter_vectors(space_of(module_with()), **SETTINGS).scores
    assert set(found["reading"]) == {"word_embeddings", "pseudo_inverse", "norm_scale"}
    scaled = found[found["reading"] == "norm_scale"]
    # In a block that normalizes sums, nothing is between the stream and what reads it.
    assert set(scaled["group"]) == {"feed_forward_value", "attention_output"}


def test_more_words_than_tokens_are_all_of_them():
    found = measure_parameter_vectors(space_of(module_with()), **SETTINGS | {"k": 500})
    assert found.facts["k"] == len(TOKENS) - 5


def test_an_architecture_that_is_not_known_has_empty_tables():
    found = measure_parameter_vectors(VocabularySpace(None, "FunnelModel", []), **SETTINGS)
    assert found.scores.empty
    assert found.cards.empty
    assert found.facts == {"known": False, "architecture": "FunnelModel"}

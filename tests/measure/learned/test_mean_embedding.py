import numpy as np
import pandas as pd
import pytest

from embspace.measure.learned.mean_embedding import mean_quantities, measure_mean_embedding
from embspace.models.spelling import Spelling
from tests.analyses import settings_of
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = settings_of(measure_mean_embedding, n_histogram_bins=20, n_tokens=4, quantiles=[0.5])
VOCABULARY = vocabulary_of(120)


def test_quantities_by_hand():
    x = np.array([[3.0, 0.0], [0.0, 4.0], [0.0, -4.0]], dtype=np.float32)  # mean (1, 0)
    quantities = mean_quantities(x)
    assert quantities["dot_product"].tolist() == pytest.approx([3, 0, 0])
    assert quantities["cosine"].tolist() == pytest.approx([1, 0, 0])
    assert quantities["norm"].tolist() == pytest.approx([3, 4, 4])
    assert quantities["euclidean_distance"].tolist() == pytest.approx([2, 17**0.5, 17**0.5])


def test_the_cosine_theorem_ties_the_quantities_together():
    x = random_matrices()["input"]
    quantities, mean = mean_quantities(x), np.linalg.norm(x.astype(float).mean(axis=0))
    squared = quantities["norm"] ** 2 + mean**2 - 2 * quantities["dot_product"]
    assert np.allclose(quantities["euclidean_distance"] ** 2, squared)


def test_the_mean_of_the_dot_products_is_the_squared_norm_of_the_mean():
    x = random_matrices()["input"]
    assert mean_quantities(x)["dot_product"].mean() == pytest.approx(
        np.sum(x.astype(float).mean(axis=0) ** 2)
    )


def test_the_rank_correlation_with_the_norm_is_that_of_planted_lengths():
    matrices, direction = random_matrices(), np.eye(48)[0]
    lengths = np.arange(1, 121)
    cosines = np.linspace(0.9, 0.1, 120)  # shorter vectors point along the mean
    across = matrices["input"] * (1 - direction)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    unit = cosines[:, None] * direction + np.sqrt(1 - cosines**2)[:, None] * across
    summary = measure_mean_embedding(
        {"input": lengths[:, None] * unit}, VOCABULARY, None, **SETTINGS
    )["summary"].set_index("quantity")["norm_correlation"]
    assert summary["norm"] == pytest.approx(1)
    assert summary["cosine"] < -0.8


def test_the_stage_keeps_the_quantities_of_all_tokens():
    matrices = random_matrices()
    table = measure_mean_embedding(matrices, VOCABULARY, None, **SETTINGS)["parquet"]
    pd.testing.assert_frame_equal(
        table.drop(columns=["id", "token"]), mean_quantities(matrices["input"])
    )
    assert table["token"].tolist() == VOCABULARY["token"].tolist()


def test_a_planted_token_is_found_as_the_extreme():
    matrices = random_matrices()
    matrices["input"] += 0.5
    matrices["input"][33] = 2 * matrices["input"].mean(axis=0)
    matrices["input"][40] *= 10
    tokens = measure_mean_embedding(matrices, VOCABULARY, None, **SETTINGS)["tokens"]
    first = tokens[tokens["rank"] == 1].set_index(["quantity", "order"])["id"]
    assert first["cosine", "largest"] == 33
    assert first["absolute_cosine", "largest"] == 33
    assert first["norm", "largest"] == 40


def test_a_zero_vector_has_no_cosine_and_is_no_extreme():
    matrices = random_matrices()
    matrices["input"][33] = 0
    outcome = measure_mean_embedding(matrices, VOCABULARY, None, **SETTINGS | {"n_tokens": 1000})
    assert outcome["summary"].set_index("quantity")["n"].to_dict() == {
        "euclidean_distance": 120,
        "dot_product": 120,
        "cosine": 119,
        "norm": 120,
    }
    assert not outcome["summary"]["mean"].isna().any()
    by_cosine = outcome["tokens"]["quantity"].isin(["cosine", "absolute_cosine"])
    assert 33 not in set(outcome["tokens"]["id"][by_cosine])
    assert 33 in set(outcome["tokens"]["id"][~by_cosine])


def test_only_words_of_three_or_more_latin_letters_are_listed():
    vocabulary = vocabulary_of(120)
    vocabulary.loc[60:, "character_class"] = "letter"
    vocabulary.loc[20:30, "token"] = "ab"
    tokens = measure_mean_embedding(
        random_matrices(), vocabulary, None, **SETTINGS | {"n_tokens": 1000}
    )["tokens"]
    listed = set(tokens["id"])
    assert listed == {n for n in [*range(2, 20), *range(31, 60)] if n % 7}


def test_the_mark_of_a_word_is_no_letter_of_it():
    byte_level = Spelling("BPE", "word_start", "Ġ", byte_level=True)
    vocabulary = vocabulary_of(120)
    vocabulary.loc[20:30, "token"] = "Ġit"
    vocabulary.loc[31:40, "token"] = "ĠnÃ©"  # two letters in three bytes
    vocabulary.loc[41:50, "token"] = "ĠthÃ©"
    tokens = measure_mean_embedding(
        random_matrices(), vocabulary, byte_level, **SETTINGS | {"n_tokens": 1000}
    )["tokens"]
    listed = set(tokens["id"])
    assert listed == {n for n in [*range(2, 20), *range(41, 120)] if n % 7}


def test_every_token_is_in_the_histogram_and_in_the_summary():
    outcome = measure_mean_embedding(random_matrices(), VOCABULARY, None, **SETTINGS)
    assert (outcome["histogram"].groupby("quantity")["count"].sum() == 120).all()
    assert (outcome["summary"]["n"] == 120).all()
    assert outcome["histogram"].index.tolist() == list(range(len(outcome["histogram"])))

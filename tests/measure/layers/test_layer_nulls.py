"""Holds nulls of a layer to clouds that are like their null, and to what an exchange keeps."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import LayerCloud
from embspace.geometry import intra_sentence_similarity, mean_cosine
from embspace.geometry.inference.null_clouds import NULLS_OF_FAMILY
from embspace.geometry.measures.declaration import Family
from embspace.geometry.measures.registry import profiled_measures
from embspace.measure.layers.layer_nulls import groups_of, null_facts, null_rows, values_of
from tests.measure.layer_corpora import protocol


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def tokens(text_share: float = 1.0, n_texts: int = 16, n_tokens: int = 20) -> LayerCloud:
    """Vectors of 12 words; as far as `text_share` they are of their text, too."""
    n = n_texts * n_tokens
    text, position = np.repeat(np.arange(n_texts), n_tokens), np.tile(np.arange(n_tokens), n_texts)
    word = rng(1).integers(12, size=n)
    word_vectors, text_vectors = rng(2).normal(size=(12, 30)), rng(3).normal(size=(n_texts, 30))
    return LayerCloud(word_vectors[word] + text_share * text_vectors[text], text, word, position)


def nulls(cloud: LayerCloud, family: Family, **given: Any) -> pd.DataFrame:
    settings = protocol(family, **given)
    measures = [measure for measure in profiled_measures().values() if measure.family == family]
    known = [measure for measure in measures if measure.name != "iso_score_star"]
    if cloud.word is None:
        known = [measure for measure in known if measure.grouped_by != "word"]
    return pd.DataFrame(null_rows(cloud, values_of(known, cloud), settings, rng()))


@pytest.mark.parametrize("family", ["direction", "spectrum"])
def test_an_isotropic_cloud_is_like_its_null(family: Family) -> None:
    dim = 120 if family == "spectrum" else 40  # alpha_req needs a hundred variances
    cloud = LayerCloud(0.1 * rng(5).normal(size=(500, dim)), np.arange(500) // 5, None, None)
    rows = nulls(cloud, family, n_null_draws=20)
    # Not defined of directions that sum to none.
    rows = rows[(rows["null"] == "isotropic_gaussian") & (rows["measure"] != "top_dimension_share")]
    assert len(rows) > 4
    width = (rows["null_largest"] - rows["null_smallest"]) / 2
    assert rows["value"].between(rows["null_smallest"] - width, rows["null_largest"] + width).all()
    assert (rows["n"] == 500).all() and (rows["n_draws"] == 20).all()


def test_the_isotropic_null_is_of_the_size_alone() -> None:
    bounds = ["measure", "null_mean", "null_smallest", "null_largest", "n"]
    cloud = tokens()
    own, scaled = (
        nulls(vectors, "direction")[bounds]
        for vectors in (cloud, replace(cloud, x=cloud.x * 7 + 1))
    )
    assert own.equals(scaled)
    fewer = nulls(cloud.among(np.arange(100)), "direction")[bounds]
    assert not fewer["null_mean"].equals(own["null_mean"])


def test_a_cloud_that_points_somewhere_is_not() -> None:
    cloud = tokens()
    rows = nulls(replace(cloud, x=cloud.x + 2), "direction").set_index("measure")
    row = rows.loc["mean_cosine"]
    assert row["value"] == pytest.approx(mean_cosine(cloud.x + 2))
    assert row["null_smallest"] <= row["null_mean"] <= row["null_largest"] < 0.1 < row["value"]


@pytest.mark.parametrize(
    "family", [family for family, names in NULLS_OF_FAMILY.items() if len(names)]
)
def test_every_null_of_the_family_and_every_measure(family: Family) -> None:
    rows = nulls(tokens(), family)
    assert tuple(rows["null"].unique()) == NULLS_OF_FAMILY[family]
    assert rows.groupby("null")["measure"].nunique().nunique() == 1
    bounds = rows[["null_smallest", "null_mean", "null_largest"]].dropna().to_numpy()
    assert (np.diff(bounds, axis=1) >= -1e-12).all()


def test_nulls_of_neighbors_have_as_many_vectors_as_a_batch() -> None:
    rows = nulls(tokens(), "hubs", batch_size=100)
    assert set(rows["n"]) == {100}
    assert set(nulls(tokens(), "direction")["n"]) == {320}


def exchanged(cloud: LayerCloud, **given: Any) -> pd.DataFrame:
    table = nulls(cloud, "context", position_band=5, **given)
    return table.set_index("measure") if len(table) else table


def test_tokens_change_places_within_their_word() -> None:
    # If vectors are of words alone, no exchange within words can be seen.
    cloud = tokens(text_share=0.0)
    rows = exchanged(cloud)
    assert set(rows["null"]) == {"exchanged_between_texts"}
    assert rows["null_mean"].to_numpy() == pytest.approx(rows["value"].to_numpy(), nan_ok=True)
    # Of measures of words, within which nothing changes, there is no such null.
    assert list(rows.index) == ["intra_sentence_similarity", "text_entropy", "text_curvature"]
    without = exchanged(cloud, without_draws=["text_entropy"])
    assert list(without.index) == ["intra_sentence_similarity", "text_curvature"]
    # With other words, it could: the test can fail.
    assert cloud.word is not None
    mixed = exchanged(replace(cloud, word=rng(9).permutation(cloud.word)))
    assert mixed["null_mean"].to_numpy() != pytest.approx(mixed["value"].to_numpy(), nan_ok=True)


def test_what_vectors_owe_to_their_text_is_gone() -> None:
    cloud = tokens()
    assert cloud.word is not None
    rows = exchanged(cloud, n_null_draws=3)
    row = rows.loc["intra_sentence_similarity"]
    assert row["null_largest"] < row["value"] - 0.1
    # Most tokens are moved, so that the value on these places is near that of all.
    assert row["value"] == pytest.approx(intra_sentence_similarity(cloud.x, cloud.text), abs=0.1)
    assert 160 < row["n"] <= 320


def test_where_nothing_can_be_exchanged_there_is_no_null() -> None:
    cloud = tokens()
    assert exchanged(replace(cloud, word=np.arange(320))).empty
    # A word that has another band in every text has none to change with.
    same = replace(cloud, word=np.zeros(320, dtype=np.int64), position=np.arange(320) * 5)
    assert exchanged(same).empty


def test_pooled_vectors_have_no_words_to_exchange() -> None:
    pooled = replace(tokens(), word=None, position=None)
    assert list(groups_of(pooled)) == ["text"]
    assert nulls(pooled, "context").empty


def test_facts_are_of_the_draws() -> None:
    assert null_facts(7.0, [1.0, 3.0, 5.0]) == {
        "value": 7.0,
        "null_mean": 3.0,
        "null_smallest": 1.0,
        "null_largest": 5.0,
    }
    assert null_facts(7.0, [0.0, 0.0, 6.0])["null_mean"] == 2

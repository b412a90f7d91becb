"""`versions`: a moved text, rounding and unrelated vectors are told apart."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import versions as module
from embspace.app.practice.corpora import CorpusOfVectors
from embspace.app.practice.reading import read_corpus
from embspace.app.practice.versions import versions
from embspace.errors import InputError
from tests.app.practice.test_reading import there
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["there", "tree"]


def cloud(seed: int, n: int = 80) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 12)) + 0.5


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_HALF_SAMPLES", 20)
    monkeypatch.setattr(module, "N_ALONE", 16)


def test_a_moved_text_is_first():
    y = cloud(0)
    y[33] = -y[33]
    answer = versions(cloud(0), other_vectors=y)
    assert answer.tables["texts"]["id"][0] == "33"
    changes = answer.tables["changes"].set_index("quantity")
    assert changes.loc["cosine_distance", "largest"] == pytest.approx(2)
    assert 0.9 < changes.loc["neighbors_kept", "value"] < 1
    assert changes.loc["neighbors_kept", "low"] < changes.loc["neighbors_kept", "high"]


def test_the_same_and_unrelated_vectors():
    same = versions(cloud(1), other_vectors=cloud(1)).tables["changes"].set_index("quantity")
    assert same.loc["neighbors_kept", "value"] == 1 and same.loc["flipped", "value"] == 0
    other = versions(cloud(1), other_vectors=cloud(2)).tables["changes"].set_index("quantity")
    kept = other.loc["neighbors_kept"]
    assert kept["value"] == pytest.approx(kept["unrelated"], abs=0.05)


def test_another_number_type_stands_beside_rounding(there: Path):
    texts = [varied(n) for n in range(24)]
    answer = versions(texts, model="tiny", number_type="bfloat16", layer=1, pooling="mean")
    changes = answer.tables["changes"].set_index("quantity")
    moved = changes.loc["cosine_distance"]
    assert moved["rounding"] < 1e-6 < moved["value"] < 0.01
    assert "search" in changes.index
    assert "texts moved by more than rounding did" in answer.said
    assert "rounding: among 16 texts drawn evenly" in answer.said


def test_vectors_stand_beside_a_model_at_its_layer_and_pooling(there: Path):
    texts = [varied(n) for n in range(24)]
    other = read_corpus(texts, model="tiny").at(1, "mean").vectors
    answer = versions(texts, model="tiny", other_vectors=other, layer=1, pooling="mean")
    changes = answer.tables["changes"].set_index("quantity")
    assert changes.loc["cosine_distance", "largest"] < 1e-6


def corpus_of(x: np.ndarray, ids: list[int], per_document: int = 1) -> CorpusOfVectors:
    names = [f"t{number}" for number in ids]
    documents = [f"d{number // per_document}" for number in ids]
    table = pd.DataFrame({"id": names, "document": documents, "text": names, "label": ""})
    return CorpusOfVectors("posts", x, table.assign(copy_of=names, n_tokens=np.nan))


def test_texts_of_both_versions_are_joined_by_id(monkeypatch: pytest.MonkeyPatch):
    x = cloud(3)
    kept = [np.delete(np.arange(80), row) for row in (7, 50)]
    one, other = (corpus_of(x[rows], rows.tolist(), 2) for rows in kept)
    monkeypatch.setattr(module, "read_corpus", lambda *_, **__: one)
    monkeypatch.setattr(module, "_second", lambda *_: other)
    answer = versions("a", other_vectors="b")
    assert len(answer.tables["texts"]) == 78
    assert answer.tables["texts"]["cosine"].min() == pytest.approx(1)
    assert "2 texts left out" in answer.said


def test_other_models_have_no_cosine_and_thresholds_of_their_own(there: Path):
    texts = [varied(n) for n in range(24)]
    answer = versions(texts, model="tiny", other_model="tiny", layer=1, pooling="mean")
    changes = answer.tables["changes"].set_index("quantity")
    assert "cosine_distance" not in changes.index and "texts moved" not in answer.said
    assert answer.tables["texts"]["cosine"].isna().all() and "nan" not in answer.said
    assert changes.loc["neighbors_kept", "value"] == 1


def test_pairs_flip_at_the_rate_of_each_version():
    x = cloud(4)
    answer = versions(x, other_vectors=x + 20)  # all cosines rise
    pairs = answer.tables["texts"]["n_pairs"].sum()
    assert pairs <= 2 * 1.1 * module.RARE * 80 * 79 + 4


def test_one_second_version_is_needed():
    with pytest.raises(InputError, match="found 0, allowed: one of --other-model"):
        versions(cloud(0))
    with pytest.raises(InputError, match="found 3 vectors|found 5 vectors"):
        versions(cloud(0), other_vectors=cloud(1)[:5])
    with pytest.raises(InputError, match="vectors: found beside another model"):
        versions(cloud(0), number_type="float16")


def test_an_unknown_number_type_is_refused(there: Path):
    with pytest.raises(InputError, match="--number-type: found 'int4'"):
        versions([varied(n) for n in range(24)], model="tiny", number_type="int4")

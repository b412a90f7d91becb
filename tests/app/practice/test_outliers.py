"""`outliers`: planted vectors and texts are found, and what they are stands beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import reading
from embspace.app.practice.corpora import CorpusOfVectors
from embspace.app.practice.outliers import outliers
from embspace.errors import InputError
from embspace.geometry.practice import outliers as measured
from tests.app.practice.test_reading import there
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["there", "tree"]


def cloud(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 10)) + 3


def test_a_planted_outlier_within_a_corpus_is_first():
    x = cloud(150)
    x[20] = -x[20]
    answer = outliers(x)
    texts = answer.tables["texts"]
    assert texts["id"][0] == "20" and texts["is_outlier"][0]
    assert texts["is_outlier"].sum() == 1
    assert texts["percentile"][0] == pytest.approx(100 * 149 / 150)
    assert "1 outlier at a false discovery rate of 5 %" in answer.said


def test_further_vectors_are_judged_by_the_corpus():
    y = np.vstack([cloud(20, seed=1), -cloud(2, seed=2)])
    texts = outliers(cloud(500), of=y).tables["texts"]
    assert set(texts["id"][:2]) == {"20", "21"} and texts["is_outlier"].sum() == 2


def test_few_texts_have_no_verdict():
    answer = outliers(cloud(measured.FEWEST - 1))
    assert "no verdict" in answer.said and not answer.tables["texts"]["is_outlier"].any()
    assert answer.sentence.startswith("No outliers were sought")


def test_the_reason_without_a_verdict_is_the_true_one():
    few = outliers(cloud(measured.FEWEST - 1))
    assert few.sentence.endswith("the 99 texts of vectors: fewer than 100 have a distance above 0.")
    equal = outliers(np.eye(120))
    assert "no verdict: the distances of the farthest tenth are all equal" in equal.said
    assert "the farthest tenth are all equal." in equal.sentence
    none = outliers(cloud(200), of=np.zeros((4, 10)))
    assert "no verdict: none has a distance" in none.said


def test_a_vector_of_length_zero_has_no_percentile():
    x = cloud(150)
    x[7] = 0
    answer = outliers(x)
    texts = answer.tables["texts"].set_index("id")
    assert np.isnan(texts.loc["7", "percentile"]) and not texts.loc["7", "is_outlier"]
    assert texts.drop("7")["percentile"].between(0, 100).all()
    assert "1 text without a distance: a vector of length 0" in answer.said
    assert "without a distance" not in outliers(cloud(150)).said
    assert "nan" not in outliers(cloud(150), of=np.zeros((4, 10))).said


def test_the_option_of_the_neighbors_is_named():
    with pytest.raises(InputError, match=r"k \(--neighbors\): found 30, allowed: 1 to 29, below"):
        outliers(cloud(30), k=30)


def test_the_assumption_about_the_tail_is_said():
    assumed = "with logarithms assumed exponential"
    assert assumed in outliers(cloud(150)).sentence
    assert assumed not in outliers(cloud(150), of=cloud(20, seed=1)).sentence


def test_other_dimensions_are_refused():
    with pytest.raises(InputError, match="found 4 dimensions, allowed: 10"):
        outliers(cloud(30), of=np.ones((5, 4)) + np.eye(5, 4))


def test_texts_by_a_model_are_not_judged_among_vectors(there: Path):
    texts = [varied(row) for row in range(12)]
    with pytest.raises(InputError, match="--vectors: found beside --model"):
        outliers(texts, "tiny", vectors=cloud(12), of=texts)
    message = "texts: found texts read by tiny beside vectors of texts, allowed: vectors on both"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "USUAL_MODEL", "tiny")
        with pytest.raises(InputError, match=message):
            outliers(texts, vectors=cloud(12), of=texts, k=3)


def test_texts_are_described(monkeypatch: pytest.MonkeyPatch):
    n = 150
    x = cloud(n)
    x[[3, 4]] = -x[[3, 4]] * np.array([[1.0], [2.0]])
    texts = ["a plain text of some words"] * n
    texts[3] = "прилив"
    names = [str(row) for row in range(n)]
    copies = [*names[:5], "2", *names[6:]]
    table = pd.DataFrame(
        {"id": names, "document": copies, "text": texts, "label": "", "copy_of": copies}
    ).assign(n_tokens=8.0)
    read: Any = CorpusOfVectors("posts", x.astype(np.float32), table)
    place = "embspace.app.practice.outliers.read_corpus"
    monkeypatch.setattr(place, lambda *_, **__: read)
    answer = outliers("posts.csv")
    first = answer.tables["texts"].set_index("id")
    assert first.loc["3", "script"] == "Cyrillic" and first.loc["3", "n_characters"] == 6
    assert first.loc["2", "copies"] == 1 and first.loc["6", "copies"] == 0
    kinds = answer.tables["kinds"].set_index("trait")
    assert kinds.loc["share_Cyrillic", "outliers"] == 0.5
    assert kinds.loc["share_Cyrillic", "others"] == 0

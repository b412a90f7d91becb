from pathlib import Path

import numpy as np
import pytest

from embspace.app.practice import compress as module
from embspace.app.practice.answers import Answer
from embspace.app.practice.compress import compress
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.measure.practice import scored_versions
from embspace.measure.practice.compression import smallest
from embspace.measure.practice.first_coordinates import (
    MORE,
    first_against_random,
    verdict_of_first,
)
from embspace.measure.practice.scored_versions import half_of_documents
from tests.app.practice.test_reading import written
from tests.app.practice.test_threshold import planted
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]


@pytest.fixture(autouse=True)
def few_halves(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scored_versions, "N_HALF_SAMPLES", 40)


def share(answer: Answer, version: str, task: str = "neighbors") -> float:
    kept = answer.tables["kept"]
    return float(kept[(kept["version"] == version) & (kept["task"] == task)]["value"].iloc[0])


def isotropic(seed: int, n: int = 120, dim: int = 32) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def test_a_matryoshka_like_space_is_told_by_its_first_coordinates():
    x = isotropic(0) * np.linspace(1, 0.05, 32) ** 2
    answer = compress(x)
    assert share(answer, "first 8") > share(answer, "random 8") + 0.2
    assert share(answer, "float32") == 1
    assert verdict_of_first(answer.tables["first"]) == MORE
    assert "as in a Matryoshka model, or in coordinates sorted by variance" in answer.said
    turned = x @ np.linalg.qr(isotropic(1, 32, 32))[0]
    again = compress(turned)
    assert verdict_of_first(again.tables["first"]) != MORE
    assert share(again, "PCA 8") == pytest.approx(share(answer, "PCA 8"), abs=0.1)
    assert share(again, "PCA 8") > share(again, "first 8") + 0.1


def test_finer_numbers_keep_more_and_the_smallest_setting_is_chosen():
    answer = compress(isotropic(2), lost=0.1)
    order = ["float16", "int8", "sign bits, rescored", "sign bits"]
    shares = [share(answer, version) for version in order]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.99
    kept = answer.tables["kept"]
    assert kept[kept["version"] == "sign bits"]["bytes"].tolist() == [
        4,
        4,
    ]  # neighbors and clusters
    least = smallest(kept, "neighbors", 0.1)
    assert least is not None and least["version"] == "int8"
    assert "int8 (32 bytes a text) is the smallest setting" in answer.sentence
    assert smallest(kept, "neighbors", 1e-9) is None or share(answer, "float16") == 1


def verdict_of(x: np.ndarray) -> str:
    return verdict_of_first(first_against_random(read_corpus(x).at()))


def test_isotropic_spaces_are_seldom_called_matryoshka():
    seen = [verdict_of(isotropic(seed, 60, 16)) for seed in range(4)]
    assert seen.count(MORE) <= 1


@pytest.mark.slow
def test_ninety_of_a_hundred_isotropic_spaces_are_no_matryoshka():
    seen = [verdict_of(isotropic(seed, 60, 16)) for seed in range(100)]
    assert seen.count(MORE) <= 10


def test_search_and_labels_are_asked_of_texts(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tree)
    file = written(tmp_path, [varied(n) for n in range(50)], list("ab") * 25)
    answer = compress(file, "tiny", layer=1)
    kept = answer.tables["kept"]
    assert {*kept["task"]} == {"neighbors", "search", "labels", "clusters"}
    assert kept["version"].nunique() == 1 + 2 * 3 + 4 + 1
    assert "smallest that surely loses less than 5 % of search" in answer.said
    assert "mean reciprocal rank with all 32 coordinates in float32" in answer.sentence


def test_settings_are_measured_on_documents_that_calibrated_none(
    monkeypatch: pytest.MonkeyPatch,
):
    x, document = isotropic(3).astype(np.float32), np.arange(120) // 3
    plain = planted(x, document)
    is_fitted = half_of_documents(plain.at())
    assert {*document[is_fitted]}.isdisjoint(document[~is_fitted])
    turned = x.copy()
    turned[is_fitted] = turned[is_fitted] * 3 + 1  # what calibrates changes no exact setting
    scores = []
    for corpus in (plain, planted(turned, document)):
        monkeypatch.setattr(module, "read_corpus", lambda *_, corpus=corpus, **__: corpus)
        answer = compress("planted")
        assert f"measured on {(~is_fitted).sum()} texts of the other half" in answer.said
        scores.append([share(answer, version) for version in ("first 8", "float16", "sign bits")])
        assert "clusters of k-means on halves of the documents keep" in answer.said
        assert (answer.tables["kept"]["n"] == (~is_fitted).sum()).all()
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.eye(20), {}, "found 20 texts .*, allowed: 30 or more"),
        (isotropic(0, 40, 4), {}, "found 4 coordinates, allowed: 8 or more"),
        (np.eye(40), {"lost": 1.5}, "--lost: found 1.5, allowed: a share"),
    ],
)
def test_what_cannot_be_compressed_is_refused(
    x: np.ndarray, options: dict[str, float], message: str
):
    with pytest.raises(InputError, match=message):
        compress(x, **options)

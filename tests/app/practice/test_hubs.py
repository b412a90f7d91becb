from pathlib import Path

import numpy as np
import pytest

from embspace.app.practice import hubs as module
from embspace.app.practice.hubs import hubs
from embspace.errors import InputError
from embspace.measure.practice import scored_versions, text_hubs
from tests.app.practice.test_reading import written
from tests.app.practice.test_threshold import planted as planted_documents
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_hubs, "N_NULL", 19)
    monkeypatch.setattr(scored_versions, "N_HALF_SAMPLES", 20)


def planted(n: int = 150, seed: int = 0) -> np.ndarray:
    """A cloud about a direction, with one text in the middle of all others."""
    x = np.random.default_rng(seed).normal(size=(n, 40)) + 1
    x[7] = x.mean(axis=0)
    return x


def test_a_planted_hub_is_named_and_made_rarer():
    answer = hubs(planted())
    texts, hubness = answer.tables["texts"], answer.tables["hubness"].set_index("version")
    assert texts["id"][0] == "7" and texts["k_occurrence"][0] > 100
    assert texts["p_value"][0] == pytest.approx(1 / 20)
    assert hubness.loc["csls", "largest"] < 0.8 * hubness.loc["cosine", "largest"]
    assert hubness.loc["null", "largest"] < hubness.loc["cosine", "largest"]
    assert "texts are neighbors more often than the largest hub" in answer.said
    assert answer.sentence.startswith("Among the 150 texts of vectors, the skewness of 10-occ")


def names_a_hub(seed: int) -> bool:
    x = np.random.default_rng(seed).normal(size=(60, 12)) + 0.5
    return bool((hubs(x).tables["texts"]["p_value"] <= module.SURE).any())


def test_a_cloud_without_hubs_seldom_names_one():
    assert sum(names_a_hub(seed) for seed in range(5)) <= 2


@pytest.mark.slow
def test_ninety_of_a_hundred_clouds_without_hubs_name_none():
    assert sum(names_a_hub(seed) for seed in range(100)) <= 10


def test_a_text_that_its_own_document_repeats_is_no_hub(monkeypatch: pytest.MonkeyPatch):
    x = np.random.default_rng(0).normal(size=(80, 12)).astype(np.float32)
    x[:20] = x[0] + 0.01 * x[:20]
    document = np.maximum(np.arange(80), 19)
    corpus = planted_documents(x, document)
    monkeypatch.setattr(module, "read_corpus", lambda *_, **__: corpus)
    texts = hubs("planted").tables["texts"].set_index("id")["k_occurrence"]
    alone = hubs_of_further_texts(x, document)
    assert texts.loc[[*map(str, range(80))]].tolist() == alone.tolist()


def hubs_of_further_texts(x: np.ndarray, document: np.ndarray) -> np.ndarray:
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    cosine = np.where(document[:, None] == document, -2, unit @ unit.T)
    return np.bincount(np.argsort(-cosine, axis=1)[:, :10].ravel(), minlength=len(x))


def test_labels_and_halves_say_what_a_reduction_changes(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tree)
    file = written(tmp_path, [varied(n) for n in range(50)], list("ab") * 25)
    answer = hubs(file, "tiny", layer=1)
    tasks = answer.tables["tasks"].set_index(["task", "version"])
    assert len(tasks) == 10  # two tasks, five versions
    assert (tasks.xs("cosine", level="version")["difference"] == 0).all()
    assert "search: mean reciprocal rank, and less the cosine" in answer.said
    assert answer.tables["texts"]["text"].str.len().max() <= 200


def test_the_null_of_many_texts_is_of_some(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(text_hubs, "MOST_NULL", 50)
    monkeypatch.setattr(text_hubs, "MOST_REDUCED", 100)
    answer = hubs(planted())
    hubness = answer.tables["hubness"].set_index("version")
    assert hubness.loc["null", "n"] == 50 and "mutual_proximity" not in hubness.index
    assert answer.tables["texts"]["p_value"].notna().sum() == 50


def test_few_texts_are_refused():
    with pytest.raises(InputError, match="vectors: found 20 texts .*, allowed: 30 or more"):
        hubs(np.random.default_rng(0).normal(size=(20, 4)))


@pytest.mark.parametrize("value", [1.0, 0.1])
def test_equal_vectors_are_refused(value: float):
    with pytest.raises(
        InputError, match="vectors: found 40 vectors of 40 equal to the mean, allow"
    ):
        hubs(np.full((40, 16), value))

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import transform as module
from embspace.app.practice.corpora import CorpusOfVectors
from embspace.app.practice.reading import read_corpus
from embspace.app.practice.transform import Transforms, transform
from embspace.errors import InputError
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.changes import fitted_change
from embspace.measure.practice import scored_versions, transforms
from embspace.measure.practice.scored_versions import half_of_documents
from tests.app.practice.test_reading import written
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]


@pytest.fixture(autouse=True)
def few_halves(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(transforms, "N_HALVES", 6)


def labeled(
    x: np.ndarray,
    label: np.ndarray,
    monkeypatch: pytest.MonkeyPatch,
    document: np.ndarray | None = None,
) -> Transforms:
    """Ask of vectors with labels, which no array holds."""
    rows = list(map(str, range(len(x))))
    table = pd.DataFrame({"id": rows, "text": "", "copy_of": rows})
    table["document"] = rows if document is None else document.astype(str)
    table = table.assign(label=label.astype(str), n_tokens=np.nan)
    corpus = CorpusOfVectors("planted", x.astype(np.float32), table)
    monkeypatch.setattr(module, "read_corpus", lambda *_, **__: corpus)
    return transform("planted")


def topics(n: int, signal: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 4, n)
    centers = np.random.default_rng(99).normal(size=(4, 6))
    return signal * centers[label] + 0.5 * rng.normal(size=(n, 6)), label


def effect(answer: Transforms, version: str, task: str = "labels") -> pd.Series:
    rows = answer.tables["effects"]
    return rows[(rows["version"] == version) & (rows["task"] == task)].iloc[0]


def test_whitening_repairs_a_space_whose_signal_a_few_directions_drown(
    monkeypatch: pytest.MonkeyPatch,
):
    signal, label = topics(200, 1.0)
    noise = np.random.default_rng(1).normal(size=(200, 2))
    x = np.concatenate([signal, 30 * noise + 40], axis=1)
    answer = labeled(x, label, monkeypatch)
    assert effect(answer, "whitened")["difference_low"] > 0.1
    assert effect(answer, "top_2")["difference_low"] > 0.1
    assert effect(answer, "centered", "anisotropy")["difference_high"] < 0
    assert answer.best in ("whitened", "top_2", "top_3", "standardized")
    assert f"best: {module.NAMES[answer.best]}" in answer.said


def test_the_sentence_has_the_texts_of_a_task_with_fewer(monkeypatch: pytest.MonkeyPatch):
    x, label = topics(120, 2.0)
    known = np.where(np.arange(120) % 3 > 0, label.astype(str), "")
    answer = labeled(x, known, monkeypatch)
    n, everything = effect(answer, "raw")["n"], effect(answer, "raw", "anisotropy")["n"]
    assert n < everything and answer.sentence.startswith(f"On {everything:.0f} texts")
    assert f"share of 10 neighbors with the label ({n:.0f} texts)" in answer.sentence
    assert "mean cosine of two texts (" not in answer.sentence


def test_whitening_harms_a_space_whose_signal_has_the_variance(monkeypatch: pytest.MonkeyPatch):
    signal, label = topics(200, 2.0)
    noise = 0.1 * np.random.default_rng(1).normal(size=(200, 60))
    answer = labeled(np.concatenate([signal, noise], axis=1), label, monkeypatch)
    assert effect(answer, "whitened")["difference_high"] < 0
    assert answer.best == "raw"
    assert "no change surely helps without harm" in answer.said
    needs = "20 documents or more with a text of four sentences"
    assert f"search not asked, which needs {needs}" in answer.said
    assert "whitened vectors against raw ones" in answer.sentence
    assert "worse" in answer.sentence


def test_ranks_help_where_one_coordinate_has_the_variance(monkeypatch: pytest.MonkeyPatch):
    signal, label = topics(200, 1.0)
    signal = signal @ np.random.default_rng(2).normal(size=(6, 40))
    big = 100 * np.random.default_rng(1).normal(size=(200, 1))
    answer = labeled(np.concatenate([signal, big], axis=1), label, monkeypatch)
    assert answer.tables["shape"]["top_coordinate_share"].iloc[0] > 0.9
    assert effect(answer, "ranks")["difference_low"] > 0.1
    plain = labeled(signal, label, monkeypatch)
    assert plain.tables["shape"]["top_coordinate_share"].iloc[0] < 0.2
    assert effect(plain, "ranks")["difference_low"] < 0.02


def test_labels_that_only_texts_of_one_document_share_have_no_use(
    monkeypatch: pytest.MonkeyPatch,
):
    rng = np.random.default_rng(0)
    document = np.repeat(np.arange(30), 6)
    x = rng.normal(size=(30, 8))[document] + 0.1 * rng.normal(size=(180, 8))
    answer = labeled(x, rng.integers(0, 3, 30)[document], monkeypatch, document)
    assert effect(answer, "raw")["value"] < 0.55  # the own document has five of ten


def is_praised(seed: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    rng = np.random.default_rng(seed)
    x, label = rng.normal(size=(80, 12)) + 1, rng.integers(0, 3, 80)
    return labeled(x, label, monkeypatch).best != "raw"


def test_labels_at_random_seldom_praise_a_change(monkeypatch: pytest.MonkeyPatch):
    assert sum(is_praised(seed, monkeypatch) for seed in range(4)) <= 1


@pytest.mark.slow
def test_ninety_of_a_hundred_random_labels_praise_no_change(monkeypatch: pytest.MonkeyPatch):
    assert sum(is_praised(seed, monkeypatch) for seed in range(100)) <= 10


def test_search_and_pairs_are_asked_of_texts_with_halves(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tree)
    monkeypatch.setattr(scored_versions, "N_HALF_SAMPLES", 20)
    file = written(tmp_path, [varied(n) for n in range(50)], list("ab") * 25)
    answer = transform(file, "tiny", layer=1)
    effects = answer.tables["effects"]
    assert [*effects["task"].unique()] == ["search", "pairs", "labels", "anisotropy", "hubness"]
    assert "zipf_whitened" in {*effects["version"]} and "zipf_whitened" in answer.changes
    assert "Zipf-whitened not asked" not in answer.said
    assert "for all 9 changes at once" in answer.sentence
    assert (
        "Zipf-whitened not asked, which needs a model"
        in transform(file, "tiny", pooling="max").said
    )
    same = effects[effects["version"] == "unit_length"].set_index("task")["difference"]
    assert same[["search", "labels", "anisotropy"]].tolist() == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_change_is_a_file_that_numpy_reads(tmp_path: Path):
    x = np.random.default_rng(0).normal(size=(60, 5)) * [9, 3, 1, 1, 1] + 2
    answer = transform(x)
    answer.save_change(tmp_path / "white.npz", "whitened")
    with np.load(tmp_path / "white.npz") as file:
        white = (x - file["mean"]) @ file["matrix"]
        assert not file["is_unit"]
    assert np.cov(white.T, bias=True) == pytest.approx(np.eye(5), abs=1e-4)
    assert answer.said.endswith("--save alone writes the identity: name a change by --change")
    answer.save_change(tmp_path / "best.npz")  # nothing helps: as it is
    with np.load(tmp_path / "best.npz") as file:
        assert np.array_equal(file["matrix"], np.eye(5))
    with pytest.raises(InputError, match="--change: found 'bleached', allowed: raw"):
        answer.save_change(tmp_path / "x.npz", "bleached")
    with pytest.raises(InputError, match="--change: found 'ranks', allowed: raw, .*; ranks are no"):
        answer.save_change(tmp_path / "x.npz", "ranks")
    with pytest.raises(InputError, match="--save: found .*, allowed: a file that ends in .npz"):
        answer.save_change(tmp_path / "x.csv")
    with pytest.raises(InputError, match="No such file"):
        answer.save_change(tmp_path / "not_there/x.npz")


def test_few_texts_are_refused():
    with pytest.raises(InputError, match="found 20 texts .*, allowed: 30 or more"):
        transform(np.random.default_rng(0).normal(size=(20, 4)))


@pytest.mark.parametrize("value", [1.0, 0.1])
def test_equal_vectors_are_refused(value: float):
    with pytest.raises(
        InputError, match="vectors: found 40 vectors of 40 equal to the mean, allow"
    ):
        transform(np.full((40, 16), value))


def test_changes_are_measured_on_documents_that_fitted_none():
    x = np.random.default_rng(0).normal(size=(40, 64)) + 1
    answer = transform(x)
    is_fitted = half_of_documents(read_corpus(x).at())
    assert (answer.tables["effects"]["n"] == (~is_fitted).sum()).all()
    white = fitted_change(x[is_fitted], "whitened")(x[~is_fitted])
    cosine = (unit_rows(white) @ unit_rows(white).T)[np.triu_indices(len(white), 1)]
    value = effect(answer, "whitened", "anisotropy")["value"]
    assert value == pytest.approx(cosine.mean(), abs=1e-5)
    assert cosine.std() > 0.05  # whitening makes equal all cosines of the few texts that it fits
    assert "measured on 20 texts of the other half" in answer.said
    assert "changes fitted on the other half of the documents" in answer.sentence

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.corpora import CorpusOfTexts, read_corpus
from embspace.errors import InputError
from embspace.loaded.model import load
from embspace.loaded.states import read_states
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["tree"]


@pytest.fixture
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tree)
    return tree


def written(folder: Path, texts: list[str], labels: list[str]) -> Path:
    file = folder / "posts.csv"
    pd.DataFrame({"text": texts, "label": labels}).to_csv(file, index=False)
    return file


def test_texts_of_a_file_have_a_vector_each_and_their_labels(there: Path, tmp_path: Path):
    long = "rain on the mat . " * 20  # several windows
    texts = [*(varied(n) for n in range(5)), long, varied(0).upper()]
    corpus = read_corpus(written(tmp_path, texts, list("ababaab")), model="tiny")
    cloud = corpus.at(1, "mean")
    assert (cloud.place, cloud.corpus) == ("tiny, layer 1 of 2, mean", "posts.csv")
    assert cloud.table["label"].tolist() == list("ababaab")
    made = read_states(load("tiny", there), texts, there, {})
    of_text = made.windows["text"].astype(int).to_numpy()
    means = [made.tensors["mean"][1][of_text == n].mean(axis=0) for n in range(1, 8)]
    assert np.allclose(cloud.vectors, means, atol=1e-6)
    n_tokens = made.windows.groupby(of_text)["n_tokens"].sum()
    assert cloud.table["n_tokens"].tolist() == n_tokens.tolist()
    assert cloud.has_labels and cloud.has_texts
    assert cloud.documents.tolist() == [0, 1, 2, 3, 4, 5, 0]  # the last is a copy of the first


def test_all_layers_and_poolings_are_places(there: Path, tmp_path: Path):
    texts = [varied(n) for n in range(5)]
    corpus = read_corpus(texts, model="tiny")
    assert corpus.places() == [(n, pool) for pool in ("cls", "mean", "max") for n in range(3)]
    assert corpus.at().place == "tiny, layer 2 of 2, mean"
    assert corpus.at(-1, "first_last").layer is None
    assert not corpus.at().has_labels
    assert corpus.halves_at() is None  # too few
    with pytest.raises(InputError, match="--layer: found 3, allowed: 0 to 2"):
        corpus.at(3)


def test_the_second_half_of_a_text_asks_for_its_first(there: Path):
    texts = [varied(n) for n in range(24)] + ["A cat.", varied(0)]
    corpus = read_corpus(texts, model="tiny")
    halves = corpus.halves_at(2, "mean")
    assert halves is not None and isinstance(corpus, CorpusOfTexts)
    assert halves.queries.shape == halves.candidates.shape == (25, 32)
    assert halves.relevant.sum(axis=1).tolist() == [2, *[1] * 23, 2]
    assert halves.documents.tolist() == [*range(24), 0]
    first = varied(7).split(". ")[:2]
    alone = read_states(load("tiny", there), [". ".join(first) + "."], there, {})
    assert np.allclose(halves.candidates[7], alone.tensors["mean"][2][0], atol=1e-5)


def test_vectors_computed_elsewhere_stand_alone_or_beside_texts(there: Path, tmp_path: Path):
    x = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    alone = read_corpus(tmp_path / "x.npy").at()
    assert np.array_equal(alone.vectors, x) and alone.place == "vectors"
    assert not alone.has_texts and alone.documents.tolist() == list(range(6))
    assert np.array_equal(read_corpus(x).at().vectors, x)
    file = written(tmp_path, [varied(n) for n in range(6)], list("aabbab"))
    beside = read_corpus(file, vectors=tmp_path / "x.npy")
    assert np.array_equal(beside.at().vectors, x)
    assert beside.at().has_labels and beside.at().has_texts
    assert beside.places() == [] and beside.halves_at() is None
    frame = pd.DataFrame({"label": list("abcdef"), "group": list("uuvvuv"), "x": list(x)})
    frame.to_parquet(tmp_path / "x.parquet")
    labeled = read_corpus(tmp_path / "x.parquet").at()
    assert labeled.table["id"].tolist() == list("abcdef")
    assert labeled.table["label"].tolist() == list("uuvvuv")


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (np.full((5, 3), np.nan), {}, "found 5 rows with NaN"),
        (np.zeros((3, 3)), {}, "found 3 rows, allowed: 4 or more"),
        (np.eye(5), {"model": "tiny"}, "--model: found beside the vectors"),
        (np.eye(5), {"reading": {"text_column": "a"}}, "--text-column: found beside the vectors"),
        (["a cat"], {"model": "tiny"}, "texts: found 1 document, allowed: 4 or more"),
        ([], {"model": "tiny"}, "texts: found none"),
        (["a", 3], {"model": "tiny"}, "text 2 is 3, not a string"),
        (["a cat"] * 9, {"model": "tiny"}, "1 document, .*; 8 of 9 texts repeat another one"),
        ("not_there.csv", {"model": "tiny"}, "not_there.csv: not found"),
        ("not_there.npy", {}, "not_there.npy: not found"),
        (list("abcd"), {"vectors": np.eye(5)}, "found 5 vectors, allowed: 4"),
        (list("abcd"), {"vectors": np.eye(4), "model": "tiny"}, "--vectors: found beside --model"),
    ],
)
def test_what_cannot_be_asked_about_is_refused(
    there: Path, corpus: Any, options: dict[str, Any], message: str
):
    with pytest.raises(InputError, match=message):
        read_corpus(corpus, **options)


def test_an_empty_file_and_an_unknown_column_are_refused(there: Path, tmp_path: Path):
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(InputError, match=r"empty\.txt"):
        read_corpus(tmp_path / "empty.txt", model="tiny")
    file = written(tmp_path, [varied(n) for n in range(6)], list("aabbab"))
    with pytest.raises(InputError, match="--label-column: found 'colour', allowed: .* label"):
        read_corpus(file, model="tiny", reading={"group_column": "colour"})


def test_a_layer_of_vectors_is_refused():
    with pytest.raises(InputError, match="--layer: found beside vectors"):
        read_corpus(np.eye(5)).at(3)
    with pytest.raises(InputError, match="--pooling: found beside vectors"):
        read_corpus(np.eye(5)).at(pooling="mean")

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.reading import read_corpus
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
    text_of_window = made.windows["text"].astype(int).to_numpy()
    means = [made.tensors["mean"][1][text_of_window == n].mean(axis=0) for n in range(1, 8)]
    assert np.allclose(cloud.vectors, means, atol=1e-6)
    n_tokens = made.windows.groupby(text_of_window)["n_tokens"].sum()
    assert cloud.table["n_tokens"].tolist() == n_tokens.tolist()
    assert cloud.has_labels and cloud.has_texts
    assert cloud.documents.tolist() == [0, 1, 2, 3, 4, 5, 0]  # the last is a copy of the first


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

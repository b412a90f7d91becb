"""Spaces to export: vectors are those of the files, and each row says what it is."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.export.spaces import learned_space, own_space, texts_space, tokens_space
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.tensors import load_tensors, save_tensors
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame(
    {
        "id": ["sea", "long"],
        "document": ["sea", "long"],
        "subject": ["water", ""],
        "text": ["the boat\tand the tide", "rain on the mat . " * 20],
    }
)
EXTRACTED = "data/extracted/hidden_states/tiny/one.safetensors"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_extracted(tmp_path_factory.mktemp("spaces"), TEXTS)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    path = folder / "data/extracted/embeddings/tiny"
    save_tensors({"input": x, "positional": x[:2]}, f"{path}.safetensors")
    save_rows(
        pd.DataFrame({"id": range(4), "token": list("abcd"), "kind": "word"}), f"{path}.parquet"
    )
    return folder


@pytest.fixture(autouse=True)
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)


def test_a_learned_table_has_its_tokens():
    found = learned_space("tiny", "input")
    assert found.vectors.tolist() == np.arange(12).reshape(4, 3).tolist()
    assert found.rows["label"].tolist() == list("abcd") and set(found.rows["group"]) == {"word"}
    positions = learned_space("tiny", "positional")
    assert positions.rows["label"].tolist() == ["0", "1"] and positions.name == "tiny-positional"


def test_windows_of_texts_have_their_words():
    found = texts_space("tiny", "one", -1, "mean")
    assert np.array_equal(found.vectors, load_tensors(EXTRACTED)["mean"][-1])
    assert found.name == "tiny-one-layer2-mean"
    assert found.rows["words"][0] == "the boat and the tide"
    assert found.rows["label"].tolist() == ["sea"] + ["long"] * (len(found.rows) - 1)
    assert found.rows["group"].tolist()[:2] == ["water", "long"] and len(found.rows) > 2


@pytest.mark.parametrize("change", [{"id": ["sea", "new"]}, {"text": ["the boat", "rain"]}])
def test_states_of_other_texts_are_refused(tree: Path, change: dict[str, list[str]]):
    path = tree / "data/prepared/texts/one.parquet"
    kept = path.read_bytes()
    save_rows(TEXTS.assign(**change), str(path))
    try:
        with pytest.raises(InputError, match="older than the texts"):
            texts_space("tiny", "one", -1, "mean")
    finally:
        path.write_bytes(kept)


def test_tokens_have_their_text():
    found = tokens_space("tiny", "one", 1)
    assert np.array_equal(found.vectors, load_tensors(EXTRACTED)["token"][1])
    assert found.rows["label"][1] == "the" and found.rows["group"][1] == "sea"
    assert found.rows["group"].iloc[-1] == "long"


def test_own_vectors_have_own_labels(tmp_path: Path):
    x = np.eye(3, dtype=np.float32)
    np.save(tmp_path / "own.npy", x)
    (tmp_path / "names.csv").write_text("label,group\na,g\nb,g\nc,h\n")
    found = own_space(tmp_path / "own.npy", tmp_path / "names.csv")
    assert found.rows["label"].tolist() == ["a", "b", "c"]
    assert found.rows["group"].tolist() == ["g", "g", "h"] and found.vectors.tolist() == x.tolist()
    assert own_space(tmp_path / "own.npy", None).rows["label"].tolist() == ["0", "1", "2"]
    (tmp_path / "few.csv").write_text("label\na\n")
    with pytest.raises(InputError, match="found 1 rows, allowed: 3, one for a vector"):
        own_space(tmp_path / "own.npy", tmp_path / "few.csv")


def test_what_is_not_there_is_refused():
    with pytest.raises(InputError, match="found 'segment', allowed: input, positional, texts"):
        learned_space("tiny", "segment")
    with pytest.raises(InputError, match="other.safetensors: not found"):
        learned_space("other", "input")
    with pytest.raises(InputError, match="--layer: found 9, allowed: 0 to 2"):
        tokens_space("tiny", "one", 9)

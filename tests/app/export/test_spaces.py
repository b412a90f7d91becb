"""Spaces to export: vectors are those of the files, and each row says what it is."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.export.spaces import learned_space, own_space, texts_space, tokens_space
from embspace.errors import InputError
from embspace.files.tensors import load_tensors
from tests.app.queries.extracted import write_extracted
from tests.tiny import POSITIONS, VOCABULARY

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
    return write_extracted(tmp_path_factory.mktemp("spaces"), TEXTS)


@pytest.fixture(autouse=True)
def there(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)


def test_a_learned_table_has_its_tokens():
    weights = load_tensors("models/tiny/model.safetensors")
    space = learned_space("tiny", "input")
    assert np.array_equal(space.vectors, weights["embeddings.word_embeddings.weight"])
    assert space.rows["label"].tolist() == VOCABULARY
    assert {"special", "word", "subword"} <= set(space.rows["group"])
    positions = learned_space("tiny", "positional")
    assert positions.rows["label"].tolist() == [str(n) for n in range(POSITIONS)]
    assert positions.name == "tiny-positional"


def test_vectors_without_a_model_are_a_learned_space(tree: Path):
    np.save(tree / "own.npy", np.eye(5, dtype=np.float32))
    said = "label: own\nlicense: CC0-1.0\nlanguage: none\nsource: vectors\npath: own.npy\n"
    (tree / "conf/model/own.yaml").write_text(said)
    assert learned_space("own", "input").vectors.tolist() == np.eye(5).tolist()


def test_windows_of_texts_have_their_words():
    space = texts_space("tiny", "one", -1, "mean")
    assert np.array_equal(space.vectors, load_tensors(EXTRACTED)["mean"][-1])
    assert space.name == "tiny-one-layer2-mean"
    assert space.rows["words"][0] == "the boat and the tide"
    assert space.rows["label"].tolist() == ["sea"] + ["long"] * (len(space.rows) - 1)
    assert space.rows["group"].tolist()[:2] == ["water", "long"] and len(space.rows) > 2


def test_the_texts_of_a_file_are_a_space(tmp_path: Path):
    file = tmp_path / "my.texts.csv"
    file.write_text("text,id\nthe boat,b\nsalt and bread,s\n")
    space = texts_space("tiny", str(file), 0, "cls")
    assert space.name == "tiny-my.texts-layer0-cls" and space.rows["label"].tolist() == ["b", "s"]
    assert tokens_space("tiny", str(file), 0).rows["group"].tolist()[-1] == "s"


def test_tokens_have_their_text():
    space = tokens_space("tiny", "one", 1)
    assert np.array_equal(space.vectors, load_tensors(EXTRACTED)["token"][1])
    assert space.rows["label"][1] == "the" and space.rows["group"][1] == "sea"
    assert space.rows["group"].iloc[-1] == "long"


def test_own_vectors_have_own_labels(tmp_path: Path):
    x = np.eye(3, dtype=np.float32)
    np.save(tmp_path / "own.npy", x)
    (tmp_path / "names.csv").write_text("label,group\na,g\nb,g\nc,h\n")
    space = own_space(tmp_path / "own.npy", tmp_path / "names.csv")
    assert space.rows["label"].tolist() == ["a", "b", "c"]
    assert space.rows["group"].tolist() == ["g", "g", "h"] and space.vectors.tolist() == x.tolist()
    assert own_space(tmp_path / "own.npy", None).rows["label"].tolist() == ["0", "1", "2"]
    (tmp_path / "few.csv").write_text("label\na\n")
    with pytest.raises(InputError, match="found 1 rows, allowed: 3, one for a vector"):
        own_space(tmp_path / "own.npy", tmp_path / "few.csv")


def test_what_is_not_there_is_refused():
    with pytest.raises(InputError, match="found 'other', allowed: input, positional, segment"):
        learned_space("tiny", "other")
    with pytest.raises(InputError, match=r"other\.yaml: not found"):
        learned_space("other", "input")
    with pytest.raises(InputError, match="--layer: found 9, allowed: 0 to 2"):
        tokens_space("tiny", "one", 9)

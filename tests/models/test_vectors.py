import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.extract.embeddings import extract_embeddings
from embspace.models.architecture import load_config
from embspace.models.locate import sha256
from embspace.models.tokenizer import load_spelling, tokenizer_files
from embspace.models.vectors import labeled_vocabulary, load_vectors
from embspace.models.weights import load_model
from embspace.prepare.model import prepare_model
from embspace.settings.model import VectorsModel, describe_model

N, DIM = 6, 4


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Vectors with labels, positions and segments, as keys of conf/model/mine.yaml name them."""
    rng = np.random.default_rng(0)
    for name, rows in {"path": N, "positional": 3, "segment": 2}.items():
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(rows, DIM)))
    tokens = ["boat", "7", "!", "größe", "x y", "日"]
    pd.DataFrame({"token": tokens, "group": list("ababab")}).to_csv(
        tmp_path / "labels.csv", index=False
    )
    keys = ("path", "positional", "segment")
    return {key: str(tmp_path / f"{key}.npy") for key in keys} | {
        "labels": str(tmp_path / "labels.csv")
    }


def described(**keys: object) -> VectorsModel:
    content = {"label": "mine", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    model = describe_model("mine", {**content, **keys})
    assert isinstance(model, VectorsModel)
    return model


def test_vectors_are_the_input_matrix_and_labels_the_vocabulary(files: dict[str, str]):
    matrices, vocabulary = extract_embeddings("mine", described(**files))
    assert {space: x.shape for space, x in matrices.items()} == {
        "input": (N, DIM),
        "positional": (3, DIM),
        "segment": (2, DIM),
    }
    assert np.array_equal(matrices["input"], np.load(files["path"]).astype(np.float32))
    assert vocabulary["id"].tolist() == list(range(N))
    assert vocabulary["kind"].tolist() == ["word", "digit", "other", "word", "other", "word"]
    assert vocabulary["character_class"].tolist()[:3] == ["latin", "digit", "punctuation"]
    assert vocabulary["group"].tolist() == list("ababab")
    assert (vocabulary["role"] == "").all()


def test_without_labels_rows_are_numbered(files: dict[str, str]):
    matrices, vocabulary = load_vectors("mine", described(path=files["path"]))
    assert list(matrices) == ["input"]
    assert vocabulary["token"].tolist() == [f"<{number}>" for number in range(N)]


def test_labels_may_repeat(files: dict[str, str]):
    labels = pd.DataFrame({"label": ["a", "a"]})
    assert labeled_vocabulary(labels)["token"].tolist() == ["a", "a"]


def test_there_is_nothing_else_to_load(files: dict[str, str]):
    model = described(path=files["path"])
    assert load_model("mine", model) is None
    assert load_config("mine", model) is None
    assert tokenizer_files(model) is None
    assert load_spelling("mine", model) is None


def test_the_pin_follows_the_files_though_the_yaml_stays(files: dict[str, str]):
    model = described(**files)
    before = prepare_model("mine", model, {})
    assert before["sha256"] == {key: sha256(Path(path)) for key, path in files.items()}
    np.save(files["path"], np.ones((N, DIM)))
    after = prepare_model("mine", model, {})
    assert [key for key in files if before["sha256"][key] != after["sha256"][key]] == ["path"]


def test_files_that_are_not_pinned_are_told(
    files: dict[str, str], caplog: pytest.LogCaptureFixture
):
    pins = {key: sha256(Path(path)) for key, path in files.items()}
    with caplog.at_level(logging.WARNING):
        load_vectors("mine", described(**files, sha256=pins))
        assert not caplog.records
        del pins["labels"]
        load_vectors("mine", described(**files, sha256=pins))
    assert f"labels: {sha256(Path(files['labels']))}" in caplog.text
    assert "path:" not in caplog.text


def test_a_file_that_differs_from_its_pin_is_refused(files: dict[str, str]):
    with pytest.raises(InputError, match=r"path\.npy: sha256 differs from conf/model/mine\.yaml"):
        load_vectors("mine", described(**files, sha256={"path": "0" * 64}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"path": "no/x.npy"}, "key 'path': no file no/x.npy"),
        ({"labels": "no/x.csv"}, "key 'labels': no file no/x.csv"),
        ({"segment": None, "sha256": {"segment": "0" * 64}}, "key 'sha256.segment': found a hash"),
        ({"sha256": {"x.npy": "0" * 64}}, r"key 'sha256\.x\.npy.*': .*'path', 'labels'"),
        ({"matrices": {}}, "key 'matrices' is unknown; allowed: header, label, labels, lang"),
        ({"path": None}, "key 'path': .*string.*found None"),
    ],
)
def test_a_slip_names_file_and_key(files: dict[str, str], change: dict[str, object], message: str):
    with pytest.raises(InputError, match=rf"conf/model/mine\.yaml: {message}"):
        load_vectors("mine", described(**{**files, **change}))


def test_other_dimensions_too_few_labels_and_bad_numbers_name_key_and_file(files: dict[str, str]):
    place = r"conf/model/mine\.yaml: key "
    np.save(files["positional"], np.ones((3, DIM + 1)))
    expected = rf"{place}'positional': .*positional\.npy: found 5 dimensions, allowed: 4"
    with pytest.raises(InputError, match=expected):
        load_vectors("mine", described(**files))
    np.save(files["positional"], np.full((3, DIM), np.nan))
    with pytest.raises(InputError, match=rf"{place}'positional': .*npy: found 3 rows with NaN"):
        load_vectors("mine", described(**files))
    pd.DataFrame({"token": ["a"]}).to_csv(files["labels"], index=False)
    expected = rf"{place}'labels': .*labels\.csv: found 1 rows, allowed: 6, one for each vector"
    with pytest.raises(InputError, match=expected):
        load_vectors("mine", described(path=files["path"], labels=files["labels"]))


@pytest.mark.parametrize("shape", [(3, 9), (9, 2)])
def test_too_few_vectors_or_dimensions_are_refused(tmp_path: Path, shape: tuple[int, int]):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=shape))
    expected = "allowed: 4 rows and 3 dimensions or more"
    with pytest.raises(InputError, match=expected):
        load_vectors("mine", described(path=str(tmp_path / "x.npy")))

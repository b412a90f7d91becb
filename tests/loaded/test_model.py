"""A model is loaded once, and anew where its files are others."""

from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.loaded.model import READING, load
from embspace.settings.model import (
    FolderFiles,
    FolderModel,
    HubFiles,
    HubModel,
    PackageFiles,
    PackageModel,
    RandomModel,
    WheelFiles,
    WheelModel,
)
from embspace.settings.own import called
from tests.loaded.folders import tree
from tests.tiny import VOCABULARY, build_tiny_bert

__all__ = ["tree"]


def test_the_second_time_it_comes_from_memory(tree: Path):
    assert load("tiny", tree).module is load("tiny", tree).module


def test_other_files_in_the_same_place_are_another_model(tree: Path, tmp_path: Path):
    folder = tmp_path / "mine"
    build_tiny_bert(folder, seed=1)
    first = load(str(folder), tree).learned()[0]["input"]
    build_tiny_bert(folder, seed=2)
    second = load(str(folder), tree).learned()[0]["input"]
    assert not np.array_equal(first, second)


def test_a_model_of_a_folder_is_called_as_the_folder(tree: Path, tmp_path: Path):
    build_tiny_bert(tmp_path / "my_model")
    loaded = load(str(tmp_path / "my_model"), tree)
    assert loaded.name.startswith("my_model-")
    assert called(loaded.name, loaded.description.model_dump()) == "my_model"


def test_each_key_of_a_description_decides_states_or_is_known_not_to():
    where = {*PackageFiles.model_fields, *FolderFiles.model_fields, *HubFiles.model_fields}
    called_or_spelled = {"label", "license", "language", "note", "unused_tokens"}
    called_or_spelled |= {"continuation_prefix", "word_prefix"}
    parameters = {"matrices", "masked_head", "parameters", "untrained", "allow_unused"}
    apart = {"most_documents", "checkpoints", "stands_for", "tokenizer"}  # texts, and other files
    apart |= {*WheelFiles.model_fields} - {"config"}
    known = where | called_or_spelled | parameters | apart
    kinds = [PackageModel, FolderModel, HubModel, WheelModel, RandomModel]
    keys = {key for kind in kinds for key in kind.model_fields}
    assert keys - known == READING


def test_learned_matrices_have_a_row_a_token(tree: Path):
    matrices, vocabulary = load("tiny", tree).learned()
    assert vocabulary["token"].tolist() == VOCABULARY
    assert len(matrices["input"]) == len(VOCABULARY)
    matrices["input"][:] = 0  # a copy
    assert load("tiny", tree).learned()[0]["input"].any()


def test_vectors_read_no_texts(tree: Path):
    np.save(tree / "vectors.npy", np.eye(30, dtype=np.float32))
    conf = tree / "conf/model/mine.yaml"
    conf.write_text(
        "label: mine\nlicense: CC0-1.0\nlanguage: none\nsource: vectors\npath: vectors.npy\n"
    )
    with pytest.raises(InputError, match="'mine' is vectors without a model, which reads no texts"):
        load("mine", tree)


def test_an_unknown_model_is_told(tree: Path):
    with pytest.raises(InputError, match=r"tinny\.yaml: not found; did you mean 'tiny'\?"):
        load("tinny", tree)

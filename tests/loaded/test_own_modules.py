"""Sentence-transformers' objects: their own modules make sentences' vectors of states once read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.loaded.given import encoded_by, take
from embspace.loaded.states import read_states
from tests.lazy import sentence_transformers, torch
from tests.loaded.folders import tree
from tests.models.sentence.folders import Module, dense, pooling, write_modules
from tests.tiny import DIM, build_tiny_bert

__all__ = ["tree"]

TEXTS = ["the cat sat on the mat", "a dog", "the sun and the rain"]


def loaded_object(folder: Path, modules: list[Module], **written: Any) -> Any:
    write_modules(build_tiny_bert(folder), modules, **written)
    return sentence_transformers.SentenceTransformer(str(folder), device="cpu")


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the texts are read a second time")


@pytest.mark.filterwarnings("error")  # a fresh object is in no training
@pytest.mark.parametrize(
    "modules",
    [
        [pooling("mean"), ("Normalize", {})],
        [pooling("cls", "weightedmean"), dense(2 * DIM, 5), ("Normalize", {})],
        [pooling("lasttoken")],
    ],
)
def test_vectors_are_those_of_encode_and_texts_are_read_once(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: list[Module]
):
    encoder = loaded_object(tmp_path / "one", modules)
    expected = encoder.encode(TEXTS)
    loaded = take(encoder, None)
    monkeypatch.setattr(encoder, "encode", refuse)
    made = read_states(loaded, TEXTS, tree, {}).tensors["sentence"]
    assert np.allclose(made[0], expected, atol=1e-5)


def test_prompts_shorter_vectors_and_changes_between_two_calls(tree: Path, tmp_path: Path):
    prompts = {"prompts": {"query": "the dog: "}, "default_prompt_name": "query"}
    modules = [pooling("mean", include_prompt=False)]
    encoder = loaded_object(tmp_path / "one", modules, prompts=prompts)
    encoder.truncate_dim = 3
    loaded = take(encoder, None)
    assert loaded.modules is not None
    made = read_states(loaded, TEXTS, tree, {}).tensors["sentence"][0]
    assert made.shape == (3, 3) and np.allclose(made, encoder.encode(TEXTS), atol=1e-5)
    encoder.truncate_dim = encoder.default_prompt_name = None
    encoder[1].pooling_mode = ("max",)
    made = read_states(take(encoder, None), TEXTS, tree, {}).tensors["sentence"][0]
    assert np.allclose(made, encoder.encode(TEXTS), atol=1e-5)


def test_a_module_of_the_users_is_asked_by_encode(tree: Path, tmp_path: Path):
    encoder = loaded_object(tmp_path / "one", [pooling("mean")])

    class Doubled(torch.nn.Module):  # type: ignore[misc]
        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            return {**features, "sentence_embedding": 2 * features["sentence_embedding"]}

    encoder.append(Doubled())
    loaded = take(encoder, None)
    assert loaded.modules is None
    made = read_states(loaded, TEXTS, tree, {}).tensors["sentence"][0]
    assert np.allclose(made, encoder.encode(TEXTS), atol=1e-5)


def test_modules_that_make_something_else_than_encode_are_not_believed(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    encoder = loaded_object(tmp_path / "one", [pooling("mean")])
    real = encoder.encode
    monkeypatch.setattr(encoder, "encode", lambda *given, **named: real(*given, **named) + 1)
    loaded = take(encoder, None)
    assert loaded.modules is None
    made = read_states(loaded, TEXTS, tree, {}).tensors["sentence"][0]
    assert np.allclose(made, real(TEXTS) + 1, atol=1e-5)


def test_an_object_that_does_not_say_its_dimension_is_asked_by_encode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    encoder = loaded_object(tmp_path / "one", [pooling("mean")])
    monkeypatch.setattr(encoder, "get_embedding_dimension", lambda: None)
    assert take(encoder, None).modules is None


def test_of_no_texts_there_is_an_empty_matrix(tmp_path: Path):
    encoder = loaded_object(tmp_path / "one", [pooling("mean")])
    assert encoded_by(encoder, []).ndim == 2

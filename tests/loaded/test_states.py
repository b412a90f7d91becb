"""States in this process are those of the pipeline and of transformers, kept or joined."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.extract.hidden_states import HiddenStates, extract_hidden_states
from embspace.loaded import states as states_of
from embspace.loaded.model import LoadedModel, load
from embspace.loaded.settings_read import settings_in
from embspace.loaded.states import joined, read_states
from embspace.models import encoder, windows
from tests.lazy import torch, transformers
from tests.loaded.folders import TEXTS, tree
from tests.models.sentence.folders import Module, encode_by_torch, pooling, write_modules
from tests.tiny import build_tiny_bert

__all__ = ["tree"]


def test_states_are_those_of_transformers(tree: Path):
    made = read_states(load("tiny", tree), TEXTS[:3], tree, {})
    model = transformers.AutoModel.from_pretrained(tree / "models/tiny")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tree / "models/tiny")
    for number, text in enumerate(TEXTS[:3]):
        with torch.no_grad():
            output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        rows = (made.tokens["window"] == number).to_numpy()
        for layer, expected in enumerate(output.hidden_states):
            assert np.allclose(made.tensors["token"][layer][rows], expected[0], atol=1e-6)
            mean = expected[0].mean(dim=0)
            assert np.allclose(made.tensors["mean"][layer, number], mean, atol=1e-6)


def stage_states(loaded: LoadedModel, texts: list[str], used: dict[str, Any]) -> HiddenStates:
    table = pd.DataFrame({"id": [str(n + 1) for n in range(len(texts))], "text": texts})
    described, module = loaded.description, loaded.module
    return extract_hidden_states(described, module, loaded.tokenizer, table, True, **used)


MANY = [" ".join(["the cat sat on the mat and the dog"] * (n % 7 + 1)) for n in range(60)]


def test_states_are_those_of_the_stage_but_for_rounding(tree: Path):
    loaded = load("tiny", tree)
    used = {**settings_in(tree / states_of.SETTINGS), "device": "cpu"}
    expected = states_of._collected(stage_states(loaded, MANY, used))
    made = read_states(loaded, MANY, tree, {})
    assert made.tensors.keys() >= expected.keys()
    for name, tensor in expected.items():
        # Sums of float32 in another order; relative to the largest state of the layer.
        bound = 5e-6 * np.abs(tensor).max(axis=(1, 2), keepdims=True)
        assert (np.abs(made.tensors[name] - tensor) <= bound).all(), name


@pytest.mark.parametrize(
    ("settings", "device", "is_less_padded"),
    [({}, "cpu", True), ({"tokens_per_batch": 4096}, "cpu", False), ({}, "meta", False)],
)
def test_batches_are_the_stage_s_where_the_user_says_so_or_off_the_cpu(
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
    device: str,
    is_less_padded: bool,
):
    bounds = []
    real = encoder.batches_by_length

    def batches(*given: Any, **options: Any) -> list[list[int]]:
        bounds.append(options.get("most_padding"))
        return real(*given, **options)

    monkeypatch.setattr(encoder, "batches_by_length", batches)
    monkeypatch.setattr("embspace.device.choose_device", lambda _: device)
    read_states(load("tiny", tree), MANY, tree, settings)
    assert (states_of.PADDING in bounds) == is_less_padded


def test_a_long_text_has_several_windows_and_loses_none(tree: Path):
    made = read_states(load("tiny", tree), TEXTS, tree, {})
    assert (made.windows["text"] == "4").sum() > 1
    assert made.tensors["mean"].shape[1] == len(made.windows)
    new = made.tokens[~made.tokens["special"] & ~made.tokens["repeated"]]
    last = made.windows.index[made.windows["text"] == "4"]
    ids = new["token"][new["window"].isin(last)].tolist()
    assert ids == (["rain", "on", "the", "mat", "."] * 20)


def test_texts_that_are_added_have_the_states_of_all_at_once(tree: Path):
    loaded = load("tiny", tree)
    whole = read_states(loaded, TEXTS, tree, {"tokens_per_batch": 1})
    parts = [
        read_states(loaded, some, tree, {"tokens_per_batch": 1}) for some in (TEXTS[:1], TEXTS[1:])
    ]
    both = joined(*parts, 1)
    assert both.windows.equals(whole.windows)
    assert both.tokens.equals(whole.tokens)
    for name, tensor in whole.tensors.items():
        assert np.array_equal(both.tensors[name], tensor)


def test_the_table_of_tokens_is_made_when_it_is_looked_at(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    made = read_states(load("tiny", tree), TEXTS, tree, {})
    calls = []
    real = windows.token_table
    monkeypatch.setattr(windows, "token_table", lambda *given: calls.append(1) or real(*given))
    assert made.tensors["token"].shape[1] == len(made.tokens) == len(made.tokens)
    assert calls == [1]


def test_states_beyond_memory_are_in_a_file_without_a_name(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded = load("tiny", tree)
    kept = read_states(loaded, TEXTS, tree, {})
    monkeypatch.setattr(states_of, "IN_MEMORY", 1)
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path))
    filed = read_states(loaded, TEXTS, tree, {})
    assert isinstance(filed.tensors["token"], np.memmap)
    for name, tensor in kept.tensors.items():
        assert np.array_equal(filed.tensors[name], tensor)
    assert not [*tmp_path.iterdir()]


def test_a_cache_that_cannot_be_written_is_told(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded = load("tiny", tree)
    monkeypatch.setattr(states_of, "IN_MEMORY", 1)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EMBSPACE_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="file: .*GiB there; read fewer texts at once"):
        read_states(loaded, TEXTS, tree, {})


def test_a_sentence_model_has_the_vectors_of_its_makers(tree: Path, tmp_path: Path):
    folder = tmp_path / "sentences"
    modules: list[Module] = [pooling("max"), ("Normalize", {})]
    write_modules(build_tiny_bert(folder), modules)
    made = read_states(load(str(folder), tree), TEXTS[:3], tree, {})
    expected = [encode_by_torch(folder, text, modules) for text in TEXTS[:3]]
    assert np.allclose(made.tensors["sentence"][0], expected, atol=1e-5)

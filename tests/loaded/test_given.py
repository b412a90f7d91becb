"""Models that are in memory already are read as their folders are."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.loaded import given
from embspace.loaded.given import is_loaded, take
from embspace.loaded.model import load
from embspace.loaded.states import read_states
from embspace.models import describe
from tests.lazy import tokenizers, torch, transformers
from tests.loaded.folders import TEXTS, tree

__all__ = ["tree"]


def loaded_by_hand(tree: Path, kind: str = "AutoModel"):
    folder = tree / "models/tiny"
    module = getattr(transformers, kind).from_pretrained(folder)
    return module, transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("kind", ["AutoModel", "AutoModelForMaskedLM"])
def test_states_are_those_of_the_folder(tree: Path, kind: str):
    expected = read_states(load("tiny", tree), TEXTS, tree, {})
    made = read_states(take(*loaded_by_hand(tree, kind)), TEXTS, tree, {})
    assert made.tokens.equals(expected.tokens)
    for name, tensor in expected.tensors.items():
        assert np.array_equal(made.tensors[name], tensor)


def test_dropout_is_off_and_on_again(tree: Path):
    module, tokenizer = loaded_by_hand(tree)
    expected = read_states(take(module, tokenizer), TEXTS, tree, {}).tensors["token"]
    module.train()
    with pytest.warns(UserWarning, match="is read without dropout"):
        loaded = take(module, tokenizer)
    with pytest.warns(UserWarning, match="is read without dropout"):
        made = read_states(loaded, TEXTS, tree, {})
    assert np.array_equal(made.tensors["token"], expected)
    assert module.training


def test_a_module_is_found_out_once_and_anew_in_another_form(
    tree: Path, monkeypatch: pytest.MonkeyPatch
):
    calls = []
    real = describe.describe_module
    monkeypatch.setattr(
        describe, "describe_module", lambda *given: calls.append(given) or real(*given)
    )
    module, tokenizer = loaded_by_hand(tree)
    first = take(module, tokenizer)
    with torch.no_grad():  # as training does
        next(module.parameters()).mul_(2)
    assert take(module, tokenizer).description == first.description and len(calls) == 1
    take(module, loaded_by_hand(tree)[1])
    module.resize_token_embeddings(len(tokenizer) + 8)
    longer = take(module, tokenizer)
    assert len(calls) == 3
    assert longer.description.padding_rows == first.description.padding_rows + 8


def test_a_tokenizer_that_is_changed_between_two_calls_is_found_out_anew(tree: Path):
    _, tokenizer = loaded_by_hand(tree)
    sizes = {"d_model": 8, "d_kv": 4, "num_heads": 2, "d_ff": 8, "num_layers": 1}
    config = transformers.T5Config(vocab_size=len(tokenizer), **sizes)
    module = transformers.T5EncoderModel(config).eval()  # no positions: the tokenizer bounds it
    tokenizer.model_max_length = 512
    assert take(module, tokenizer).description.window == 512
    tokenizer.model_max_length = 7
    assert take(module, tokenizer).description.window == 7
    form = given._form(module, tokenizer)
    tokenizer.backend_tokenizer.normalizer = tokenizers.normalizers.NFD()
    assert given._form(module, tokenizer) != form


def test_half_precision_stays_and_its_states_are_read_as_they_are(tree: Path):
    module, tokenizer = loaded_by_hand(tree)
    whole = read_states(take(module, tokenizer), TEXTS, tree, {}).tensors["token"]
    half = read_states(take(module.bfloat16(), tokenizer), TEXTS, tree, {}).tensors["token"]
    assert half.dtype == np.float32
    assert 1e-4 < np.abs(half - whole).max() < 0.2
    assert str(next(module.parameters()).dtype) == "torch.bfloat16"


def test_a_module_without_tokenizer_or_with_a_slow_one_is_told(tree: Path):
    module, _ = loaded_by_hand(tree)
    with pytest.raises(InputError, match="tokenizer: found none, which texts need"):
        take(module, None)
    with pytest.raises(InputError, match="found SimpleNamespace, allowed: a fast tokenizer"):
        take(module, SimpleNamespace(is_fast=False))


def test_the_tokenizer_of_another_model_is_told(tree: Path):
    module, tokenizer = loaded_by_hand(tree)
    tokenizer.add_tokens(["one", "more"])
    with pytest.raises(InputError, match="a tokenizer's ids are rows of its model"):
        take(module, tokenizer)


def test_names_and_folders_are_not_loaded():
    assert not any(map(is_loaded, ("minilm", Path("models/tiny"), None, 3)))


def test_one_part_in_training_is_read_without_dropout_and_stays_the_only_one(tree: Path):
    module, tokenizer = loaded_by_hand(tree)
    loaded = take(module, tokenizer)
    expected = read_states(loaded, TEXTS, tree, {}).tensors["token"]
    module.encoder.layer[1].train()
    with pytest.warns(UserWarning, match="is read without dropout"):
        made = read_states(loaded, TEXTS, tree, {}).tensors["token"]
    assert np.array_equal(made, expected)
    assert module.encoder.layer[1].training and not module.encoder.layer[0].training
    assert not module.training

"""What a user has loaded is, once it has been read, what it was."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.app.describe.find import find_model
from embspace.loaded.given import take
from embspace.loaded.model import LoadedModel, load_described
from embspace.loaded.states import read_states
from embspace.loaded.untouched import untouched
from tests.lazy import torch, transformers
from tests.loaded.folders import TEXTS, tree
from tests.tiny_architectures import build_tiny

__all__ = ["tree"]
SHORT = [text[:40] for text in TEXTS]


def state_of(thing: Any) -> dict[str, Any]:
    """Its attributes; of containers a copy, of other objects themselves."""
    containers = (dict, list, set)
    return {
        name: copy.copy(value) if isinstance(value, containers) else value
        for name, value in vars(thing).items()
    }


def states_of(module: Any, tokenizer: Any) -> list[Any]:
    """All that reading might change."""
    backend = tokenizer.backend_tokenizer
    return [
        *((name, state_of(part)) for name, part in module.named_modules()),
        copy.deepcopy(module.config.to_dict()),
        state_of(module.config),
        state_of(tokenizer),
        backend.to_str(),
        (backend.truncation, backend.padding, backend.encode_special_tokens),
        {str(value.dtype) for value in module.state_dict().values()},
    ]


def loaded_by_hand(folder: Path) -> tuple[Any, Any]:
    module = transformers.AutoModel.from_pretrained(folder)
    return module, transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("kind", ["bert", "fnet", "xlnet", "big_bird"])
def test_a_module_and_its_tokenizer_come_back_as_they_were(kind: str, tree: Path, tmp_path: Path):
    sizes = {"block_size": 2, "num_random_blocks": 1} if kind == "big_bird" else {}
    module, tokenizer = loaded_by_hand(build_tiny(kind, tmp_path / kind, **sizes))
    module.get_input_embeddings().train()
    module.register_forward_hook(lambda *_: None)
    tokenizer.backend_tokenizer.enable_truncation(7)
    tokenizer.backend_tokenizer.enable_padding(length=9)
    before = states_of(module, tokenizer)
    with pytest.warns(UserWarning, match="is read without dropout"):
        loaded = take(module, tokenizer)
        assert states_of(module, tokenizer) == before
        read_states(loaded, SHORT, tree, {})
    assert states_of(module, tokenizer) == before


@pytest.mark.parametrize("kind", ["fnet", "convbert", "xlnet", "longformer", "t5"])
def test_it_is_read_by_the_same_rules_as_its_folder(kind: str, tree: Path, tmp_path: Path):
    """FNet mixes padding into texts; XLNet reads types of tokens; Longformer fills up a window."""
    sizes = {"attention_window": 64} if kind == "longformer" else {}
    folder = build_tiny(kind, tmp_path / kind, **sizes)
    named = find_model(str(folder), tree, None)
    expected = read_states(load_described(named.name, named.described, tree), SHORT, tree, {})
    made = read_states(take(*loaded_by_hand(folder)), SHORT, tree, {})
    assert {*made.tensors} == {*expected.tensors}
    for name, tensor in expected.tensors.items():
        assert np.array_equal(made.tensors[name], tensor), name


def test_a_hook_of_the_user_can_still_be_removed(tree: Path):
    module, tokenizer = loaded_by_hand(tree / "models/tiny")
    calls: list[int] = []
    handle = module.register_forward_hook(lambda *_: calls.append(1))
    read_states(take(module, tokenizer), SHORT, tree, {})
    handle.remove()
    calls.clear()
    module(input_ids=torch.ones(1, 3, dtype=torch.long))
    assert not calls
    assert not module._forward_hooks


def test_all_that_is_set_meanwhile_is_set_back(tree: Path):
    module, tokenizer = loaded_by_hand(tree / "models/tiny")
    before = states_of(module, tokenizer)
    part = module.encoder.layer[0]
    with pytest.raises(ValueError, match="in between"), untouched(module, tokenizer):
        module.a_name = part.b_name = module.config.c_name = 1
        part.register_forward_pre_hook(lambda *_: None)
        part.register_buffer("d_name", torch.zeros(2))
        module.encoder.layer[1].attention = torch.nn.Identity()
        tokenizer.e_name = 2
        tokenizer.backend_tokenizer.enable_truncation(3)
        raise ValueError("in between")
    assert states_of(module, tokenizer) == before


def test_a_model_of_a_folder_keeps_its_rules(tree: Path, tmp_path: Path):
    named = find_model(str(build_tiny("fnet", tmp_path / "fnet")), tree, None)
    loaded: LoadedModel = load_described(named.name, named.described, tree)
    first = read_states(loaded, SHORT, tree, {}).tensors["token"]
    assert np.array_equal(read_states(loaded, SHORT, tree, {}).tensors["token"], first)

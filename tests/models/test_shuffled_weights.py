from typing import Any

import numpy as np
import pytest

from embspace.models.shuffled_weights import with_shuffled_entries
from tests.lazy import torch, transformers

SMALL = {"num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2, "vocab_size": 9}


@pytest.fixture(scope="module")
def bert() -> Any:
    module = transformers.BertModel(transformers.BertConfig(**SMALL, intermediate_size=32))
    with torch.no_grad():
        for name, values in module.named_parameters():
            if values.ndim == 1:
                values.normal_()
            assert values.numel() > 1, name
    return module


def parameters(module: Any) -> dict[str, np.ndarray]:
    return {
        name: parameter.detach().numpy().copy() for name, parameter in module.named_parameters()
    }


def test_a_matrix_keeps_its_entries_and_not_their_order(bert: Any) -> None:
    before, after = parameters(bert), parameters(with_shuffled_entries(bert, 0))
    assert before.keys() == after.keys()
    matrices = [name for name, values in before.items() if values.ndim > 1]
    assert len(matrices) > 5
    for name in matrices:
        assert after[name].shape == before[name].shape
        assert (np.sort(after[name], axis=None) == np.sort(before[name], axis=None)).all()
        assert (after[name] == before[name]).mean() < 0.5, name
        # Not within rows or columns alone.
        if min(before[name].shape) > 2:
            assert not np.allclose(after[name].sum(axis=0), before[name].sum(axis=0)), name
            assert not np.allclose(after[name].sum(axis=1), before[name].sum(axis=1)), name


def test_vectors_stay(bert: Any) -> None:
    before, after = parameters(bert), parameters(with_shuffled_entries(bert, 0))
    for name, values in before.items():
        if values.ndim == 1:
            assert (after[name] == values).all(), name


def test_the_module_itself_stays(bert: Any) -> None:
    before = parameters(bert)
    state = torch.random.get_rng_state()
    shuffled = with_shuffled_entries(bert, 0)
    assert all((values == before[name]).all() for name, values in parameters(bert).items())
    assert torch.random.get_rng_state().equal(state)
    assert not shuffled.training


def test_the_seed_is_the_one_door(bert: Any) -> None:
    one, again, other = (parameters(with_shuffled_entries(bert, seed)) for seed in (1, 1, 2))
    name = "embeddings.word_embeddings.weight"
    assert (one[name] == again[name]).all()
    assert (one[name] != other[name]).any()


def test_a_matrix_that_two_places_share_is_shared_still() -> None:
    layer = torch.nn.Linear(4, 4, bias=False)
    module = torch.nn.ModuleDict({"one": layer, "other": layer})
    shuffled = with_shuffled_entries(module, 0)
    assert shuffled["one"].weight is shuffled["other"].weight

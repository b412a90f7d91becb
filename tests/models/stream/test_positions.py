from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.models.stream.positions import removable_positions, without_positions
from embspace.models.weights import load_model
from embspace.settings.model import Model, describe_model
from tests.lazy import torch
from tests.tiny import tiny_description
from tests.zoo import build_animal, describe_animal

REMOVED = {
    "bert": "table",
    "roberta": "table",
    "gpt2": "table",
    "opt": "table",
    "llama": "rotation",
    "modernbert": "rotation",
    "gpt_neox": "rotation",
    "bloom": "nothing",
    "mpnet": "nothing",
    "deberta-v2": "nothing",
}


@pytest.fixture(scope="module")
def tiny(tiny_folder: Path) -> tuple[Model, Any]:
    model = describe_model("tiny", tiny_description(tiny_folder))
    return model, load_model("tiny", model)


def states(module: Any, ids: list[int], layer: int = -1) -> np.ndarray:
    batch = torch.tensor([ids])
    with torch.inference_mode():
        output = module(
            input_ids=batch, attention_mask=torch.ones_like(batch), output_hidden_states=True
        )
    return np.asarray(output.hidden_states[layer][0])


@pytest.mark.parametrize("name", REMOVED)
def test_what_makes_the_positions_is_found(name: str, tmp_path: Path):
    model = describe_animal(name, build_animal(name, tmp_path))
    assert removable_positions(load_model(name, model), model) == REMOVED[name]


def test_without_its_table_an_encoder_gives_permuted_states(tiny: tuple[Model, Any]):
    model, module = tiny
    ids, order = [2, 6, 7, 8, 9, 3], [4, 0, 5, 2, 1, 3]
    permuted = [ids[place] for place in order]
    with without_positions(module, model):
        np.testing.assert_allclose(states(module, permuted), states(module, ids)[order], atol=1e-5)
    assert not np.allclose(states(module, permuted), states(module, ids)[order], atol=1e-2)


def test_the_table_is_put_back_also_after_an_error(tiny: tuple[Model, Any]):
    model, module = tiny
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    with pytest.raises(RuntimeError, match="stop"), without_positions(module, model):
        assert not module.embeddings.position_embeddings.weight.any()
        raise RuntimeError("stop")
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())


def test_equal_positions_turn_nothing_and_the_mask_alone_tells_order(tmp_path: Path):
    model = describe_animal("llama", build_animal("llama", tmp_path))
    module = load_model("llama", model)
    ids, order = [5, 6, 7, 8], [2, 0, 1, 3]
    permuted = [ids[place] for place in order]
    before = states(module, ids, layer=1)
    with without_positions(module, model):
        own, other = states(module, ids, layer=1), states(module, permuted, layer=1)
    # The last token sees all others, in whatever order; a token before it sees other ones.
    np.testing.assert_allclose(own[3], other[3], atol=1e-7)
    assert not np.allclose(own[2], other[0], atol=1e-5)
    # Small random weights turn little, but more than rounding does.
    assert np.abs(states(module, permuted, layer=1)[3] - before[3]).max() > 1e-6
    np.testing.assert_array_equal(states(module, ids, layer=1), before)

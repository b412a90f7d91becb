"""The head between layers and vocabulary gives the scores that transformers gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.masked_head import head_of_module, read_masked_head
from embspace.settings.model import MaskedHead
from tests.lazy import torch
from tests.models.parameters.tiny import describe, with_head, write_checkpoint

HEADS = {
    "bert": MaskedHead(
        dense="cls.predictions.transform.dense",
        norm="cls.predictions.transform.LayerNorm",
        bias="cls.predictions.bias",
    ),
    "roberta": MaskedHead(dense="lm_head.dense", norm="lm_head.layer_norm", bias="lm_head.bias"),
    "distilbert": MaskedHead(
        dense="vocab_transform", norm="vocab_layer_norm", bias="vocab_projector.bias"
    ),
    "albert": MaskedHead(
        dense="predictions.dense",
        norm="predictions.LayerNorm",
        bias="predictions.bias",
        activation="gelu_new",
    ),
    "modernbert": MaskedHead(dense="head.dense", norm="head.norm", bias="decoder.bias"),
}


def scores(module: Any) -> tuple[np.ndarray, np.ndarray]:
    """The last hidden states of a text, and the scores that the model makes of them."""
    ids = torch.tensor([[7, 8, 9]])
    with torch.no_grad():
        states = module.base_model(input_ids=ids).last_hidden_state
        return states[0].numpy(), module(input_ids=ids).logits[0].numpy()


def table_of(module: Any) -> np.ndarray:
    weight: np.ndarray = module.base_model.get_input_embeddings().weight.detach().numpy()
    return weight


@pytest.mark.parametrize("model_type", HEADS)
def test_a_head_of_a_checkpoint_gives_the_scores_of_the_model(tmp_path: Path, model_type: str):
    module = with_head("MaskedLM", model_type)
    states, expected = scores(module)
    model = describe(write_checkpoint(tmp_path, module))
    head = read_masked_head("m", model, HEADS[model_type], module.config, table_of(module))
    made = head(states) @ head.output.T + head.bias
    assert np.allclose(made, expected, atol=1e-4)
    assert head(states).dtype == np.float32


@pytest.mark.parametrize("model_type", HEADS)
def test_a_head_is_found_by_its_place(model_type: str):
    module = with_head("MaskedLM", model_type)
    states, expected = scores(module)
    head = head_of_module(module, table_of(module))
    assert head is not None
    assert np.allclose(head(states) @ head.output.T + head.bias, expected, atol=1e-4)


def test_a_head_with_one_for_the_next_sentence_is_found():
    module = with_head("PreTraining", "bert")
    head = head_of_module(module, table_of(module))
    assert head is not None
    assert head.dense.shape == (24, 24)


@pytest.mark.parametrize(
    ("kind", "model_type"),
    [
        ("SequenceClassification", "bert"),
        ("CausalLM", "gpt2"),
        ("SequenceClassification", "roberta"),
    ],
)
def test_other_heads_are_none(kind: str, model_type: str):
    module = with_head(kind, model_type)
    assert head_of_module(module, table_of(module)) is None


def test_a_head_of_another_shape_is_refused(tmp_path: Path):
    module = with_head("MaskedLM", "bert")
    model = describe(write_checkpoint(tmp_path, module))
    with pytest.raises(InputError, match=r"key 'masked_head': found a map of \(24, 24\)"):
        read_masked_head("m", model, HEADS["bert"], module.config, table_of(module)[:, :20])


def test_an_unknown_activation_is_refused(tmp_path: Path):
    module = with_head("MaskedLM", "bert")
    model = describe(write_checkpoint(tmp_path, module))
    head = HEADS["bert"].model_copy(update={"activation": "gelo"})
    with pytest.raises(InputError, match="key 'masked_head.activation': found 'gelo'"):
        read_masked_head("m", model, head, module.config, table_of(module))

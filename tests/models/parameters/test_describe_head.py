"""Heads that are found agree with those that are written in conf/model by hand."""

from pathlib import Path
from typing import Any

import pytest

from embspace.models.parameters.describe_head import describe_head
from embspace.settings.schema import read_yaml
from tests.lazy import torch
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import describe, with_head, write_checkpoint

WRITTEN = {
    "albert": "albert_base_v2",
    "bert": "bert_base_uncased",
    "distilbert": "distilbert_base_uncased",
    "modernbert": "modernbert_base",
    "roberta": "roberta_base",
}


def head_keys(folder: Path, module: Any) -> dict[str, Any]:
    return describe_head("m", describe(write_checkpoint(folder, module)), module.base_model)


@pytest.mark.parametrize("model_type", WRITTEN)
def test_a_masked_head_is_that_of_conf_model(model_type: str, tmp_path: Path, root: Path):
    written = read_yaml(root / "conf/model" / f"{WRITTEN[model_type]}.yaml")
    head = head_keys(tmp_path, with_head("MaskedLM", model_type))
    assert head == {"masked_head": written["masked_head"]}
    assert HEADS[model_type].model_dump(exclude_defaults=True) == head["masked_head"]


@pytest.mark.parametrize(
    ("model_type", "options", "expected"),
    [
        ("gpt2", {}, {}),
        ("gpt_neox", {"tie_word_embeddings": False}, {"output": "embed_out.weight"}),
        ("gpt_neox", {"tie_word_embeddings": True}, {}),
        ("gptj", {"tie_word_embeddings": False}, {"output": "lm_head.weight"}),
        ("opt", {}, {}),
    ],
)
def test_an_output_matrix_of_its_own(
    model_type: str, options: dict[str, Any], expected: dict[str, str], tmp_path: Path
):
    assert head_keys(tmp_path, with_head("CausalLM", model_type, **options)) == expected


def test_a_tied_matrix_that_stands_in_the_checkpoint_is_none_of_its_own(tmp_path: Path):
    module = with_head("CausalLM", "gpt_neox", tie_word_embeddings=False)
    with torch.no_grad():
        module.get_output_embeddings().weight.copy_(module.get_input_embeddings().weight)
    assert head_keys(tmp_path, module) == {}


@pytest.mark.parametrize("model_type", ["bert", "roberta", "distilbert", "modernbert"])
def test_a_classifier_is_no_masked_head(model_type: str, tmp_path: Path):
    assert head_keys(tmp_path, with_head("SequenceClassification", model_type)) == {}


def test_a_model_without_a_head_has_none(tmp_path: Path):
    assert head_keys(tmp_path, with_head("MaskedLM", "bert").base_model) == {}

"""Holds the vectors of classes to tiny models whose heads are known."""

from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.class_head import class_head

TINY: dict[str, Any] = {
    "vocab_size": 20,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
}
LABELS: dict[str, Any] = {"id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}}


def tiny(kind: str) -> Any:
    import torch
    import transformers

    torch.manual_seed(0)
    if kind == "gpt2":
        config: Any = transformers.GPT2Config(
            vocab_size=20, n_embd=8, n_layer=1, n_head=2, n_positions=8, **LABELS
        )
        return transformers.GPT2ForSequenceClassification(config)
    if kind == "roberta":
        config = transformers.RobertaConfig(**TINY, intermediate_size=8, **LABELS)
        return transformers.RobertaForSequenceClassification(config)
    config = transformers.BertConfig(**TINY, intermediate_size=8, **LABELS)
    return transformers.BertForSequenceClassification(config)


def test_classes_of_bert_are_read_through_the_pooler() -> None:
    module = tiny("bert")
    head = class_head(module)
    assert head.labels == ["bad", "good"]
    rows = module.classifier.weight.detach().numpy()
    assert np.array_equal(head.rows, rows)
    assert head.through is not None
    pooler = module.bert.pooler.dense.weight.detach().numpy()
    assert head.through == pytest.approx(rows @ pooler)


def test_classes_of_roberta_are_read_through_their_own_layer() -> None:
    module = tiny("roberta")
    head = class_head(module)
    last, inner = module.classifier.out_proj, module.classifier.dense
    assert np.array_equal(head.rows, last.weight.detach().numpy())
    assert head.through == pytest.approx(head.rows @ inner.weight.detach().numpy())


def test_classes_of_gpt2_have_nothing_in_front() -> None:
    module = tiny("gpt2")
    head = class_head(module)
    assert np.array_equal(head.rows, module.score.weight.detach().numpy())
    assert head.through is None


def test_a_model_without_classes_is_refused() -> None:
    with pytest.raises(InputError, match="BertModel: has no map to its classes"):
        class_head(tiny("bert").bert)

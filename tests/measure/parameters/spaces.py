"""A small vocabulary with topics, and parameters that are set by hand."""

from typing import Any

import numpy as np

from embspace.measure.parameters.vocabulary_space import VocabularySpace
from embspace.models.parameters.masked_head import HeadTransform
from embspace.models.parameters.read import run_parameters
from tests.models.parameters.tiny import TOKENS, tiny

DIM, TOPIC = 24, 10
TOPICS = tuple(range(5, 5 + TOPIC))
"""The tokens w0 … w9, whose embeddings have one direction in common."""


class _Tokenizer:
    @property
    def backend_tokenizer(self) -> "_Tokenizer":
        return self

    def get_vocab(self) -> dict[str, int]:
        return {token: at for at, token in enumerate(TOKENS)}

    def id_to_token(self, number: int) -> str:
        return TOKENS[number]


def embedding(seed: int = 0) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=(len(TOKENS), DIM)).astype(np.float32)
    made[list(TOPICS), 0] += 6
    return made


def module_with(**values: np.ndarray) -> Any:
    """A tiny BERT with these embeddings; `topic` is a value of unit 3 of layer 2."""
    import torch

    module = tiny("bert")
    with torch.no_grad():
        module.embeddings.word_embeddings.weight.copy_(torch.from_numpy(embedding()))
        for name, value in values.items():
            assert name == "topic"
            module.encoder.layer[1].output.dense.weight[:, 3] = torch.from_numpy(value)
    return module


def space_of(module: Any, head: HeadTransform | None = None) -> VocabularySpace:
    from dataclasses import replace

    parameters = run_parameters(module, _Tokenizer(), None)
    kinds = ["special"] * 5 + ["word"] * (len(TOKENS) - 5)
    return VocabularySpace(replace(parameters, head_transform=head), "BertModel", kinds)


def topic() -> np.ndarray:
    """The direction of the topic: the mean of its tokens less that of all."""
    made = embedding()
    vector: np.ndarray = made[list(TOPICS)].mean(axis=0) - made.mean(axis=0)
    return vector

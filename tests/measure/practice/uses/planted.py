"""Texts of two topics, and a small model whose states carry the topic of a text."""

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from embspace.clouds.layers import CorpusStates
from embspace.measure.layers.layer_states import window_states
from embspace.measure.practice.uses.occurrences import WordsOfTexts
from embspace.measure.tables.pooled_states import windows_of
from tests.lazy import torch
from tests.measure.attention.reading import cached_reader

N_TEXTS, LENGTH, N_AROUND = 120, 38, 6
FIRST_TOKEN = 8
N_WORDS, N_TOPIC, N_FILLER = 20, 60, 6
"""Tokens that are words, behind which those of either topic follow, and those of none."""
BOTH = (0, 1)
"""The words that stand in texts of both topics."""
CLS, SEP = 2, 3


@cache
def planted(*, seed: int = 0, topics: bool = True) -> dict[str, Any]:
    """Return texts of 38 tokens, of which every second one is of the topic, as around each word.

    Words of even number but for `BOTH` stand in texts of the first topic alone, the others in those
    of the second.
    """
    rng = np.random.default_rng(seed)
    ids = np.array([_text(number, rng) for number in range(N_TEXTS)])
    window, position = np.divmod(np.arange(ids.size), LENGTH)
    tokens = pd.DataFrame(
        {
            "window": window,
            "position": position,
            "id": ids.ravel(),
            "token": [f"t{token}" for token in ids.ravel()],
            "special": (position == 0) | (position == LENGTH - 1),
            "repeated": False,
            "start": 0,
            "end": 1,
        }
    )
    module = _with_topics(cached_reader().module) if topics else cached_reader().module
    states = window_states(module, windows_of(tokens), None, 512, "cpu")
    word = ids.ravel() - FIRST_TOKEN
    is_word = (word >= 0) & (word < N_WORDS)
    words = np.where(is_word, np.char.add("w", word.astype(str)), "").astype(object)
    read = CorpusStates(states, np.arange(N_TEXTS), tokens)
    return {"texts": WordsOfTexts("tales", read, words), "module": module, "final_norm": None}


def _text(number: int, rng: np.random.Generator) -> list[int]:
    """Return a text; two words of both topics stand in as many texts, and no others do."""
    topic, place = number % 2, number // 2
    own = [word for word in range(len(BOTH), N_WORDS) if word % 2 == topic]
    words = [*BOTH, *(word for word in own if place < N_TEXTS // 2 - word // 2)]
    body = N_WORDS + N_TOPIC + rng.integers(0, N_FILLER, LENGTH - 2)
    body[1::2] = N_WORDS + 2 * rng.integers(0, N_TOPIC // 2, len(body) // 2) + topic
    inner = np.arange(N_AROUND, len(body) - N_AROUND, 2)
    body[rng.permutation(inner)[: len(words)]] = words
    body += FIRST_TOKEN
    return [CLS, *body.tolist(), SEP]


def _with_topics(module: Any) -> Any:
    """Return a copy whose heads attend to all alike and pass on what the tokens of topics hold."""
    planted_module = deepcopy(module)
    with torch.no_grad():
        table = planted_module.embeddings.word_embeddings.weight
        direction = torch.zeros(table.shape[1])
        direction[:2] = torch.tensor([1.0, -1.0])
        for number in range(N_TOPIC):
            sign = 1 if number % 2 == 0 else -1
            table[FIRST_TOKEN + N_WORDS + number] = sign * direction
        for layer in planted_module.encoder.layer:
            own = layer.attention.self
            for part in (own.query, own.key):
                part.weight.zero_()
                part.bias.zero_()
            own.value.weight.copy_(torch.eye(table.shape[1]))
            layer.attention.output.dense.weight.copy_(2 * torch.eye(table.shape[1]))
    return planted_module

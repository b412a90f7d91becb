"""A model whose vector of a text is the mean of its tokens, with planted embeddings."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from embspace.measure.open_questions.opposite_texts_search import TextSpace
from embspace.measure.open_questions.rounding_states import TextReader
from tests.measure.attention.reading import cached_reader

DIM = 12


def bag_of_words(planted: dict[str, Any], seed: int = 0) -> TextSpace:
    """Return a space in which words lie near the first axis, but for planted ones."""
    import torch

    tokenizer = cached_reader().tokenizer
    table = np.random.default_rng(seed).normal(scale=0.1, size=(len(tokenizer), DIM))
    table[:, 0] += 1
    for word, vector in planted.items():
        table[tokenizer.convert_tokens_to_ids(word)] = vector
    module = torch.nn.Module()
    module.embeddings = torch.nn.Embedding.from_pretrained(torch.tensor(table, dtype=torch.float32))
    module.config = SimpleNamespace(num_hidden_layers=0, hidden_size=DIM)
    module.get_input_embeddings = lambda: module.embeddings

    def forward(input_ids: Any, attention_mask: Any, **_: Any) -> Any:
        states = 2 * module.embeddings(input_ids)  # not the embeddings alone, which were a norm's
        return SimpleNamespace(last_hidden_state=states, hidden_states=(states,))

    module.forward = forward
    return TextSpace(TextReader(module, tokenizer, 40, None), 4096, "cpu")

"""Two models of which it is known where they can be joined."""

from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

from embspace.compare.model_stitching_models import OpenModel
from embspace.geometry.parameters.planted_copies import random_turn
from tests.measure.sequences.test_stitching_pairs import turned

DIM, N_LAYERS, N_TOKENS, WINDOW = 16, 3, 400, 16
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [f"w{number}" for number in range(N_TOKENS - len(SPECIAL))]


@cache
def tokenizer() -> Any:
    """Return a tokenizer with one token for each of `WORDS`."""
    from transformers import BertTokenizerFast

    vocabulary = Path(mkdtemp()) / "vocab.txt"
    vocabulary.write_text("\n".join([*SPECIAL, *WORDS]), encoding="utf-8")
    return BertTokenizerFast(str(vocabulary))


def module(seed: int, dim: int = DIM, n_layers: int = N_LAYERS) -> Any:
    """Return a model of random weights, as large as to tell texts apart."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=N_TOKENS,
        hidden_size=dim,
        num_hidden_layers=n_layers,
        num_attention_heads=2,
        intermediate_size=2 * dim,
        max_position_embeddings=WINDOW,
        initializer_range=0.3,
    )
    return BertModel(config, add_pooling_layer=False).eval()


def opened(name: str, language_model: Any, **change: Any) -> OpenModel:
    """Return a module as the stage takes it."""
    embedding = language_model.get_input_embeddings().weight.detach().numpy()
    given = {"tokens": [*SPECIAL, *WORDS], "tokenizer": tokenizer(), "window": WINDOW}
    given["final_norm"] = None
    return OpenModel(name, language_model, embedding, **(given | change))


def turned_pair() -> tuple[OpenModel, OpenModel]:
    """Return a model and the same with its residual stream turned."""
    copy = turned(module(0), random_turn(DIM, np.random.default_rng(1)))
    return opened("one", module(0)), opened("turned", copy)


def tuned_pair() -> tuple[OpenModel, OpenModel]:
    """Return a model and the same with all weights a little moved."""
    import torch

    copy = deepcopy(module(0))
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for values in copy.parameters():
            values += 0.005 * torch.randn(values.shape, generator=generator)
    return opened("one", module(0)), opened("tuned", copy)


def strangers(**change: Any) -> tuple[OpenModel, OpenModel]:
    """Return two models of nothing in common but their tokens."""
    return opened("one", module(0)), opened("stranger", module(1, **change))


def weak_strangers() -> tuple[OpenModel, OpenModel]:
    """Return two models of the same embeddings, whose blocks differ and change little."""
    import torch

    one, other = module(0), module(1)
    other.embeddings = one.embeddings
    with torch.no_grad():
        for layer in (*one.encoder.layer, *other.encoder.layer):
            for dense in (layer.attention.output.dense, layer.output.dense):
                dense.weight *= 0.03
    return opened("one", one), opened("weak", other)


def texts(n: int = 80, n_words: int = 8) -> dict[str, pd.DataFrame]:
    """Return documents of random words, and a smaller corpus."""
    rng = np.random.default_rng(0)
    rows = [" ".join(rng.choice(WORDS, n_words)) for _ in range(n)]
    names = [f"d{number}" for number in range(n)]
    news = pd.DataFrame({"id": names, "document": names, "text": rows})
    return {"small": news[:3], "news": news}

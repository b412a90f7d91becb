"""Stage `extract_hidden_states`: what each layer makes of each token of a corpus.

Writes tensors `token`, `cls`, `mean`, `max`, each (layer, row, dim), and the two tables that say
what their rows are: tokens for `token`, windows for the other three.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.config import StageConfig, run_stage
from embspace.corpus import describe_corpus
from embspace.device import Device, choose_device
from embspace.files.rows import save_rows
from embspace.files.tensors import writing_tensors
from embspace.files.texts import Texts, load_texts
from embspace.models.description import Model, describe_model
from embspace.models.encoder import EncodedWindow, batches_by_length, encode
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model
from embspace.models.windows import TOKEN_COLUMNS, cut_windows, token_table, window_table
from embspace.pooling import POOLINGS


@dataclass(frozen=True)
class HiddenStates:
    """Hidden states that are computed while they are read."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    shapes: dict[str, tuple[int, int, int]]  # of the tensors by name
    encoded: Iterator[EncodedWindow]


def extract_hidden_states(
    model: Model,
    module: Any,
    tokenizer: Any,
    texts: Texts,
    *,
    window_length: PositiveInt,
    overlap: NonNegativeInt,
    tokens_per_batch: PositiveInt,
    device: Device,
) -> HiddenStates:
    """The hidden states of all windows of all texts, of layers 0..L; none without a tokenizer.

    Memory is bounded by one batch; the order in which windows come is not that of the texts,
    `EncodedWindow.index` says where each belongs. A model with fewer positions than
    `window_length` takes windows of its own length, and an overlap in proportion.

    Raises:
        InputError: if the overlap leaves no room in a window, or a hidden state is not finite.
    """
    layers, dim = module.config.num_hidden_layers + 1, module.config.hidden_size
    if tokenizer is None:
        return _no_states(layers, dim)
    length = min(window_length, largest_window(model, module))
    windows = cut_windows(texts.texts, tokenizer, length, overlap * length // window_length)
    batches = batches_by_length([len(window.ids) for window in windows], tokens_per_batch)
    tokens = token_table(windows, tokenizer)
    encoded = encode(module, windows, batches, choose_device(device))
    return HiddenStates(
        windows=window_table(windows, texts.ids),
        tokens=tokens,
        shapes={"token": (layers, len(tokens), dim)}
        | {pooling: (layers, len(windows), dim) for pooling in POOLINGS},
        encoded=encoded,
    )


def _no_states(layers: int, dim: int) -> HiddenStates:
    """What a model without a tokenizer makes of texts."""
    logging.getLogger(__name__).warning("the model has no tokenizer: no text is read")
    tensors = ("token", *POOLINGS)
    return HiddenStates(
        windows=window_table([], []),
        tokens=pd.DataFrame(columns=TOKEN_COLUMNS),
        shapes=dict.fromkeys(tensors, (layers, 0, dim)),
        encoded=iter(()),
    )


def largest_window(model: Model, module: Any) -> int:
    """How many tokens the model has positions for."""
    return int(module.config.max_position_embeddings) - model.position_offset


def save_hidden_states(states: HiddenStates, path: str) -> None:
    """Write `path`.safetensors and the tables `path`.tokens.parquet, `path`.windows.parquet."""
    from tqdm import tqdm

    progress = tqdm(states.encoded, total=len(states.windows), desc="hidden states", disable=None)
    first_token = states.windows["first_token"].to_list()
    with writing_tensors(f"{path}.safetensors", states.shapes) as writer:
        for window in progress:
            for layer, tokens in enumerate(window.tokens):
                writer.write("token", layer, first_token[window.index], tokens)
            for pooling, vectors in window.pooled.items():
                for layer, vector in enumerate(vectors):
                    writer.write(pooling, layer, window.index, vector[None])
    save_rows(states.tokens, f"{path}.tokens.parquet")
    save_rows(states.windows, f"{path}.windows.parquet")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    corpus = describe_corpus(config.corpus_name, config.corpus)
    states = extract_hidden_states(
        model,
        load_model(name, model),
        load_tokenizer(name, model) if tokenizer_files(model) else None,
        load_texts(corpus.path),
        **config.settings,
    )
    save_hidden_states(states, f"data/extracted/hidden_states/{name}/{config.corpus_name}")


if __name__ == "__main__":
    run_stage(main, extract_hidden_states, groups=("model", "corpus"))

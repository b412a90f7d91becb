"""The part of the scores over keys that is the same for every query, for tokens of texts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.documents import some_documents
from embspace.clouds.layers import CorpusStates
from embspace.files.tables import Row
from embspace.geometry.attention.key_variance import (
    TextMoments,
    key_share_bounds,
    key_shares,
    moments_of_image,
    text_moments,
)
from embspace.geometry.inference.resampling import stream_of
from embspace.measure.blocks.query_key_form_heads import as_array
from embspace.measure.blocks.text_streams import chosen_corpus
from embspace.models.encoder import batches_by_length
from embspace.models.stream.rebuild import rebuild_stream

SHARES = ("key_only_share", "mean_query_share")


@dataclass(frozen=True, eq=False)
class ReadTokens:
    """The tokens of some texts, window by window."""

    corpus: str
    windows: list[Int[np.ndarray, " token"]]
    """The ids of the tokens of every window."""
    kept: list[np.ndarray]
    """For every window, which of its tokens the window before lacks."""
    text: Int[np.ndarray, " n"]
    """The number of the document of every kept token, from 0."""


@dataclass(frozen=True)
class Inference:
    """Settings of the intervals."""

    n_half_samples: int
    level: float
    seed: int


def read_tokens(
    corpora: Mapping[str, CorpusStates], corpus: str, n_texts: int
) -> ReadTokens | None:
    """Return at most `n_texts` documents of `corpus` or, if missing, of the largest corpus.

    None without a corpus.
    """
    name = chosen_corpus(corpora, corpus)
    if name is None:
        return None
    read = corpora[name]
    parts = {int(str(window)): part for window, part in read.tokens.groupby("window", sort=True)}
    documents = pd.DataFrame({"window": [*parts], "document": read.document[[*parts]]})
    chosen = some_documents(documents, n_texts)
    windows = [parts[window] for window in chosen["window"]]
    kept = [~part["repeated"].to_numpy(dtype=bool) for part in windows]
    text = np.repeat(pd.factorize(chosen["document"])[0], [part.sum() for part in kept])
    return ReadTokens(name, [part["id"].to_numpy() for part in windows], kept, text)


def share_rows(
    module: Any,
    weights: Sequence[Any],
    read: ReadTokens | None,
    tokens_per_batch: int,
    device: str,
    inference: Inference | None,
) -> list[Row]:
    """Return a row per layer and head: both `key_shares`, with bounds if `inference` is given.

    NaN without tokens. NaN also for rotary positions, which turn queries, and with them a bias, by
    the distance to a key: no term of a score then depends on the key alone.
    """
    if read is None or has_rotary_positions(module):
        return [_row(layer.layer, head, _none()) for layer in weights for head in _heads(layer)]
    rows = []
    text = read.text if inference else np.zeros_like(read.text)  # bounds alone need the texts
    by_layer = {layer.layer: layer for layer in weights}
    inputs = attention_inputs(module, read, tokens_per_batch, device)
    for number, x in enumerate(inputs, start=1):
        if (layer := by_layer.get(number)) is None:
            continue
        no_bias = [None] * len(layer.query)
        biases = no_bias if layer.query_bias is None else as_array(layer.query_bias)
        moments_of = _moments_of_heads(x.astype(np.float64), text)
        for head in _heads(layer):
            bias, query, key = biases[head], as_array(layer.query[head]), as_array(layer.key[head])
            moments = moments_of(query, bias), moments_of(key, None)
            rows.append(_row(layer.layer, head, _shares(moments, bias, inference)))
    return rows


def _moments_of_heads(
    x: Float[np.ndarray, "n dim"], text: Int[np.ndarray, " n"]
) -> Callable[[Float[np.ndarray, "rank dim"], Float[np.ndarray, " rank"] | None], TextMoments]:
    """Return a function from vectors to a head's moments by text.

    For one text the moments follow from the products of the inputs, shared by all heads of a layer;
    for many texts, these products have more numbers than queries and keys.
    """
    if not text.any():
        return partial(moments_of_image, text_moments(x, text))
    return lambda matrix, bias: text_moments(x @ matrix.T + (0 if bias is None else bias), text)


def has_rotary_positions(module: Any) -> bool:
    """Return whether a module of the model turns queries and keys by position."""
    return any("rotary" in type(part).__name__.lower() for part in module.modules())


def attention_inputs(
    module: Any, read: ReadTokens, tokens_per_batch: int, device: str
) -> list[Float[np.ndarray, "n dim"]]:
    """Return what the queries and keys of every layer are computed from, a row per kept token."""
    lengths = [len(ids) for ids in read.windows]
    inputs: list[dict[int, np.ndarray]] = []
    module = module.to(device)
    for batch in batches_by_length(lengths, tokens_per_batch):
        ids, mask = _padded([read.windows[number] for number in batch])
        for layer, stream in enumerate(rebuild_stream(module, ids, mask)):
            if layer == len(inputs):
                inputs.append({})
            states = stream.attention_input.float().cpu().numpy()
            for row, number in enumerate(batch):
                inputs[layer][number] = states[row, : lengths[number]][read.kept[number]]
    return [np.concatenate([x for _, x in sorted(windows.items())]) for windows in inputs]


def _shares(
    moments: tuple[TextMoments, TextMoments], bias: np.ndarray | None, inference: Inference | None
) -> dict[str, np.ndarray]:
    values = key_shares(*moments, bias, np.arange(len(moments[0].n_tokens)))
    if inference is None:
        return {"": values}
    low, high = key_share_bounds(
        *moments,
        bias,
        n_half_samples=inference.n_half_samples,
        level=inference.level,
        # the same halves for every head
        generator=stream_of(np.random.default_rng(inference.seed), "key_shares"),
    )
    return {"": values, "_low": low, "_high": high}


def _row(layer: int, head: int, values: Mapping[str, np.ndarray]) -> Row:
    shares = {
        f"{share}{end}": float(numbers[at])
        for at, share in enumerate(SHARES)
        for end, numbers in values.items()
    }
    return {"layer": layer, "head": head + 1} | shares


def _none() -> dict[str, np.ndarray]:
    return {end: np.full(len(SHARES), np.nan) for end in ("", "_low", "_high")}


def _heads(weights: Any) -> Iterator[int]:
    yield from range(len(weights.query))


def _padded(rows: Sequence[np.ndarray]) -> tuple[Any, Any]:
    import torch

    shape = (len(rows), max(len(row) for row in rows))
    ids, mask = (torch.zeros(shape, dtype=torch.int64) for _ in range(2))
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row.tolist())
        mask[number, : len(row)] = 1
    return ids, mask

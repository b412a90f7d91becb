"""Stage `measure_head_features`: where every head looks, over the project's own texts."""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.device import Device, choose_device
from embspace.files.tensors import save_tensors
from embspace.files.texts import load_texts
from embspace.measure.attention.attention_reader import (
    AttentionReader,
    first_windows,
    known_windows,
    load_reader,
    padded,
    spread_texts,
)
from embspace.measure.attention.head_features_names import ALL_FEATURES, WITHOUT_FIRST
from embspace.measure.attention.head_features_tables import (
    ENDS,
    Estimates,
    divergence_table,
    draw_halves,
    estimates,
    heads_table,
    offsets_table,
    plane_table,
)
from embspace.measure.attention.head_features_texts import (
    FeatureOptions,
    ReadText,
    features_of_texts,
)
from embspace.measure.attention.head_features_tokens import (
    NounsAndArticles,
    tokens_of_text,
    words_of_part,
)
from embspace.measure.tables.columns import shown, with_bounds
from embspace.models.stream.attention_maps import attention_maps, gives_attention
from embspace.models.weights import with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import PositiveShare, Share

SETTINGS = "conf/measure/attention/head_features.yaml"
ESTIMATE = with_bounds("value", "attention", "value")
ESTIMATE |= with_bounds("random_weights", "attention", "random weights, mean and range")
NULL = with_bounds("random_weights", "attention") | shown("attention", "random_weights")
HEAD: dict[str, Column] = dict.fromkeys(("layer", "head"), "row")
SIZES: dict[str, Column] = {"n_texts": "count", "level": "setting"}
HEAD_FEATURES = Analysis(
    noun="head_features",
    question=(
        "Where does each head look, how widely, and which heads are alike? "
        "[Attention](attention.md)"
    ),
    reads={"reader": Source(load_reader)},
    tables={
        "heads": Table(
            HEAD
            | {"feature": "row"}
            | ESTIMATE
            | {f"{column}{WITHOUT_FIRST}": "attention" for column in ESTIMATE}
            | {
                f"value{end}{WITHOUT_FIRST}": (
                    "attention",
                    f"value without the first token's key{end}",
                )
                for end in ENDS
            }
            | SIZES
            | {"n_texts": ("count", "texts")}
        ),
        "offsets": Table(
            shown("row", "layer", "head", "offset")
            | with_bounds("mass", "attention", "mass")
            | NULL
            | SIZES
        ),
        # Of a layer and the heads that its own are compared with.
        "divergence": Table(
            dict.fromkeys(("layer", "compared_with"), "row")
            | with_bounds("divergence", "attention")
            | {f"random_weights{end}": "attention" for end in ("", "_smallest", "_largest")}
            | SIZES
        ),
        # The place of a head among the others.
        "plane": Table(
            HEAD
            | dict.fromkeys(("x", "y", "nearest_layer", "nearest_head"), "head_choice")
            | dict.fromkeys(("nearest_divergence", "plane_share"), "attention")
        ),
        "examples": Table({"position": "id", "token": "name", "special": "name"}),
    },
    scalars={"n_*": "count", "fewest_tokens": "count", "most_tokens": "count"},
    # `half.<feature>` (draw, layer, head) and `random.<feature>` (seed, layer, head): means over
    # half of the texts, and at random weights, each also with the end `_without_first_key`;
    # `example` (layer, head, token, token): maps of the example.
    data={"safetensors": save_tensors},
    undrawn=["divergence", "examples", "plane", "safetensors"],
    further_figures={"head_map": "map of heads"},
)


def measure_head_features(
    reader: AttentionReader | None,
    *,
    texts: str,
    n_texts: PositiveInt,
    most_tokens: PositiveInt,
    largest_unknown_share: Share,
    nouns: str,
    articles: list[str],
    longest_gap: PositiveInt,
    example: str,
    farthest_offset: PositiveInt,
    mass_share: PositiveShare,
    n_columns: PositiveInt,
    n_divergence_rows: PositiveInt,
    entries_per_batch: PositiveInt,
    n_seeds: Annotated[int, Field(ge=0)],
    n_texts_at_random_weights: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the features of every head, as means over texts, with intervals over texts.

    `geometry.attention.head_features` defines the features; beside these is the mass from nouns to
    their articles, and the mass at the same offsets elsewhere. All features are repeated for maps
    without the first token, where many heads rest (`geometry.attention.first_key`). Random weights
    stand beside, `n_seeds` models of the same config on some of the texts. A feature undefined in
    all texts is NaN, with 0 in `n_texts`. Layers and heads count from 1. Without a `reader`, and
    for a model without the attention of every layer, all tables are empty.

    Raises:
        InputError: if a needed tensor is missing from a file.
    """
    if reader is None or not gives_attention(reader.module):
        return HEAD_FEATURES.empty(n_texts=0)
    for_rows, for_halves = np.random.default_rng(seed).spawn(2)
    words = words_of_part(load_texts(nouns, text_column="word"), "noun", nouns)
    lists = NounsAndArticles(words, {article.lower() for article in articles}, longest_gap)
    read = _read(reader, spread_texts(texts, n_texts), lists, most_tokens, largest_unknown_share)
    if not read:
        return HEAD_FEATURES.empty(n_texts=0)
    read = [text for text in read if len(text.window.ids) > 1] or read
    read = [_with_rows(text, n_divergence_rows, for_rows) for text in read]
    options = FeatureOptions(farthest_offset, mass_share, n_columns, entries_per_batch)
    chosen = choose_device(device)
    trained = features_of_texts(reader.module, read, options, chosen)
    fewer = read[:: -(-len(read) // n_texts_at_random_weights)]
    random = [
        features_of_texts(with_random_weights(reader.module, seed + number), fewer, options, chosen)
        for number in range(n_seeds)
    ]
    halves = draw_halves(len(read), n_half_samples, for_halves)
    features = estimates(trained.features, [seed.features for seed in random], halves)
    rest = estimates(trained.without_first_key, [seed.without_first_key for seed in random], halves)
    profiles = estimates(trained.profiles, [seed.profiles for seed in random], halves)
    plane = plane_table(trained.divergences, trained.features.shape[1])
    tokens, maps = _example(reader, example, most_tokens, chosen)
    tensors = _by_feature(features) | _by_feature(rest, WITHOUT_FIRST) | {"example": maps}
    return {
        "heads": heads_table(features, rest, len(read), level),
        "offsets": offsets_table(profiles, len(read), level),
        "divergence": divergence_table(trained, random, halves, level),
        "plane": plane,
        "examples": tokens,
        "json": _counts(read),
        "safetensors": tensors,
    }


def _read(
    reader: AttentionReader,
    texts: list[str],
    lists: NounsAndArticles,
    most_tokens: int,
    largest: float,
) -> list[ReadText]:
    """Return the beginnings of texts; none where too many tokens are unknown."""
    windows = known_windows(reader, texts, most_tokens, SETTINGS, largest_unknown_share=largest)
    separator = getattr(reader.tokenizer, "sep_token_id", None)
    return [
        ReadText(
            window,
            tokens_of_text(window, texts[window.text], separator, lists),
            np.zeros(0, np.int64),
        )
        for window in windows
    ]


def _with_rows(text: ReadText, n_rows: int, generator: np.random.Generator) -> ReadText:
    """Return a text with the queries at which heads are compared: all queries if it has no more."""
    n = len(text.window.ids)
    rows = np.sort(generator.choice(n, min(n_rows, n), replace=False))
    return ReadText(text.window, text.tokens, rows)


def _example(
    reader: AttentionReader, example: str, most_tokens: int, device: str
) -> tuple[pd.DataFrame, Float[np.ndarray, "layer head token token"]]:
    """Return the tokens of the example, and the maps of every head."""
    (window,) = first_windows(reader, [example], most_tokens, SETTINGS)
    spelled = reader.tokenizer.convert_ids_to_tokens(window.ids.tolist())
    read = [example[start:end].strip() for start, end in zip(window.start, window.end, strict=True)]
    tokens = [
        token if special else text or token
        for token, text, special in zip(spelled, read, window.special, strict=True)
    ]
    columns = {"position": range(len(tokens)), "token": tokens, "special": window.special}
    maps = attention_maps(reader.module, *padded([window], device))
    return pd.DataFrame(columns), np.stack([layer[0].float().cpu().numpy() for layer in maps])


def _counts(texts: list[ReadText]) -> dict[str, Any]:
    lengths = [len(text.window.ids) for text in texts]
    return {
        "n_texts": len(texts),
        "n_tokens": sum(lengths),
        "fewest_tokens": min(lengths),
        "most_tokens": max(lengths),
        "n_texts_with_separator": sum(bool(text.tokens.separators.any()) for text in texts),
        "n_texts_with_punctuation": sum(bool(text.tokens.punctuation.any()) for text in texts),
        "n_nouns_with_article": sum(len(text.tokens.nouns) for text in texts),
    }


def _by_feature(estimated: Estimates, end: str = "") -> dict[str, np.ndarray]:
    return {
        f"{kind}.{name}{end}": values[..., number]
        for kind, values in {"half": estimated.halves, "random": estimated.random}.items()
        for number, name in enumerate(ALL_FEATURES)
    }


main = HEAD_FEATURES.main(measure_head_features)

if __name__ == "__main__":
    run_stage(main, measure_head_features)

"""Stage `measure_head_features`: where every head looks, over the project's own texts."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.device import Device, choose_device
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
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
    DIVERGENCE,
    HEADS,
    OFFSETS,
    PLANE,
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
from embspace.models.stream.attention_maps import attention_maps, gives_attention
from embspace.models.weights import with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import PositiveShare, Share

SETTINGS = "conf/measure/attention/head_features.yaml"
EXAMPLES = ["position", "token", "special"]


@dataclass(frozen=True, eq=False)
class HeadFeatures:
    """What was found of the heads of a model."""

    heads: pd.DataFrame
    """A row a layer, head and feature."""
    offsets: pd.DataFrame
    """A row a layer, head and offset from the query to the key."""
    divergence: pd.DataFrame
    """A row a layer and the heads that its own are compared with."""
    plane: pd.DataFrame
    """A row a head: its place among the others, and what the plane keeps of all."""
    examples: pd.DataFrame
    """A row a token of the example."""
    counts: dict[str, Any]
    """The numbers of texts, tokens and pairs."""
    tensors: dict[str, np.ndarray]
    """`half.<feature>` (draw, layer, head) and `random.<feature>` (seed, layer, head): means over
    half of the texts, and at random weights, each also with the end `_without_first_key`; `example`
    (layer, head, token, token): its maps."""


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
) -> HeadFeatures:
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
        return _nothing()
    for_rows, for_halves = np.random.default_rng(seed).spawn(2)
    words = words_of_part(load_texts(nouns, text_column="word"), "noun", nouns)
    lists = NounsAndArticles(words, {each.lower() for each in articles}, longest_gap)
    read = _read(reader, spread_texts(texts, n_texts), lists, most_tokens, largest_unknown_share)
    if not read:
        return _nothing()
    read = [each for each in read if len(each.window.ids) > 1] or read
    read = [_with_rows(each, n_divergence_rows, for_rows) for each in read]
    options = FeatureOptions(farthest_offset, mass_share, n_columns, entries_per_batch)
    chosen = choose_device(device)
    trained = features_of_texts(reader.module, read, options, chosen)
    fewer = read[:: -(-len(read) // n_texts_at_random_weights)]
    random = [
        features_of_texts(with_random_weights(reader.module, seed + number), fewer, options, chosen)
        for number in range(n_seeds)
    ]
    halves = draw_halves(len(read), n_half_samples, for_halves)
    features = estimates(trained.features, [each.features for each in random], halves)
    rest = estimates(trained.without_first_key, [each.without_first_key for each in random], halves)
    profiles = estimates(trained.profiles, [each.profiles for each in random], halves)
    plane = plane_table(trained.divergences, trained.features.shape[1])
    tokens, maps = _example(reader, example, most_tokens, chosen)
    return HeadFeatures(
        heads_table(features, rest, len(read), level),
        offsets_table(profiles, len(read), level),
        divergence_table(trained, random, halves, level),
        plane,
        tokens,
        _counts(read),
        _by_feature(features) | _by_feature(rest, WITHOUT_FIRST) | {"example": maps},
    )


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
    """Return a text with the queries at which heads are compared, all if it has no more."""
    n = len(text.window.ids)
    rows = np.sort(generator.choice(n, min(n_rows, n), replace=False))
    return ReadText(text.window, text.tokens, rows)


def _example(
    reader: AttentionReader, example: str, most_tokens: int, device: str
) -> tuple[pd.DataFrame, Float[np.ndarray, "layer head token token"]]:
    """Return the tokens of the example, and what every head makes of it."""
    (window,) = first_windows(reader, [example], most_tokens, SETTINGS)
    spelled = reader.tokenizer.convert_ids_to_tokens(window.ids.tolist())
    read = [example[start:end].strip() for start, end in zip(window.start, window.end, strict=True)]
    shown = [
        token if special else text or token
        for token, text, special in zip(spelled, read, window.special, strict=True)
    ]
    columns = (range(len(shown)), shown, window.special)
    table = pd.DataFrame(dict(zip(EXAMPLES, columns, strict=True)))
    maps = attention_maps(reader.module, *padded([window], device))
    return table, np.stack([each[0].float().cpu().numpy() for each in maps])


def _counts(texts: list[ReadText]) -> dict[str, Any]:
    lengths = [len(each.window.ids) for each in texts]
    return {
        "n_texts": len(texts),
        "n_tokens": sum(lengths),
        "fewest_tokens": min(lengths),
        "most_tokens": max(lengths),
        "n_texts_with_separator": sum(bool(each.tokens.separators.any()) for each in texts),
        "n_texts_with_punctuation": sum(bool(each.tokens.punctuation.any()) for each in texts),
        "n_nouns_with_article": sum(len(each.tokens.nouns) for each in texts),
    }


def _by_feature(found: Estimates, end: str = "") -> dict[str, np.ndarray]:
    return {
        f"{kind}.{name}{end}": values[..., number]
        for kind, values in {"half": found.halves, "random": found.random}.items()
        for number, name in enumerate(ALL_FEATURES)
    }


def _nothing() -> HeadFeatures:
    columns = (HEADS, OFFSETS, DIVERGENCE, PLANE, EXAMPLES)
    heads, offsets, divergence, plane, examples = (pd.DataFrame(columns=each) for each in columns)
    return HeadFeatures(heads, offsets, divergence, plane, examples, {"n_texts": 0}, {})


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_head_features(
        load_reader(name, describe_model(name, config.model)), **config.settings
    )
    save_table(found.heads, f"results/head_features/heads/{name}.csv")
    save_table(found.offsets, f"results/head_features/offsets/{name}.csv")
    save_table(found.divergence, f"results/head_features/divergence/{name}.csv")
    save_table(found.plane, f"results/head_features/plane/{name}.csv")
    save_table(found.examples, f"results/head_features/examples/{name}.csv")
    save_scalars(found.counts, f"results/head_features/{name}.json")
    save_tensors(found.tensors, f"data/measured/head_features/{name}.safetensors")


if __name__ == "__main__":
    run_stage(main, measure_head_features)

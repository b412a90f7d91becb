"""Features of heads, text by text: maps of a batch are looked at and forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.attention.first_key import without_first_key
from embspace.geometry.attention.head_divergence import head_divergences
from embspace.geometry.attention.head_features import TokenSets, head_features
from embspace.geometry.attention.offsets import offset_profile
from embspace.geometry.attention.token_pairs import pair_mass
from embspace.measure.attention.attention_reader import padded
from embspace.measure.attention.head_features_names import ALL_FEATURES, ARTICLE_FEATURES
from embspace.measure.attention.head_features_tokens import TokensOfText, without_first_token
from embspace.models.encoder import batch_rule, batches_by_length
from embspace.models.stream.attention_maps import attention_maps
from embspace.models.windows import Window

PLACES = ("same_layer", "other_layers")


@dataclass(frozen=True, eq=False)
class ReadText:
    """A text as the model reads it."""

    window: Window
    tokens: TokensOfText
    rows: Int[np.ndarray, " row"]
    """The queries at which heads are compared."""


@dataclass(frozen=True)
class FeatureOptions:
    """How features are taken; see the settings of `measure_head_features`."""

    farthest_offset: int
    mass_share: float
    n_columns: int
    entries_per_batch: int


@dataclass(frozen=True, eq=False)
class FeaturesOfTexts:
    """The features of every head in every text, and how much heads differ."""

    features: Float[np.ndarray, "text layer head feature"]
    """In the order of `ALL_FEATURES`."""
    profiles: Float[np.ndarray, "text layer head offset"]
    """From -farthest_offset to farthest_offset."""
    divergences: Float[np.ndarray, "heads heads"]
    """The mean over texts; heads are numbered layer by layer."""
    by_layer: Float[np.ndarray, "text layer place"]
    """The mean divergence of heads within a layer, and from the heads of other layers."""
    without_first_key: Float[np.ndarray, "text layer head feature"]
    """`features` of the maps without the first token, whose own mass is then undefined."""


@dataclass(frozen=True, eq=False)
class _TextFeatures:
    features: Float[np.ndarray, "layer head feature"]
    without_first_key: Float[np.ndarray, "layer head feature"]
    profiles: Float[np.ndarray, "layer head offset"]
    divergences: Float[np.ndarray, "heads heads"]


def features_of_texts(
    module: Any, texts: Sequence[ReadText], options: FeatureOptions, device: str
) -> FeaturesOfTexts:
    """Return the features of all heads; only the maps of one batch are in memory at a time.

    Raises:
        InputError: if the model gives no attention weights.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    module = module.to(device)
    lengths = [len(text.window.ids) for text in texts]
    batches = batches_by_length(
        [n**2 for n in lengths], options.entries_per_batch, batch_rule(module)
    )
    by_text: dict[int, _TextFeatures] = {}
    total: Any = 0.0
    for batch in batches:
        ids, mask = padded([texts[index].window for index in batch], device)
        maps = [layer.float().cpu().numpy() for layer in attention_maps(module, ids, mask)]
        calls = (
            delayed(_text_features)(maps, row, texts[i], options) for row, i in enumerate(batch)
        )
        with threadpool_limits(1, user_api="blas"):  # a thread a text, not several a product
            features = Parallel(n_jobs=-1, prefer="threads")(calls)
        by_text |= dict(zip(batch, features, strict=True))
    several = [index for index, n in enumerate(lengths) if n > 1]
    for index in several:
        total = total + by_text[index].divergences
    n_layers = len(maps)
    ordered = [by_text[index] for index in range(len(texts))]
    return FeaturesOfTexts(
        np.stack([text.features for text in ordered]),
        np.stack([text.profiles for text in ordered]),
        total / len(several) if several else np.full_like(ordered[0].divergences, np.nan),
        np.stack([_by_layer(text.divergences, n_layers) for text in ordered]),
        np.stack([text.without_first_key for text in ordered]),
    )


def _text_features(
    batch: list[np.ndarray], row: int, text: ReadText, options: FeatureOptions
) -> _TextFeatures:
    n = len(text.window.ids)
    maps = [layer[row, :, :n, :n] for layer in batch]
    features = [_features(layer, text.tokens, options) for layer in maps]
    without = [_features_of_rest(layer, text.tokens, options) for layer in maps]
    profiles = [_profile(layer, options.farthest_offset) for layer in maps]
    rows = np.concatenate([layer[:, text.rows] for layer in maps])
    divergences = head_divergences(rows) if n > 1 else np.full((len(rows), len(rows)), np.nan)
    return _TextFeatures(np.stack(features), np.stack(without), np.stack(profiles), divergences)


def _features(
    maps: Float[np.ndarray, "head token token"], tokens: TokensOfText, options: FeatureOptions
) -> Float[np.ndarray, "head feature"]:
    # What no head of a layer looks at is what its mask forbids.
    sets = TokenSets(tokens.separators, tokens.punctuation, np.any(maps > 0, axis=0))
    features = head_features(maps, sets, mass_share=options.mass_share, n_columns=options.n_columns)
    pairs = pair_mass(maps, tokens.nouns, tokens.articles, tokens.ordinary)
    article_masses = (pairs.mass, pairs.elsewhere, pairs.mass - pairs.elsewhere)
    features |= dict(zip(ARTICLE_FEATURES, article_masses, strict=True))
    return np.stack([features[name] for name in ALL_FEATURES], axis=-1)


def _features_of_rest(
    maps: Float[np.ndarray, "head token token"], tokens: TokensOfText, options: FeatureOptions
) -> Float[np.ndarray, "head feature"]:
    """Return the features without the first token; NaN for a head that attends to nothing else."""
    rest = without_first_key(maps)
    has_rest = rest.any(axis=(-2, -1))
    features = np.full((len(maps), len(ALL_FEATURES)), np.nan)
    if has_rest.any():
        features[has_rest] = _features(rest[has_rest], without_first_token(tokens), options)
    features[:, ALL_FEATURES.index("first_token_mass")] = np.nan
    return features


def _profile(
    maps: Float[np.ndarray, "head token token"], farthest: int
) -> Float[np.ndarray, "head offset"]:
    """Return the mean mass at every offset; NaN at offsets that the text does not reach."""
    n = maps.shape[-1]
    profile = np.full((len(maps), 2 * farthest + 1), np.nan)
    reach = min(farthest, n - 1)
    middle = slice(n - 1 - reach, n + reach)
    profile[:, farthest - reach : farthest + reach + 1] = offset_profile(maps)[:, middle]
    return profile


def _by_layer(
    divergences: Float[np.ndarray, "heads heads"], n_layers: int
) -> Float[np.ndarray, "layer place"]:
    """Return mean divergences within every layer and to all other layers; NaN without a pair."""
    n_heads = len(divergences) // n_layers
    sums = divergences.reshape(n_layers, n_heads, n_layers, n_heads).sum(axis=(1, 3))
    own = np.diagonal(sums)
    counts = np.array([n_heads * (n_heads - 1), n_heads * n_heads * (n_layers - 1)])
    both = np.stack([own, sums.sum(axis=1) - own], axis=1)
    return np.where(counts > 0, both / np.maximum(counts, 1), np.nan)

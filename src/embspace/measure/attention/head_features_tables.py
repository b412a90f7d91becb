"""Makes features of heads tables: means over texts, their intervals, and random weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.attention.head_divergence import heads_on_plane
from embspace.geometry.inference.resampling import half_sample_bounds
from embspace.geometry.pairs.safe_ratio import mean_of_defined
from embspace.measure.attention.head_features_names import ALL_FEATURES, WITHOUT_FIRST
from embspace.measure.attention.head_features_texts import PLACES, FeaturesOfTexts
from embspace.measure.tables.nulls import mean_and_range

Halves = Int[np.ndarray, "draw half"]
"""The texts of each drawn half."""
ENDS = ("", "_low", "_high")
HEADS = ["layer", "head", "feature", "value", "value_low", "value_high"]
HEADS += ["random_weights", "random_weights_low", "random_weights_high"]
ESTIMATED = HEADS[3:]
HEADS += [*(f"{column}{WITHOUT_FIRST}" for column in ESTIMATED), "n_texts", "level"]
OFFSETS = ["layer", "head", "offset", "mass", "mass_low", "mass_high"]
OFFSETS += ["random_weights", "random_weights_low", "random_weights_high", "n_texts", "level"]
DIVERGENCE = ["layer", "compared_with", "divergence", "divergence_low", "divergence_high"]
DIVERGENCE += ["random_weights", "random_weights_smallest", "random_weights_largest"]
DIVERGENCE += ["n_texts", "level"]
PLANE = ["layer", "head", "x", "y", "nearest_layer", "nearest_head", "nearest_divergence"]
PLANE += ["plane_share"]
COMPARED = (*PLACES, "difference")


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means over texts of values of each layer and head."""

    whole: Float[np.ndarray, "layer head value"]
    halves: Float[np.ndarray, "draw layer head value"]
    """Means over half of the texts."""
    random: Float[np.ndarray, "seed layer head value"]
    """Means over all texts at random weights."""
    n_texts: Int[np.ndarray, " value"]
    """Texts that have the value at all, the most of any head."""


def draw_halves(n_texts: int, n_draws: int, generator: np.random.Generator) -> Halves:
    """Return the sorted numbers of the texts of random halves; none with fewer than 4 texts."""
    n_draws = n_draws if n_texts >= 4 else 0
    drawn = [np.sort(generator.choice(n_texts, n_texts // 2, False)) for _ in range(n_draws)]
    return np.array(drawn, dtype=np.int64).reshape(n_draws, n_texts // 2)


def estimates(
    values: Float[np.ndarray, "text layer head value"],
    random: Sequence[Float[np.ndarray, "fewer layer head value"]],
    halves: Halves,
) -> Estimates:
    """Return means over the texts that have a value, of all, of halves and at random weights."""
    defined = (~np.isnan(values)).sum(axis=0)
    nothing = np.empty((0, *values.shape[1:]))
    return Estimates(
        mean_of_defined(values, axis=0),
        np.array([mean_of_defined(values[half], axis=0) for half in halves] or nothing),
        np.array([mean_of_defined(each, axis=0) for each in random] or nothing),
        defined.max(axis=(0, 1)),
    )


def heads_table(
    found: Estimates, without_first_key: Estimates, n_texts: int, level: float
) -> pd.DataFrame:
    """Return one row a layer, head and feature, also of the maps without the first token.

    At random weights any two heads of a layer are alike, so that the mean and the central range
    are over all heads of the layer and all seeds.
    """
    names = [*ALL_FEATURES]
    table = _long(found, "feature", names, "value", n_texts, level)
    rest = _long(without_first_key, "feature", names, "value", n_texts, level)
    return table.join(rest[ESTIMATED].add_suffix(WITHOUT_FIRST))[HEADS]


def offsets_table(found: Estimates, n_texts: int, level: float) -> pd.DataFrame:
    """Return one row a layer, head and offset from the query to the key; nulls as of features."""
    farthest = found.whole.shape[-1] // 2
    names = [*range(-farthest, farthest + 1)]
    return _long(found, "offset", names, "mass", n_texts, level)[OFFSETS]


def divergence_table(
    trained: FeaturesOfTexts, random: Sequence[FeaturesOfTexts], halves: Halves, level: float
) -> pd.DataFrame:
    """Return how much heads differ within a layer and from those of other layers.

    `difference` is the second less the first, over the same texts. A row without a layer is the
    mean of all layers. For random weights there is the mean over seeds and their range.
    """
    values = _compared(trained.by_layer)
    whole, drawn = (
        _layers_and_all(mean_of_defined(values, axis=0)),
        [_layers_and_all(mean_of_defined(values[half], axis=0)) for half in halves],
    )
    bounds = half_sample_bounds(
        whole, np.array(drawn or np.empty((0, *whole.shape))), len(values), level=level
    )
    nulls = [_layers_and_all(mean_of_defined(_compared(each.by_layer), axis=0)) for each in random]
    null = np.array(nulls or [np.full_like(whole, np.nan)])
    n_layers = len(whole) - 1
    layer = pd.array([*range(1, n_layers + 1), None], dtype="Int64")
    table = pd.DataFrame(
        {
            "layer": np.repeat(layer, len(COMPARED)),
            "compared_with": np.tile(COMPARED, len(whole)),
            "divergence": whole.ravel(),
            "divergence_low": bounds.low.ravel(),
            "divergence_high": bounds.high.ravel(),
            "random_weights": null.mean(axis=0).ravel(),
            "random_weights_smallest": null.min(axis=0).ravel(),
            "random_weights_largest": null.max(axis=0).ravel(),
            "n_texts": int((~np.isnan(values)).any(axis=(1, 2)).sum()),
            "level": level,
        }
    )
    return table[DIVERGENCE]


def plane_table(divergences: Float[np.ndarray, "heads heads"], n_layers: int) -> pd.DataFrame:
    """Return the place of each head on a plane, the head most like it, and what the plane keeps."""
    n = len(divergences)
    n_heads = n // n_layers
    if n < 2 or np.isnan(divergences).any():
        return pd.DataFrame(columns=PLANE)
    plane = heads_on_plane(divergences)
    others = divergences + np.where(np.eye(n) > 0, np.inf, 0)
    nearest = others.argmin(axis=1)
    number = np.arange(n)
    table = pd.DataFrame(
        {
            "layer": number // n_heads + 1,
            "head": number % n_heads + 1,
            "x": plane.places[:, 0],
            "y": plane.places[:, 1],
            "nearest_layer": nearest // n_heads + 1,
            "nearest_head": nearest % n_heads + 1,
            "nearest_divergence": others[number, nearest],
            "plane_share": plane.share,
        }
    )
    return table[PLANE]


def _long(
    found: Estimates, column: str, names: Sequence[object], value: str, n_texts: int, level: float
) -> pd.DataFrame:
    n_layers, n_heads, n_values = found.whole.shape
    bounds = half_sample_bounds(found.whole, found.halves, n_texts, level=level)
    # Draws of a layer and value: all heads of all seeds.
    of_layer = found.random.transpose(0, 2, 1, 3).reshape(-1, n_layers, 1, n_values)
    nulls = mean_and_range(of_layer, level)
    layer, head, number = (each.ravel() for each in np.indices(found.whole.shape))
    columns = {value: found.whole, f"{value}_low": bounds.low, f"{value}_high": bounds.high}
    for end, null in zip(ENDS, nulls, strict=True):
        columns[f"random_weights{end}"] = np.broadcast_to(null, found.whole.shape)
    return pd.DataFrame(
        {
            "layer": layer + 1,
            "head": head + 1,
            column: [names[int(each)] for each in number],
            **{name: each.ravel() for name, each in columns.items()},
            "n_texts": found.n_texts[number],
            "level": level,
        }
    )


def _compared(
    by_layer: Float[np.ndarray, "text layer place"],
) -> Float[np.ndarray, "text layer compared"]:
    return np.concatenate([by_layer, by_layer[..., 1:] - by_layer[..., :1]], axis=-1)


def _layers_and_all(values: Float[np.ndarray, "layer compared"]) -> np.ndarray:
    return np.concatenate([values, mean_of_defined(values, axis=0)[None]])

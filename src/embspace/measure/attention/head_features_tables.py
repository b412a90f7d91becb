"""Makes tables of head features: means over texts, their intervals, and random weights."""

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
"""The texts of every drawn half."""
ENDS = ("", "_low", "_high")
ESTIMATED = [f"{column}{end}" for column in ("value", "random_weights") for end in ENDS]
COMPARED = (*PLACES, "difference")


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means over texts of the values of every layer and head."""

    whole: Float[np.ndarray, "layer head value"]
    halves: Float[np.ndarray, "draw layer head value"]
    """Means over half of the texts."""
    random: Float[np.ndarray, "seed layer head value"]
    """Means over all texts at random weights."""
    n_texts: Int[np.ndarray, " value"]
    """The number of texts with the value, the most of any head."""


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
    """Return means over the texts with a value: over all, over halves and at random weights."""
    defined = (~np.isnan(values)).sum(axis=0)
    nothing = np.empty((0, *values.shape[1:]))
    return Estimates(
        mean_of_defined(values, axis=0),
        np.array([mean_of_defined(values[half], axis=0) for half in halves] or nothing),
        np.array([mean_of_defined(seed, axis=0) for seed in random] or nothing),
        defined.max(axis=(0, 1)),
    )


def heads_table(
    estimated: Estimates, without_first_key: Estimates, n_texts: int, level: float
) -> pd.DataFrame:
    """Return a row for every layer, head and feature, also of the maps without the first token.

    At random weights, all heads of a layer are alike, so the mean and the central range are over
    all heads of the layer and all seeds.
    """
    names = [*ALL_FEATURES]
    table = _long(estimated, "feature", names, "value", n_texts, level)
    rest = _long(without_first_key, "feature", names, "value", n_texts, level)
    return table.join(rest[ESTIMATED].add_suffix(WITHOUT_FIRST))


def offsets_table(estimated: Estimates, n_texts: int, level: float) -> pd.DataFrame:
    """Return a row for every layer, head and offset from the query to the key."""
    farthest = estimated.whole.shape[-1] // 2
    names = [*range(-farthest, farthest + 1)]
    return _long(estimated, "offset", names, "mass", n_texts, level)


def divergence_table(
    trained: FeaturesOfTexts, random: Sequence[FeaturesOfTexts], halves: Halves, level: float
) -> pd.DataFrame:
    """Return how much heads differ from heads of the same layer and from heads of other layers.

    `difference` is the value between layers less the value within a layer, over the same texts. A
    row without a layer is the mean of all layers. For random weights, the mean and the range are
    over seeds.
    """
    values = _compared(trained.by_layer)
    whole, drawn = (
        _layers_and_all(mean_of_defined(values, axis=0)),
        [_layers_and_all(mean_of_defined(values[half], axis=0)) for half in halves],
    )
    bounds = half_sample_bounds(
        whole, np.array(drawn or np.empty((0, *whole.shape))), len(values), level=level
    )
    nulls = [_layers_and_all(mean_of_defined(_compared(seed.by_layer), axis=0)) for seed in random]
    null = np.array(nulls or [np.full_like(whole, np.nan)])
    n_layers = len(whole) - 1
    layer = pd.array([*range(1, n_layers + 1), None], dtype="Int64")
    return pd.DataFrame(
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


def plane_table(divergences: Float[np.ndarray, "heads heads"], n_layers: int) -> pd.DataFrame:
    """Return the place of every head on a plane, the head most like it, and the share kept."""
    n = len(divergences)
    n_heads = n // n_layers
    if n < 2 or np.isnan(divergences).any():
        return pd.DataFrame()
    plane = heads_on_plane(divergences)
    others = divergences + np.where(np.eye(n) > 0, np.inf, 0)
    nearest = others.argmin(axis=1)
    number = np.arange(n)
    return pd.DataFrame(
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


def _long(
    estimated: Estimates,
    column: str,
    names: Sequence[object],
    value: str,
    n_texts: int,
    level: float,
) -> pd.DataFrame:
    whole = estimated.whole
    n_layers, _, n_values = whole.shape
    bounds = half_sample_bounds(whole, estimated.halves, n_texts, level=level)
    # Draws of a layer and value: all heads of all seeds.
    by_layer = estimated.random.transpose(0, 2, 1, 3).reshape(-1, n_layers, 1, n_values)
    nulls = mean_and_range(by_layer, level)
    layer, head, number = (places.ravel() for places in np.indices(whole.shape))
    columns = {value: whole, f"{value}_low": bounds.low, f"{value}_high": bounds.high}
    for end, null in zip(ENDS, nulls, strict=True):
        columns[f"random_weights{end}"] = np.broadcast_to(null, whole.shape)
    return pd.DataFrame(
        {
            "layer": layer + 1,
            "head": head + 1,
            column: [names[int(place)] for place in number],
            **{name: values.ravel() for name, values in columns.items()},
            "n_texts": estimated.n_texts[number],
            "level": level,
        }
    )


def _compared(
    by_layer: Float[np.ndarray, "text layer place"],
) -> Float[np.ndarray, "text layer compared"]:
    return np.concatenate([by_layer, by_layer[..., 1:] - by_layer[..., :1]], axis=-1)


def _layers_and_all(values: Float[np.ndarray, "layer compared"]) -> np.ndarray:
    return np.concatenate([values, mean_of_defined(values, axis=0)[None]])

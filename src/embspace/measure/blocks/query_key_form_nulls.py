"""Compares the forms of queries and keys with random weights: where in their range do they lie?"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from embspace.files.tables import Row
from embspace.measure.blocks.query_key_form_heads import (
    ANGLES,
    EIGENVALUES,
    LAYER_MEASURES,
    OF_RANK,
    Forms,
)
from embspace.measure.blocks.query_key_form_scores import SHARES

HEAD_MEASURES = (*LAYER_MEASURES, *EIGENVALUES, *ANGLES, *SHARES)
HEAD, LAYER, MEDIAN = "head", "layer", "median_of_layers"
TRAINED = "trained"
ROUNDING = 1e-9  # a value that is so little beyond a draw, as of forms that are 0, is as large


def profile_rows(forms: Forms) -> pd.DataFrame:
    """Return a row per layer and measure for the form of all heads, and the medians over layers.

    `as_printed` is the value on the scale of the tables of Saponati et al. (2025).
    """
    rows = [
        {"part": part, "layer": layer, "measure": measure, "value": value}
        | {"as_printed": _as_printed(measure, value)}
        for (part, layer, measure), values in _values(forms).items()
        if part != HEAD
        for value in values
    ]
    return pd.DataFrame(rows).astype({"layer": "Int64"})


def null_rows(trained: Forms, randomized: Mapping[str, Sequence[Forms]]) -> pd.DataFrame:
    """Return a row per kind of random weights, part, layer and measure.

    Draws are of the same layer; draws for heads are over all heads and seeds. `n_below`, `n_within`
    and `n_above` count how many of the model's `n` values lie below the smallest draw, between the
    smallest and the largest, and above the largest. Undefined values are not counted.
    """
    own = _values(trained)
    rows = []
    for null, models in randomized.items():
        drawn = [_values(model) for model in models]
        for place, values in own.items():
            at_random = np.concatenate([values_at[place] for values_at in drawn])
            rows.append(_place(place) | {"null": null} | _facts(values, at_random))
    return pd.DataFrame(rows).astype({"layer": "Int64"})


def rank_rows(trained: Forms, randomized: Mapping[str, Sequence[Forms]]) -> pd.DataFrame:
    """Return a row per layer, kind of weights and rank: means over heads, and seeds.

    `singular_share` is the share of the singular value of this rank in the squared norm, the
    largest first; `principal_angle` is in degrees, the smallest first.
    """
    tables = []
    for weights, models in {TRAINED: [trained], **randomized}.items():
        rows = pd.DataFrame([row for model in models for row in model.ranks])
        if rows.empty:
            continue
        by_rank = rows.groupby(["layer", "rank"])
        means = by_rank[[*OF_RANK]].mean().assign(n=by_rank.size()).reset_index()
        tables.append(means.assign(weights=weights))
    return pd.concat(tables) if tables else pd.DataFrame()


def _values(forms: Forms) -> dict[tuple[str, int | None, str], np.ndarray]:
    """Return the values of every part, layer and measure; for heads, one value per head."""
    heads, layers = pd.DataFrame(forms.heads), pd.DataFrame(forms.layers)
    values_at: dict[tuple[str, int | None, str], np.ndarray] = {
        (HEAD, int(str(layer)), measure): rows[measure].to_numpy(dtype=np.float64)
        for layer, rows in heads.groupby("layer")
        for measure in HEAD_MEASURES
    }
    for measure in LAYER_MEASURES:
        values = layers[measure].to_numpy(dtype=np.float64)
        for layer, value in zip(layers["layer"], values, strict=True):
            values_at[LAYER, int(layer), measure] = np.array([value])
        values_at[MEDIAN, None, measure] = np.array([np.median(values)])
    return values_at


def _place(place: tuple[str, int | None, str]) -> Row:
    return dict(zip(("part", "layer", "measure"), place, strict=True))


def _facts(values: np.ndarray, drawn: np.ndarray) -> Row:
    values, drawn = values[~np.isnan(values)], drawn[~np.isnan(drawn)]
    low, high = (drawn.min(), drawn.max()) if len(drawn) else (np.nan, np.nan)
    below, above = (values < low - ROUNDING).sum(), (values > high + ROUNDING).sum()
    is_known = len(drawn) > 0
    return {
        "n_draws": len(drawn),
        "null_mean": drawn.mean() if is_known else np.nan,
        "null_smallest": low,
        "null_largest": high,
        "n": len(values),
        "median": np.median(values) if len(values) else np.nan,
        "n_below": int(below),
        "n_within": int(len(values) - below - above) if is_known else 0,
        "n_above": int(above),
    }


def _as_printed(measure: str, value: float) -> float:
    if measure == "symmetry":
        return 2 * value - 1
    return -value if measure == "directionality" else np.nan

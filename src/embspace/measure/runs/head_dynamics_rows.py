"""Features of every head of a checkpoint: rows of the tables of all trainings."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import Column
from embspace.files.tables import Row
from embspace.geometry.attention.head_features import mass_to, row_entropy
from embspace.geometry.attention.offsets import Maps, offset_sums
from embspace.measure.tables.runs import CHECKPOINT
from embspace.models.stream.attention_maps import attention_maps
from embspace.models.windows import Window, cut_windows

HeadFeature = Literal["self_mass", "previous_mass", "next_mass", "first_token_mass", "row_entropy"]
OFFSETS: dict[HeadFeature, int] = {"self_mass": 0, "previous_mass": -1, "next_mass": 1}


def columns_of(value: str) -> dict[str, Column]:
    """Return the columns of a table of heads over training, with the kind of values."""
    keys = CHECKPOINT | dict.fromkeys(("layer", "head", "feature"), "row")
    return {**keys, "value": value, "n_documents": "count"}


def head_rows(
    module: Any, tokenizer: Any, window: int, texts: pd.DataFrame, features: Sequence[HeadFeature]
) -> list[Row]:
    """Return a row per layer, head and feature: the mean over documents.

    `texts` has the columns `document` and `text`. A document's value is the mean over the windows
    of two to `window` tokens. Layers and heads are numbered from 1.
    """
    parts = cut_windows(texts["text"].tolist(), tokenizer, window)
    windows = [part for part in parts if len(part.ids) > 1]
    if not windows:
        return []
    document = pd.factorize(texts["document"])[0]
    by_window = np.stack([window_features(module, part, features) for part in windows])
    unit = pd.factorize(document[[part.text for part in windows]])[0]
    values = _means(by_window, unit)
    return [
        {
            "layer": layer + 1,
            "head": head + 1,
            "feature": feature,
            "value": float(values[number, layer, head]),
            "n_documents": int(unit.max()) + 1,
        }
        for number, feature in enumerate(features)
        for layer in range(values.shape[1])
        for head in range(values.shape[2])
    ]


def window_features(
    module: Any, window: Window, features: Sequence[HeadFeature]
) -> Float[np.ndarray, "feature layer head"]:
    """Return features of all heads on a window, read alone, without padding.

    Raises:
        InputError: if the model gives no attention weights, or not every layer has as many heads.
    """
    import torch

    ids = torch.from_numpy(window.ids)[None]
    maps = attention_maps(module, ids, torch.ones_like(ids))
    layers = [layer[0].float().cpu().numpy() for layer in maps]
    return np.array([[_feature(layer, feature) for layer in layers] for feature in features])


def _feature(maps: Maps, feature: HeadFeature) -> Float[np.ndarray, " head"]:
    n = maps.shape[-1]
    if feature == "row_entropy":
        # No softmax gives zero to a key in all heads but to one that the mask hides.
        return row_entropy(maps, np.asarray((maps > 0).any(axis=0)))
    if feature == "first_token_mass":
        return mass_to(maps, np.arange(n) == 0)
    offset = OFFSETS[feature]
    return np.asarray(offset_sums(maps)[..., n - 1 + offset] / (n - abs(offset)))


def _means(values: np.ndarray, unit: np.ndarray) -> Float[np.ndarray, "feature layer head"]:
    """Return the mean over units of the means of their rows."""
    by_unit = [values[unit == number].mean(axis=0) for number in range(unit.max() + 1)]
    return np.asarray(np.mean(by_unit, axis=0))

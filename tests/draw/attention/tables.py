"""Results of attention as stages would write them, with numbers that tests set."""

from typing import Any

import numpy as np
import pandas as pd

from embspace.draw.attention.head_names import FEATURE_NAMES

N_LAYERS, N_HEADS = 3, 4
SETTINGS = {"texts": "data/texts/tales.jsonl", "mass_share": 0.8}
COUNTS: dict[str, Any] = {
    "n_texts": 9,
    "n_tokens": 90,
    "fewest_tokens": 8,
    "most_tokens": 12,
    "n_texts_with_separator": 9,
    "n_texts_with_punctuation": 7,
    "n_nouns_with_article": 5,
}
NULL = ["random_weights", "random_weights_low", "random_weights_high"]


def heads(undefined: tuple[str, ...] = ()) -> pd.DataFrame:
    """The value of a feature is a hundredth of the head's number through all layers."""
    rows = [
        {
            "layer": layer,
            "head": head,
            "feature": feature,
            "value": np.nan if feature in undefined else (layer * N_HEADS + head) / 100,
        }
        for layer in range(1, N_LAYERS + 1)
        for head in range(1, N_HEADS + 1)
        for feature in FEATURE_NAMES
    ]
    table = pd.DataFrame(rows)
    for end, off in {"_low": -0.01, "_high": 0.01}.items():
        table[f"value{end}"] = table["value"] + off
    table[NULL] = [0.05, 0.04, 0.06]
    for column in ("value", "value_low", "value_high"):
        table[f"{column}_without_first_key"] = table[column] / 2
    return table.assign(n_texts=9, level=0.9)


def offsets() -> pd.DataFrame:
    table = pd.DataFrame({"layer": 1, "head": [1, 2], "offset": [-1, -1], "mass": [0.2, 0.7]})
    table["mass_low"], table["mass_high"] = table["mass"] - 0.1, table["mass"] + 0.1
    table[NULL] = [0.05, 0.04, 0.06]
    return table.assign(n_texts=9, level=0.9)


def plane() -> pd.DataFrame:
    number = np.arange(N_LAYERS * N_HEADS)
    return pd.DataFrame(
        {
            "layer": number // N_HEADS + 1,
            "head": number % N_HEADS + 1,
            "x": np.cos(number),
            "y": np.sin(number),
            "nearest_layer": 1,
            "nearest_head": 2,
            "nearest_divergence": number / 20,
            "plane_share": 0.4,
        }
    )


def divergence(difference: float = 0.1) -> pd.DataFrame:
    layers = [*range(1, N_LAYERS + 1), None]
    values = {"same_layer": 0.3, "other_layers": 0.3 + difference, "difference": difference}
    rows = [
        {
            "layer": layer,
            "compared_with": name,
            "divergence": value,
            "divergence_low": value - 0.05,
            "divergence_high": value + 0.05,
            "random_weights": 0.01,
            "random_weights_smallest": 0.005,
            "random_weights_largest": 0.02,
        }
        for layer in layers
        for name, value in values.items()
    ]
    return pd.DataFrame(rows).assign(n_texts=9, level=0.9)


def types(sets: tuple[str, ...] = ("kovaleva", "own"), empty_type: bool = False) -> pd.DataFrame:
    """Six types a set: the first has half of the heads, the last a quarter."""
    names = ["vertical", "diagonal", "vertical_diagonal", "block", "wide", "heterogeneous"]
    shares = [0.5, 0.0 if empty_type else 1 / 12, 1 / 12, 1 / 12, 0.0, 0.25]
    rows = []
    for name in sets:
        for number, (type_, share) in enumerate(zip(names, shares, strict=True)):
            row: dict[str, Any] = {"set": name, "type": type_, "n": round(12 * share)}
            row |= {"share": share, "share_low": share - 0.04, "share_high": share + 0.04}
            row |= {"random_weights": float(number == 5), "stability": 0.9 if share else np.nan}
            row |= dict.fromkeys(("random_weights_smallest", "random_weights_largest"), 0.0)
            if share:
                row |= {"clearest_layer": 1, "clearest_head": number % N_HEADS + 1}
                row["clearest_margin"] = 0.2
            row |= {"share_without_first_key": share / 2, "n_without_first_key": number}
            row |= {"n_both": 0, "first_key": "same" if number else "depends"}
            rows.append(row)
    return pd.DataFrame(rows).assign(n_heads=12, n_texts=9, level=0.9)


def types_of_heads() -> pd.DataFrame:
    rows = [
        {"set": name, "layer": layer, "head": head, "type": "vertical", "margin": 0.1}
        for name in ("kovaleva", "own")
        for layer in range(1, N_LAYERS + 1)
        for head in range(1, N_HEADS + 1)
    ]
    return pd.DataFrame(rows).assign(stability=0.9)


def examples() -> tuple[pd.DataFrame, np.ndarray]:
    """Three tokens, and maps whose first entry is a hundredth of the head's number."""
    tokens = pd.DataFrame({"position": range(3), "token": ["[CLS]", "extraordinary", "[SEP]"]})
    maps = np.full((N_LAYERS, N_HEADS, 3, 3), 0.5)
    maps[..., 0, 0] = np.arange(N_LAYERS * N_HEADS).reshape(N_LAYERS, N_HEADS) / 100
    return tokens.assign(special=[True, False, True]), maps


def order(removed: str = "table", largest: float = 1e-6) -> pd.DataFrame:
    """Layers 0 to 2; layer 0 without positions is equal to the last digit."""
    rows = []
    for positions in ("kept", "removed"):
        for layer in range(3):
            is_defined = positions == "kept" or removed != "nothing"
            value = 0.1 * (layer + 1) if positions == "kept" else largest * layer
            value = value if is_defined else np.nan
            row: dict[str, Any] = {"layer": layer, "positions": positions}
            for name in ("cosine", "distance"):
                row |= {name: value, f"{name}_low": value - 0.01, f"{name}_high": value + 0.01}
            row |= {"largest_distance": value, "distance_of_other_tokens": 1.2}
            row |= {"random_weights_cosine": 0.5, "random_weights_distance": 0.7}
            rows.append(row)
    return pd.DataFrame(rows).assign(n_texts=9, level=0.9)


def facts(removed: str = "table", verdict: bool | None = True, sees: bool = True) -> dict[str, Any]:
    return {
        "removed": removed,
        "sees_later_tokens": sees,
        "largest_distance_without_positions": 1e-6,
        "tolerance": 1e-5,
        "knows_no_order_without_positions": verdict,
        "n_texts": 9,
        "n_tokens": 90,
    }

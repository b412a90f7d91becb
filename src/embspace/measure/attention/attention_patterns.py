"""Stage `measure_attention_patterns`: the type of every head, by rules on its features."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.analysis import Analysis, Outcome, Table
from embspace.errors import InputError, not_among
from embspace.files.tables import Row
from embspace.geometry.attention.head_patterns import Bounds, Conditions, Types, types_of
from embspace.geometry.inference.resampling import half_sample_bounds
from embspace.measure.attention.head_features_names import ALL_FEATURES, WITHOUT_FIRST
from embspace.measure.tables.columns import shown, with_bounds
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SETTINGS = "conf/measure/attention/attention_patterns.yaml"
BESIDE = ("n", "share", "share_low", "share_high", "random_weights")
SAME, DEPENDS = "same", "depends"  # without the first token's key, a head or a type
ATTENTION_PATTERNS = Analysis(
    noun="attention_patterns",
    question="Which patterns do heads make? Fig. 8",
    reads={
        "features": "results/head_features/heads/{model}.csv",
        "tensors": "data/measured/head_features/{model}.safetensors",
    },
    tables={
        "heads": Table(
            dict.fromkeys(("set", "layer", "head"), "row")
            | {"type": "head_choice", "margin": "attention", "stability": "head_share"}
            | dict.fromkeys((f"type{WITHOUT_FIRST}", "first_key"), "head_choice")
        ),
        "types": Table(
            shown("row", "set", "type")
            | shown("head_count", "n")
            | with_bounds("share", "head_share", "share of heads")
            | shown("head_share", "random_weights")
            | dict.fromkeys(("random_weights_smallest", "random_weights_largest"), "head_share")
            | shown("head_share", "stability")
            | dict.fromkeys(("clearest_layer", "clearest_head"), "head_choice")
            | {"clearest_margin": ("attention", "margin")}
            | {f"{column}{WITHOUT_FIRST}": "head_share" for column in BESIDE}
            | {f"n{WITHOUT_FIRST}": ("head_count", "n without the first token's key")}
            | {"n_both": ("head_count", "n both ways")}
            | {"first_key": ("head_choice", "first token's key")}
            | {"n_heads": "count", "n_texts": "count", "level": "setting"}
        ),
    },
)
BoundsOfFeature = dict[Literal["at_least", "at_most"], float]
RuleSets = dict[str, dict[str, dict[str, BoundsOfFeature]]]
"""By set, type and feature."""
Rules = dict[str, Conditions]
"""By type, in the order of the rules."""


@dataclass(frozen=True, eq=False)
class Features:
    """Values of every head by feature: over all texts, over halves, and at random weights."""

    whole: Mapping[str, Float[np.ndarray, "layer head"]]
    halves: Mapping[str, Float[np.ndarray, "draw layer head"]]
    random: Mapping[str, Float[np.ndarray, "seed layer head"]]
    n_texts: int


def measure_attention_patterns(
    features: pd.DataFrame,
    tensors: Mapping[str, np.ndarray],
    *,
    rule_sets: RuleSets,
    least_kept: Share,
    level: Share,
) -> Outcome:
    """Return types by `rule_sets` from the features of `measure_head_features`.

    `margin` is the distance of a head to a different type, in units of the deciding feature: from a
    bound of the head's type, or from fulfilling an earlier type; `stability` is the share of halves
    of the texts with the same type. The share of heads of a type has an interval over texts; at
    random weights the share is a mean over seeds with the range. The same rules are applied to maps
    without the first token: `first_key` of a head is `same` if the type stays, else `depends`; a
    type depends if, among the heads with the type by either version, a share below `least_kept` has
    the type by both. Without heads both tables are empty.

    Raises:
        InputError: naming the key of a rule with an unknown feature, or of rules whose last type
            does not take the rest.
    """
    rules = {name: _rules(name, types) for name, types in rule_sets.items()}
    if not len(features):
        return ATTENTION_PATTERNS.empty()
    with_key, without = (_arrays(features, tensors, end) for end in ("", WITHOUT_FIRST))
    heads, types = [], []
    for name, own in rules.items():
        table, rows = _types_by_set(name, own, with_key, level)
        rest, rest_rows = _types_by_set(name, own, without, level)
        heads.append(_with_first_key(table, rest))
        for row, beside in zip(rows, rest_rows, strict=True):
            kept = _kept(heads[-1], row["type"], least_kept)
            types.append(row | {f"{key}{WITHOUT_FIRST}": beside[key] for key in BESIDE} | kept)
    return {"heads": pd.concat(heads, ignore_index=True), "types": pd.DataFrame(types)}


def _types_by_set(
    name: str, rules: Rules, features: Features, level: float
) -> tuple[pd.DataFrame, list[Row]]:
    """Return the type of every head by one set of rules, and a row per type."""
    whole = types_of(features.whole, rules)
    halves = types_of(features.halves, rules).number if features.n_texts >= 4 else None
    random = types_of(features.random, rules).number if features.random else None
    stability = _stability(whole.number, halves)
    rows = _types(name, [*rules], whole, stability, halves, random, features, level)
    return _heads(name, whole, stability, [*rules]), list(rows)


def _with_first_key(heads: pd.DataFrame, without: pd.DataFrame) -> pd.DataFrame:
    """Return the heads with further columns for their types without the first token's key."""
    other = without["type"]
    first_key = np.where(heads["type"] == other, SAME, DEPENDS)
    return heads.assign(type_without_first_key=other, first_key=first_key)


def _kept(heads: pd.DataFrame, type_: str, least_kept: float) -> Row:
    """Return how many heads have a type with and without the first token's key, and the verdict."""
    has, keeps = heads["type"] == type_, heads["type_without_first_key"] == type_
    n_both, n_either = int((has & keeps).sum()), int((has | keeps).sum())
    return {"n_both": n_both, "first_key": DEPENDS if n_both < least_kept * n_either else SAME}


def _rules(name: str, types: Mapping[str, Mapping[str, BoundsOfFeature]]) -> Rules:
    """Return the rules of a set, checked."""
    empty = [type_ for type_, conditions in types.items() if not conditions]
    if not types or empty != [[*types][-1]]:
        raise InputError(
            f"{SETTINGS}: key 'rule_sets.{name}': found {len(empty)} types without conditions, "
            "allowed: one, the last, which takes what no other type has taken"
        )
    for type_, conditions in types.items():
        for feature, bounds in conditions.items():
            key = f"{SETTINGS}: key 'rule_sets.{name}.{type_}.{feature}'"
            if feature not in ALL_FEATURES:
                raise InputError(f"{key}: {not_among(feature, ALL_FEATURES)}")
            if not bounds:
                raise InputError(f"{key}: found no bound, allowed: at_least, at_most or both")
    return {
        type_: {
            feature: Bounds(bounds.get("at_least", -inf), bounds.get("at_most", inf))
            for feature, bounds in conditions.items()
        }
        for type_, conditions in types.items()
    }


def _arrays(features: pd.DataFrame, tensors: Mapping[str, np.ndarray], end: str) -> Features:
    """Return the values of `measure_head_features` by feature; `end` says from which maps."""
    wide = features.pivot_table(
        index=["layer", "head"], columns="feature", values=f"value{end}", dropna=False, sort=True
    )
    n_layers = features["layer"].nunique()
    whole = {name: wide[name].to_numpy(float).reshape(n_layers, -1) for name in ALL_FEATURES}
    halves, random = (
        {name: tensors[f"{kind}.{name}{end}"].astype(np.float64) for name in ALL_FEATURES}
        for kind in ("half", "random")
    )
    has_random = len(random["self_mass"]) > 0
    n_texts = int(features["n_texts"].max())
    return Features(whole, halves, random if has_random else {}, n_texts)


def _stability(
    whole: Int[np.ndarray, "layer head"], halves: Int[np.ndarray, "draw layer head"] | None
) -> Float[np.ndarray, "layer head"]:
    """Return, for every head, the share of halves that give it the same type as all texts do."""
    if halves is None:
        return np.full(whole.shape, np.nan)
    return np.asarray((halves == whole).mean(axis=0))


def _heads(
    name: str, whole: Types, stability: Float[np.ndarray, "layer head"], types: list[str]
) -> pd.DataFrame:
    layer, head = (places.ravel() for places in np.indices(whole.number.shape))
    return pd.DataFrame(
        {
            "set": name,
            "layer": layer + 1,
            "head": head + 1,
            "type": [types[number] for number in whole.number.ravel()],
            "margin": whole.margin.ravel(),
            "stability": stability.ravel(),
        }
    )


def _types(
    name: str,
    types: list[str],
    whole: Types,
    stability: Float[np.ndarray, "layer head"],
    halves: Int[np.ndarray, "draw layer head"] | None,
    random: Int[np.ndarray, "seed layer head"] | None,
    features: Features,
    level: float,
) -> Iterator[Row]:
    """Yield a row per type: how many heads have it, and which head has it by the largest margin."""
    for number, type_ in enumerate(types):
        has = whole.number == number
        share = np.float64(has.mean())
        drawn = np.empty(0) if halves is None else (halves == number).mean(axis=(1, 2))
        bounds = half_sample_bounds(np.asarray(share), drawn, features.n_texts, level=level)
        at_random = np.array([np.nan]) if random is None else (random == number).mean(axis=(1, 2))
        row = {
            "set": name,
            "type": type_,
            "n": int(has.sum()),
            "share": share,
            "share_low": np.clip(bounds.low, 0, 1),
            "share_high": np.clip(bounds.high, 0, 1),
            "random_weights": at_random.mean(),
            "random_weights_smallest": at_random.min(),
            "random_weights_largest": at_random.max(),
            "stability": stability[has].mean() if has.any() else np.nan,
            "n_heads": has.size,
            "n_texts": features.n_texts,
            "level": level,
        }
        if has.any():
            margin = np.where(has & ~np.isnan(whole.margin), whole.margin, -inf)
            layer, head = np.unravel_index(margin.argmax(), margin.shape)
            row |= {"clearest_layer": int(layer) + 1, "clearest_head": int(head) + 1}
            row["clearest_margin"] = whole.margin[layer, head]
        yield row


main = ATTENTION_PATTERNS.main(measure_attention_patterns)

if __name__ == "__main__":
    run_stage(main, measure_attention_patterns)

"""Decides the claims of Razzhigaev et al. on layers and training: a row a claim."""

import operator
from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.files.tables import Row
from embspace.measure.layers.model_kinds import (
    DECODER,
    ENCODER,
    last_checkpoint,
    of_first_phase,
)
from embspace.settings.schema import Strict
from embspace.settings.types import Share

COLUMNS = ["claim", "claimed_of", "section", "kind", "seed", "statistic", "value"]
COLUMNS += ["second_statistic", "second_value", "holds_if", "verdict_with_embeddings", "verdict"]
ANISOTROPY, DIMENSION = "top_variance_share", "two_nn"
FLAT, BELL = "flat over layers", "bell-shaped over layers"
GROWTH, RISE_AND_FALL = "anisotropy grows, then settles", "dimension rises, then falls"
CLAIMED_OF = {BELL: DECODER, FLAT: ENCODER, GROWTH: DECODER, RISE_AND_FALL: DECODER}
"""Claim -> the kind of model that the paper says it of."""
CANNOT = "not checkable"
COMPARISONS = {"<=": operator.le, ">": operator.gt, ">=": operator.ge}
Condition = tuple[str, str, float]
"""A column, a comparison and what it is compared with."""


class ClaimRules(Strict):
    """The bounds that decide the claims."""

    bell_height: Share  # middle third of the blocks over the others, of the mean of all
    rank_correlation: Share  # of the anisotropy with the step
    settled_share: Share  # of its range, that the last quarter of checkpoints may move by
    dimension_fall: Share  # of the largest dimension


def claim_rows(
    dynamics: pd.DataFrame, kind: str, claims: Collection[str], rules: ClaimRules
) -> pd.DataFrame:
    """Return one row a seed and each of `claims`: statistics, what they are held to, the verdict.

    `dynamics` is a table of `measure_dynamics` or `measure_pretraining_dynamics`, of a model of
    the `kind`; its first phase counts.
    """
    rows = [
        {"kind": kind, "seed": seed, **row}
        for seed, of_seed in of_first_phase(dynamics).groupby("seed", sort=False)
        for row in _of_seed(of_seed, rules)
        if row["claim"] in claims
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_seed(of_seed: pd.DataFrame, rules: ClaimRules) -> Iterator[Row]:
    profile = _profile(of_seed[of_seed["layer"] > 0])
    yield _bell(profile, rules.bell_height)
    yield _flat(profile, rules.bell_height)
    yield from _over_training(of_seed, rules)


def _over_training(rows: pd.DataFrame, rules: ClaimRules) -> Iterator[Row]:
    """The claims on a mean over layers: by the blocks alone, beside the verdict with layer 0."""

    def of(layers: pd.DataFrame) -> tuple[Row, Row]:
        steps, means = _over_steps(layers, ANISOTROPY)
        growth = _growth(steps, means, rules.rank_correlation, rules.settled_share)
        dimensions = _over_steps(layers, DIMENSION)[1]
        return growth, _rise_and_fall(dimensions, rules.dimension_fall)

    for row, other in zip(of(rows[rows["layer"] > 0]), of(rows), strict=True):
        same = other["verdict"] in (row["verdict"], CANNOT)
        verdict = row["verdict"] if same or row["verdict"] == CANNOT else "depends on the rule"
        yield row | {"verdict_with_embeddings": other["verdict"], "verdict": verdict}


def _profile(rows: pd.DataFrame) -> Float[np.ndarray, " block"]:
    last = last_checkpoint(rows[rows["measure"] == ANISOTROPY])
    return last.sort_values("layer")["value"].to_numpy(dtype=float)


def _over_steps(
    rows: pd.DataFrame, measure: str
) -> tuple[Int[np.ndarray, " step"], Float[np.ndarray, " step"]]:
    """The steps, and the mean over blocks at each."""
    means = rows[rows["measure"] == measure].groupby("step")["value"].mean().sort_index()
    return means.index.to_numpy(), means.to_numpy(dtype=float)


def _height(profile: Float[np.ndarray, " block"]) -> float:
    """The mean of the middle third of the blocks less that of the others, over that of all."""
    third = max(len(profile) // 3, 1)
    middle = profile[third:-third]
    outside = np.concatenate([profile[:third], profile[-third:]])
    if not len(middle):
        return float("nan")
    return float((middle.mean() - outside.mean()) / profile.mean())


HEIGHT = "top variance share, middle third of the blocks less the others, over the mean"


def _bell(profile: Float[np.ndarray, " block"], height: float) -> Row:
    inner = profile[1:-1]
    outer = profile[[0, -1]] if len(inner) else profile
    return _row(
        BELL,
        "4.1",
        (HEIGHT, _height(profile)),
        (
            "largest of the inner blocks less the larger of the first and the last",
            float(inner.max() - outer.max()) if len(inner) else float("nan"),
        ),
        [("value", ">", height), ("second_value", ">", 0.0)],
    )


def _flat(profile: Float[np.ndarray, " block"], height: float) -> Row:
    conditions = [("value", ">=", -height), ("value", "<=", height)]
    return _row(FLAT, "4.1", (HEIGHT, _height(profile)), ("", float("nan")), conditions)


def _growth(
    steps: Int[np.ndarray, " step"],
    means: Float[np.ndarray, " step"],
    correlation: float,
    settled: float,
) -> Row:
    moves = len(means) > 1 and np.ptp(means) > 0
    late = means[-max(len(means) // 4, 2) :]
    return _row(
        GROWTH,
        "4.2",
        (
            "rank correlation of the step with the top variance share, mean over blocks",
            _rank_correlation(steps, means) if moves else float("nan"),
        ),
        (
            "share of its range that the last quarter of checkpoints moves by",
            float(np.ptp(late) / np.ptp(means)) if moves else float("nan"),
        ),
        [("value", ">=", correlation), ("second_value", "<=", settled)],
    )


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's. Not from scipy.stats, which takes a second to import."""
    both = pd.DataFrame({"x": x, "y": y})
    return float(both.corr(method="spearman").to_numpy()[0, 1])


def _rise_and_fall(means: Float[np.ndarray, " step"], fall: float) -> Row:
    top = means.max() if len(means) else float("nan")
    first, last = means[[0, -1]] if len(means) else (float("nan"), float("nan"))
    return _row(
        RISE_AND_FALL,
        "4.3",
        (
            "rise of the TwoNN dimension, mean over blocks, to its largest, as a share of that",
            1 - first / top,
        ),
        ("fall from its largest to the last checkpoint, as a share of that", 1 - last / top),
        [("value", ">=", fall), ("second_value", ">=", fall)],
    )


def _row(
    claim: str,
    section: str,
    first: tuple[str, float],
    second: tuple[str, float],
    conditions: list[Condition],
) -> Row:
    """`first` and `second` are a statistic in words and its value."""
    values = {"value": first[1], "second_value": second[1]}
    if any(np.isnan(values[name]) for name, _, _ in conditions):
        verdict = CANNOT
    else:
        holds = all(COMPARISONS[sign](values[name], bound) for name, sign, bound in conditions)
        verdict = "matches" if holds else "differs"
    return {
        "claim": claim,
        "claimed_of": CLAIMED_OF[claim],
        "section": section,
        "statistic": first[0],
        "second_statistic": second[0],
        **values,
        "holds_if": " and ".join(f"{name} {sign} {bound:g}" for name, sign, bound in conditions),
        "verdict": verdict,
    }

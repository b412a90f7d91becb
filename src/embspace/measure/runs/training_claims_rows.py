"""Decides the claims of Razzhigaev et al. on layers and training: a row a claim."""

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.analysis import Column
from embspace.files.tables import Row
from embspace.measure.layers.layer_shapes import (
    BELL,
    CANNOT,
    FLAT,
    Condition,
    ShapeRules,
    Statistic,
    bell_conditions,
    flat_conditions,
    statistics_of,
    verdict_of,
)
from embspace.measure.layers.model_kinds import (
    DECODER,
    ENCODER,
    first_phase_rows,
    last_checkpoint,
)
from embspace.measure.runs.training_claims_moves import dealt_anew, growth_over, rise_and_fall_over
from embspace.settings.types import Share

COLUMNS: Mapping[str, Column] = (
    {"claim": "row", "claimed_of": "name", "section": "name", "kind": "name", "seed": "row"}
    | {"statistic": "name"}
    | dict.fromkeys(("value", "low", "high"), "trained_statistic")
    | {"second_statistic": "name"}
    | dict.fromkeys(("second_value", "second_low", "second_high"), "trained_statistic")
    | {"walk_p_value": "trained_statistic", "holds_if": "name"}
    | dict.fromkeys(("verdict_with_embeddings", "verdict"), "trained_verdict")
)
ANISOTROPY, DIMENSION = "top_variance_share", "two_nn"
GROWTH, RISE_AND_FALL = "anisotropy grows, then settles", "dimension rises, then falls"
CLAIMED_OF = {BELL: DECODER, FLAT: ENCODER, GROWTH: DECODER, RISE_AND_FALL: DECODER}
"""Claim -> the kind of model for which the paper makes it."""


class ClaimRules(ShapeRules):
    """The bounds that decide the claims."""

    rank_correlation: Share  # of the anisotropy with the step
    settled_share: Share  # of its range, that the last quarter of checkpoints may move by
    dimension_fall: Share  # of the largest dimension


def claim_rows(
    dynamics: pd.DataFrame, kind: str, claims: Collection[str], rules: ClaimRules
) -> list[Row]:
    """Return a row per seed and claim of `claims`: statistics, bounds, and the verdict.

    `dynamics` is a table of `measure_dynamics` or `measure_pretraining_dynamics`, for a model of
    the `kind`; the first phase counts.
    """
    return [
        {"kind": kind, "seed": seed, **row}
        for seed, rows in first_phase_rows(dynamics).groupby("seed", sort=False)
        for row in _rows_of_seed(rows, rules)
        if row["claim"] in claims
    ]


def _rows_of_seed(dynamics: pd.DataFrame, rules: ClaimRules) -> Iterator[Row]:
    profile = _profile(dynamics[dynamics["layer"] > 0])
    for claim, conditions in ((BELL, bell_conditions), (FLAT, flat_conditions)):
        yield _row(claim, "4.1", conditions(profile, profile, profile, rules))
    yield from _over_training(dynamics, rules)


def _over_training(rows: pd.DataFrame, rules: ClaimRules) -> Iterator[Row]:
    """Yield the claims on a mean over layers: by the blocks, beside the verdict with layer 0."""

    def claims_on(layers: pd.DataFrame) -> tuple[Row, Row]:
        dimensions = _over_steps(layers, DIMENSION)[1]
        relative = dealt_anew(layers[layers["measure"] == DIMENSION])
        return (
            _growth(growth_over(*_over_steps(layers, ANISOTROPY)), rules),
            _rise_and_fall(rise_and_fall_over(dimensions, relative), rules),
        )

    for row, other in zip(claims_on(rows[rows["layer"] > 0]), claims_on(rows), strict=True):
        same = other["verdict"] in (row["verdict"], CANNOT)
        verdict = row["verdict"] if same or row["verdict"] == CANNOT else "depends on the rule"
        yield row | {"verdict_with_embeddings": other["verdict"], "verdict": verdict}


def _profile(rows: pd.DataFrame) -> Float[np.ndarray, " block"]:
    last = last_checkpoint(rows[rows["measure"] == ANISOTROPY])
    return last.sort_values("layer")["value"].to_numpy(dtype=float)


def _over_steps(
    rows: pd.DataFrame, measure: str
) -> tuple[Int[np.ndarray, " step"], Float[np.ndarray, " step"]]:
    """Return the steps, and the mean over blocks at each."""
    means = rows[rows["measure"] == measure].groupby("step")["value"].mean().sort_index()
    return means.index.to_numpy(), means.to_numpy(dtype=float)


def _growth(statistics: tuple[Statistic, Statistic], rules: ClaimRules) -> Row:
    correlation, settled = statistics
    return _row(
        GROWTH,
        "4.2",
        [
            Condition("value", correlation, ">=", rules.rank_correlation),
            Condition("second_value", settled, "<=", rules.settled_share),
        ],
    )


def _rise_and_fall(statistics: tuple[Statistic, Statistic], rules: ClaimRules) -> Row:
    rise, fall = statistics
    return _row(
        RISE_AND_FALL,
        "4.3",
        [
            Condition("value", rise, ">=", rules.dimension_fall),
            Condition("second_value", fall, ">=", rules.dimension_fall),
        ],
    )


def _row(claim: str, section: str, conditions: list[Condition]) -> Row:
    return {
        "claim": claim,
        "claimed_of": CLAIMED_OF[claim],
        "section": section,
        **statistics_of(conditions),
        "holds_if": " and ".join(condition.words for condition in conditions),
        "verdict": verdict_of(conditions),
    }

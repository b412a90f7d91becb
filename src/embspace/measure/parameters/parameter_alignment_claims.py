"""Decides what Dar et al. claim of the layers of two seeds, by how a run's seeds are matched."""

from collections.abc import Iterator

import pandas as pd

from embspace.files.tables import Row
from embspace.geometry.inference.holm import holm_p_values
from embspace.measure.parameters.parameter_alignment_rows import RAW, VOCABULARY

SAME_DEPTH = "in vocabulary space, layers of two seeds are matched at the same depth in all groups"
BY_CHANCE = "in raw space, layers of two seeds are matched by chance"
HOLDS_IF = {
    SAME_DEPTH: "every group aligned; differs where none is",
    BY_CHANCE: "no p-value below the level by Holm's method, and fewer layers matched with "
    "themselves than twice by chance; differs where a p-value is below",
}


def claim_rows(assignments: pd.DataFrame, *, level: float, shares_base: bool) -> list[Row]:
    """Return a row per claim and two seeds: the verdict after the first phase, and before any step.

    Seeds with a shared base were not trained apart: no row.

    Args:
        assignments: Table of `measure_parameter_alignment`, in the order of training.
        level: Of the null's range; p-values are compared with 1 - `level`.
        shares_base: True if all seeds start from one trained model.
    """
    return [] if shares_base or assignments.empty else list(_rows(assignments, level))


def _rows(assignments: pd.DataFrame, level: float) -> Iterator[Row]:
    first_phase = assignments[assignments["phase"] == assignments["phase"].iloc[0]]
    trained, untrained = first_phase["step"].max(), 0
    if trained == untrained:
        return
    for (seed, other), pair in first_phase.groupby(["seed", "other_seed"], sort=False):
        for claim, space in ((SAME_DEPTH, VOCABULARY), (BY_CHANCE, RAW)):
            matched = pair[(pair["space"] == space) & (pair["step"] == trained)]
            before = pair[(pair["space"] == space) & (pair["step"] == untrained)]
            yield {
                "claim": claim,
                "phase": matched["phase"].iloc[0],
                "step": trained,
                "seed": f"{seed} and {other}",
                "n_layers": matched["n_layers"].iloc[0],
                "n_groups": len(matched),
                "n_aligned": int(matched["is_aligned"].sum()),
                "on_diagonal": matched["on_diagonal"].mean(),
                "smallest_holm_p_value": _smallest_p_value(matched),
                "holds_if": HOLDS_IF[claim],
                "verdict": _verdict(claim, matched, level),
                "verdict_untrained": _verdict(claim, before, level) if len(before) else "",
            }


def _smallest_p_value(matched: pd.DataFrame) -> float:
    return float(holm_p_values(matched["p_value"].to_numpy()).min())


def _verdict(claim: str, matched: pd.DataFrame, level: float) -> str:
    if claim == SAME_DEPTH:
        aligned = matched["is_aligned"].astype(bool)
        return "matches" if aligned.all() else "undecided" if aligned.any() else "differs"
    if _smallest_p_value(matched) < 1 - level:
        return "differs"
    twice_chance = 2 / matched["n_layers"].iloc[0]
    return "matches" if matched["on_diagonal"].mean() < twice_chance else "undecided"

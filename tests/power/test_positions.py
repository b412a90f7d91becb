"""Claims on positions, asked of tables that encode nothing: shuffled, random walks, smooth."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.geometry.positional.position_features import outlying_positions
from embspace.measure.positional.helix import measure_helix
from embspace.measure.positional.positions import measure_positions
from tests.geometry.planted import helix, smooth_table
from tests.measure.regimes import regimes_of
from tests.power.rules import DRAWS, Tables, claim_that_begins, decided, hold_seldom

N, DIM = 64, 32
SHUFFLED, WALK, FALLING = "shuffled", "random_walk", "falling"
SMOOTH = (WALK, FALLING)
PATH = {
    "In the whole space, too, the structured positions lie": (SHUFFLED,),
    "In three principal components the positions wind": SMOOTH,
    "In three principal components the positions advance": SMOOTH,
}
COSINES = {
    "The positional matrix changes smoothly": (SHUFFLED,),
    "The cosines of the first 384 positions are strongly": (SHUFFLED, *SMOOTH),
    "A position is most like the nearest ones": (SHUFFLED,),
    "The likeness falls in waves": (SHUFFLED, *SMOOTH),
    "A position is unlike those before it": (SHUFFLED, *SMOOTH),
    "The first ten positions have nearly one": (SHUFFLED, *SMOOTH),
    # In a stationary table the offset does explain nearly all.
    "All positions have nearly one and the same profile": (SHUFFLED, WALK),
}
APART = {"Position 0 is unlike the others": (SHUFFLED, *SMOOTH)}
"""Claims by how they begin, and the tables of which they say what is not so."""
Table = np.ndarray
Measured = Callable[[Table], Tables]


def drawn(kind: str, seed: int) -> Table:
    """Return a table that encodes nothing; the cosines of a falling one fall over six positions."""
    steps = np.random.default_rng(seed).normal(size=(N, DIM))
    if kind == SHUFFLED:
        return steps
    if kind == WALK:
        return steps.cumsum(axis=0)
    offsets = np.subtract.outer(np.arange(N), np.arange(N))
    smooth: Table = np.linalg.cholesky(np.exp(-(offsets**2) / 72) + 1e-6 * np.eye(N)) @ steps
    return smooth


def settings(root: Path, noun: str, **change: Any) -> dict[str, Any]:
    """Return those of the project, with few draws."""
    file = root / f"conf/measure/positional/{noun}.yaml"
    return {**yaml.safe_load(file.read_text(encoding="utf-8")), "seed": 0, **change}


def path_measure(root: Path, n_tables: int) -> Measured:
    """Measure the path of a table, beside so many tables of each null."""
    how = settings(root, "helix", n_shuffles=n_tables + 2, n_null_tables=n_tables)

    def measured(x: Table) -> Tables:
        outcome = measure_helix({"positional": x.astype(np.float32)}, regimes_of(len(x)), **how)
        return {f"helix/{name}": outcome[name] for name in ("nulls", "one_dimensionality")}

    return measured


def cosine_measure(root: Path, n_tables: int) -> Measured:
    """Measure the cosines of a table, beside so many tables of each null."""
    how = settings(root, "positions", n_shuffles=n_tables + 2, n_null_tables=n_tables)

    def measured(x: Table) -> Tables:
        outcome = measure_positions({"positional": x.astype(np.float32)}, regimes_of(len(x)), **how)
        return {f"positions/{name}": outcome[name] for name in ("nulls", "properties")}

    return measured


def outlier_measure(root: Path, n_tables: int) -> Measured:
    """Measure how far each position stands apart."""
    how = settings(root, "regimes")

    def measured(x: Table) -> Tables:
        apart = outlying_positions(x, window=how["window"], threshold=how["outlier_threshold"])
        columns = {"score": apart.score, "neighbor_cosine": apart.neighbor_cosine}
        return {"regimes/positions": pd.DataFrame({"position": np.arange(len(x)), **columns})}

    return measured


@DRAWS
@pytest.mark.parametrize("kind", [SHUFFLED, WALK, FALLING])
@pytest.mark.parametrize(
    ("claims", "measure", "n_tables"),
    [(PATH, path_measure, 7), (COSINES, cosine_measure, 8), (APART, outlier_measure, 0)],
    ids=["path", "cosines", "outliers"],
)
def test_a_table_that_encodes_nothing_seldom_passes(
    root: Path,
    claims: dict[str, tuple[str, ...]],
    measure: Callable[[Path, int], Measured],
    n_tables: int,
    kind: str,
    n_draws: int,
):
    chosen = [words for words, kinds in claims.items() if kind in kinds]
    # A quantile of few draws lies within them, and is passed more often than its level says.
    measured = measure(root, n_tables if n_draws < 100 else 8 * n_tables)
    hold_seldom(root, chosen, lambda seed: measured(drawn(kind, seed)), n_draws)


def verdict(root: Path, words: str, measured: Measured, x: Table) -> str:
    return decided(claim_that_begins(root, words), measured(x)).verdict


def test_a_helix_winds_and_advances_and_a_circle_winds_alone(root: Path):
    measured = path_measure(root, 12)
    wind, advance, line = [*PATH][1], [*PATH][2], [*PATH][0]
    planted = helix(2 * N, dim=DIM)
    angle = 2 * np.pi * np.arange(2 * N)[:, np.newaxis] / 22
    circle = np.hstack([np.cos(angle), np.sin(angle), 0.01 * np.arange(2 * N)[::-1, np.newaxis]])
    circle = circle @ np.random.default_rng(0).normal(size=(3, DIM))
    assert verdict(root, wind, measured, planted) == "matches"
    assert verdict(root, advance, measured, planted) == "matches"
    assert verdict(root, line, measured, planted) == "matches"
    assert verdict(root, wind, measured, circle) == "matches"


def test_waves_are_a_pattern_and_a_profile(root: Path):
    measured, waves = cosine_measure(root, 12), smooth_table(2 * N, DIM)
    verdicts = {words: verdict(root, words, measured, waves) for words in COSINES}
    # Smooth waves are alike on both sides: below some nulls, and within the range of others.
    assert verdicts.pop("A position is unlike those before it") == "depends on the rule"
    assert set(verdicts.values()) == {"matches"}, verdicts


def test_a_first_position_of_another_kind_is_told(root: Path):
    measured, x = outlier_measure(root, 0), drawn(FALLING, 0)
    x[0] = np.random.default_rng(1).normal(size=DIM)
    assert verdict(root, [*APART][0], measured, x) == "matches"
    assert verdict(root, [*APART][0], measured, x[1:]) == "differs"

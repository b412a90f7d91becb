"""Stage `measure_regimes`: where the positional vectors change their nature.

Two things are told apart: single outlying positions, and regimes along the axis. Luisto's thesis
sees in BERT a change at 128, another at 384, and no structure after it; figure 14 is its figure
10 without those positions.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.config import StageConfig, run_stage
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.directions import norms
from embspace.geometry.pairs import scan_pairs
from embspace.geometry.position_features import (
    LocalFeatures,
    local_features,
    offset_cosines,
    outlying_positions,
)
from embspace.geometry.regimes import (
    change_points,
    silent_penalty,
    simulated_features,
    stationary_kernel,
    stationary_tables,
)
from embspace.measure.summary import Probability, histogram_rows, summary_of, summary_row

Share = Annotated[float, Field(gt=0, lt=1)]
POSITIONS = ["position", "norm", "neighbor_cosine", "score", "outlying", "regime", "unstructured"]


@dataclass(frozen=True)
class Regimes:
    """What the stage found. All tables are empty for a model without positional vectors."""

    positions: pd.DataFrame
    """One row a position."""
    summary: pd.DataFrame
    """One row a regime."""
    distributions: pd.DataFrame
    """Norms and pairs: of all positions and, where a regime is unstructured, without it."""
    histogram: pd.DataFrame
    scalars: dict[str, float]


@dataclass(frozen=True)
class Changes:
    """Where regimes begin, and how the penalty behaves on tables in which nothing changes."""

    starts: tuple[int, ...]
    penalty: float
    n_simulations: int
    n_false_alarms: int


def measure_regimes(
    matrices: dict[str, np.ndarray],
    *,
    window: Annotated[int, Field(ge=3)],
    outlier_threshold: PositiveFloat,
    offsets: list[PositiveInt],
    limit: PositiveFloat,
    smallest_regime: Annotated[int, Field(ge=2)],
    false_alarm_rate: Share,
    n_simulations: PositiveInt,
    level: Share,
    n_bins: PositiveInt,
    n_histogram_bins: PositiveInt,
    quantiles: list[Probability],
    seed: NonNegativeInt,
) -> Regimes:
    """Outlying positions, regimes, and which of these are unstructured.

    A regime is unstructured when its neighbours' mean cosine does not exceed, at `level`, that
    of independent random directions. The penalty of a change is the one that `false_alarm_rate`
    of simulated stationary tables, with the cosines by offset of this one, would just pass; the
    rate is measured on as many others.
    """
    x = matrices.get("positional")
    if x is None:
        return _none()
    apart = outlying_positions(x, window=window, threshold=outlier_threshold)
    changes = Changes((), np.nan, 0, 0)
    if len(x) >= 2 * smallest_regime + max(offsets):
        changes = _changes(
            x,
            apart.outlying,
            offsets=offsets,
            limit=limit,
            smallest_regime=smallest_regime,
            false_alarm_rate=false_alarm_rate,
            n_simulations=n_simulations,
            rng=np.random.default_rng(seed),
        )
    regime = 1 + np.searchsorted(changes.starts, np.arange(len(x)), side="right")
    summary = pd.DataFrame(
        [
            _regime(x, apart.outlying, regime, number, level)
            for number in range(1, len(changes.starts) + 2)
        ]
    )
    unstructured = summary["unstructured"].to_numpy()[regime - 1]
    columns = (np.arange(len(x)), norms(x), apart.neighbor_cosine, apart.score)
    positions = pd.DataFrame(
        dict(zip(POSITIONS, (*columns, apart.outlying, regime, unstructured), strict=True))
    )
    sets = {"all": np.ones(len(x), dtype=np.bool_), "without_unstructured": ~unstructured}
    if unstructured.all() or not unstructured.any():
        sets.pop("without_unstructured")
    distributions, histogram = _distributions(x, sets, n_bins, n_histogram_bins, quantiles)
    return Regimes(
        positions, summary, distributions, histogram, _scalars(positions, summary, changes)
    )


def _none() -> Regimes:
    empty = pd.DataFrame(columns=POSITIONS)
    nothing = pd.DataFrame(columns=["positions"])
    return Regimes(empty, pd.DataFrame(columns=["regime"]), nothing, nothing, {"n_positions": 0})


def _changes(
    x: Float[np.ndarray, "n dim"],
    outlying: Bool[np.ndarray, " n"],
    *,
    offsets: list[int],
    limit: float,
    smallest_regime: int,
    false_alarm_rate: float,
    n_simulations: int,
    rng: np.random.Generator,
) -> Changes:
    kernel = stationary_kernel(x, outlying)

    def simulate() -> list[LocalFeatures]:
        # One thread: on more BLAS would add in another order.
        with threadpool_limits(1, user_api="blas"):
            tables = stationary_tables(kernel, x.shape[1], n_simulations, rng)
            return simulated_features(tables, offsets=offsets, limit=limit)

    silent = [silent_penalty(each, smallest_regime=smallest_regime) for each in simulate()]
    penalty = float(np.quantile(silent, 1 - false_alarm_rate))

    def find(features: LocalFeatures) -> tuple[int, ...]:
        return change_points(features, penalty=penalty, smallest_regime=smallest_regime)

    n_false_alarms = sum(bool(find(each)) for each in simulate())
    starts = find(local_features(x, outlying, offsets=offsets, limit=limit))
    return Changes(starts, penalty, n_simulations, n_false_alarms)


def _regime(
    x: Float[np.ndarray, "n dim"],
    outlying: Bool[np.ndarray, " n"],
    regime: Int[np.ndarray, " n"],
    number: int,
    level: float,
) -> dict[str, object]:
    """A row of the summary. Pairs with an outlying position do not count.

    Cosines of successive independent directions are themselves independent, of mean 0 and
    variance 1/dim, so that their mean is nearly Gaussian.
    """
    from scipy.stats import norm

    inside = (regime == number) & ~outlying
    cosines = offset_cosines(x, 1)[inside[:-1] & inside[1:]]
    bound = norm.isf(level) / np.sqrt(x.shape[1] * len(cosines)) if len(cosines) else np.nan
    members = np.flatnonzero(regime == number)
    return {
        "regime": int(number),
        "first_position": int(members[0]),
        "last_position": int(members[-1]),
        "n": len(members),
        "n_outlying": int(outlying[members].sum()),
        "mean_norm": float(norms(x[inside]).mean()) if inside.any() else np.nan,
        "n_neighbor_pairs": len(cosines),
        "mean_neighbor_cosine": float(cosines.mean()) if len(cosines) else np.nan,
        "null_bound": float(bound),
        "unstructured": bool(len(cosines) and cosines.mean() <= bound),
    }


def _distributions(
    x: Float[np.ndarray, "n dim"],
    sets: dict[str, Bool[np.ndarray, " n"]],
    n_bins: int,
    n_histogram_bins: int,
    quantiles: list[float],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    rows, parts = [], []
    for name, members in sets.items():
        values = norms(x[members])
        rows.append({"positions": name, "quantity": "norm", **summary_of(values, quantiles)})
        counts, edges = np.histogram(values, bins=n_histogram_bins)
        parts.append(histogram_rows({"positions": name, "quantity": "norm"}, edges, counts))
        scan = scan_pairs(x[members], n_bins=n_bins)
        for quantity, distribution in scan.distributions.items():
            key = {"positions": name, "quantity": quantity}
            rows.append({**key, **summary_row(distribution, quantiles)})
            edges, counts = distribution.coarsen(n_histogram_bins)
            parts.append(histogram_rows(key, edges, counts))
    return pd.DataFrame(rows), pd.concat(parts, ignore_index=True)


def _scalars(positions: pd.DataFrame, summary: pd.DataFrame, changes: Changes) -> dict[str, float]:
    from scipy.stats import binomtest

    low = high = np.nan
    if changes.n_simulations:
        test = binomtest(changes.n_false_alarms, changes.n_simulations)
        low, high = test.proportion_ci(confidence_level=0.95, method="wilson")
    return {
        "n_positions": len(positions),
        "n_outlying": int(positions["outlying"].sum()),
        "n_changes": len(changes.starts),
        "n_unstructured_regimes": int(summary["unstructured"].sum()),
        "n_unstructured_positions": int(positions["unstructured"].sum()),
        "penalty": changes.penalty,
        "n_simulations": changes.n_simulations,
        "false_alarm_rate": changes.n_false_alarms / max(changes.n_simulations, 1),
        "false_alarm_rate_low": float(low),
        "false_alarm_rate_high": float(high),
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    matrices = load_tensors(f"data/extracted/embeddings/{name}.safetensors")
    found = measure_regimes(matrices, **config.settings)
    save_table(found.positions, f"results/regimes/positions/{name}.csv")
    save_table(found.summary, f"results/regimes/summary/{name}.csv")
    save_table(found.distributions, f"results/regimes/distributions/{name}.csv")
    save_table(found.histogram, f"results/regimes/histogram/{name}.csv")
    save_scalars(found.scalars, f"results/regimes/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_regimes)

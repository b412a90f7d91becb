"""Stage `measure_regimes`: where the position embeddings change in kind.

The stage separates single outlying positions from regimes along the axis. Luisto's thesis sees two
changes in BERT, at 128 and at 384, and no structure after 384. Figure 14 of the thesis is its
figure 10, of tokens and positions, without the unstructured positions.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.clouds.learned import one_space
from embspace.errors import InputError
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.pairs import PairScan, scan_pairs
from embspace.geometry.positional.position_features import (
    Outlyingness,
    offset_cosines,
    outlying_positions,
)
from embspace.geometry.positional.regimes import (
    Regime,
    Search,
    find_regimes,
    is_long_enough,
    null_penalties,
    penalty_at,
)
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.summary import histogram_of, histogram_rows, summary_of, summary_row
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability, Share

OF_POSITIONS: dict[str, Column] = {
    "positions": ("row", "positions"),
    "quantity": ("row", "quantity"),
}
DISTRIBUTIONS = Table({**OF_POSITIONS, **SUMMARY})
HISTOGRAM = Table(
    {
        "positions": "row",
        "quantity": "row",
        "bin_left": "moment",
        "bin_right": "moment",
        "count": "pair_count",
        "density": "pair_density",
    }
)
REGIMES = Analysis(
    noun="regimes",
    question="Which positions stand apart, and where does their nature change? Fig. 14",
    reads={"matrices": "data/extracted/embeddings/{model}.safetensors"},
    tables={
        "positions": Table(
            {
                "position": ("row", "position"),
                "norm": ("moment", "norm"),
                "neighbor_cosine": ("moment", "larger cosine with those beside it"),
                "score": ("score", "under the median around, in robust deviations"),
                "outlying": "count",
                "regime": ("count", "regime"),
                "unstructured": "count",
            }
        ),
        "summary": Table(  # a row for each regime
            {
                "regime": ("row", "regime"),
                "first_position": ("count", "first position"),
                "last_position": ("count", "last position"),
                "n": "count",
                "n_outlying": ("count", "outlying"),
                "mean_norm": ("moment", "mean norm"),
                "n_neighbor_pairs": "count",
                "mean_neighbor_cosine": ("moment", "neighbors' mean cosine"),
                "null_bound": ("moment", "bound of random vectors"),
                "unstructured": ("count", "unstructured"),
                "start_p_value": ("p_value", "p of its start"),
                "next_p_value": ("p_value", "p of the next change"),
            }
        ),
        # Norms and pairs of all positions and, where some are unstructured, without these.
        "distributions": DISTRIBUTIONS,
        "histogram": HISTOGRAM,
        # Pairs of a token and a position, of the same sets of positions.
        "token_distributions": DISTRIBUTIONS,
        "token_histogram": HISTOGRAM,
    },
    scalars={
        "n_*": "count",
        "unstructured_named": "setting",
        "penalty": "null_value",
        "false_alarm_rate": "p_value",
        "false_alarm_rate_*": "p_value",
    },
)
FEWEST = 6
PositionSets = dict[str, Float[np.ndarray, "_ dim"]]
"""The vectors of every named set of positions."""
Described = tuple[dict[str, Any], pd.DataFrame | None]
"""The row of the summary and the bins of a quantity, or None if it has no values."""
FirstAndLast = Annotated[list[NonNegativeInt], Field(min_length=2, max_length=2)]


class Coarse(NamedTuple):
    """The bins and quantiles that stand for a distribution."""

    n_bins: int
    """The number of bins of the histogram."""
    quantiles: list[float]


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
    unstructured_positions: FirstAndLast | None,
    n_bins: Listed,
    n_histogram_bins: Listed,
    quantiles: list[Probability],
    seed: NonNegativeInt,
) -> Outcome:
    """Return outlying positions and regimes, and which regimes are unstructured.

    A regime is unstructured if the mean cosine of its neighboring positions does not exceed, at
    `level`, the mean cosine of independent random directions. Positions are unstructured if their
    regime is, unless `unstructured_positions` names the first and the last unstructured position.
    The penalty of a change is the one that a share `false_alarm_rate` of simulated stationary
    tables, with the stretch's cosines by offset, would just pass. For the whole table, the rate is
    measured on as many fresh tables.
    """
    x = matrices.get("positional")
    if x is None:
        return REGIMES.empty(n_positions=0)
    if len(x) < FEWEST:
        raise InputError(f"the model has {len(x)} positions; regimes are of {FEWEST} at least")
    apart = outlying_positions(x, window=window, threshold=outlier_threshold)
    search = Search(tuple(offsets), limit, smallest_regime, n_simulations)
    rng = np.random.default_rng(seed)
    null = again = None
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        if is_long_enough(len(x), search):
            null, again = (null_penalties(x, apart.outlying, search, rng) for _ in range(2))
        regimes = find_regimes(
            x, apart.outlying, search, level=false_alarm_rate, rng=rng, null=null
        )
    summary = pd.DataFrame(
        [
            {"regime": number, **_regime(x, apart.outlying, regime, level)}
            for number, regime in enumerate(regimes, start=1)
        ]
    )
    positions = _positions(x, apart, summary)
    if unstructured_positions is not None:
        positions["unstructured"] = _named(unstructured_positions, len(x))
    sets = _sets(x, positions["unstructured"].to_numpy())
    coarse = Coarse(n_histogram_bins, quantiles)
    position_tables = _tables(_position_quantities(sets, n_bins, coarse))
    with_tokens = _tables(_with_tokens(one_space(matrices)["input"], sets, n_bins, coarse))
    scalars = _scalars(positions, summary, is_named=unstructured_positions is not None)
    if null is not None and again is not None:
        scalars |= _reliability(null, again, false_alarm_rate)
    return {
        "positions": positions,
        "summary": summary,
        **dict(zip(("distributions", "histogram"), position_tables, strict=True)),
        **dict(zip(("token_distributions", "token_histogram"), with_tokens, strict=True)),
        "json": scalars,
    }


def _positions(
    x: Float[np.ndarray, "n dim"], apart: Outlyingness, summary: pd.DataFrame
) -> pd.DataFrame:
    """Return a row per position, with its regime."""
    regime = np.repeat(summary["regime"].to_numpy(), summary["n"].to_numpy())
    unstructured = summary["unstructured"].to_numpy()[regime - 1]
    return pd.DataFrame(
        {
            "position": np.arange(len(x)),
            "norm": norms(x),
            "neighbor_cosine": apart.neighbor_cosine,
            "score": apart.score,
            "outlying": apart.outlying,
            "regime": regime,
            "unstructured": unstructured,
        }
    )


def _named(named: list[int], n: int) -> Bool[np.ndarray, " n"]:
    first, last = named
    if not first <= last < n:
        raise InputError(
            "conf/measure/positional/regimes.yaml: key 'unstructured_positions': found "
            f"{named}, allowed: the first and the last of them, from 0 to {n - 1}"
        )
    positions = np.arange(n)
    return (positions >= first) & (positions <= last)


def _sets(x: Float[np.ndarray, "n dim"], unstructured: Bool[np.ndarray, " n"]) -> PositionSets:
    """Return all positions and, if some but not all are unstructured, the structured positions."""
    sets = {"all": x}
    if unstructured.any() and not unstructured.all():
        sets["without_unstructured"] = x[~unstructured]
    return sets


def _regime(
    x: Float[np.ndarray, "n dim"],
    outlying: Bool[np.ndarray, " n"],
    regime: Regime,
    level: float,
) -> dict[str, object]:
    """Return a row of the summary; pairs with an outlying position do not count.

    Cosines of successive independent directions are themselves independent, of mean 0 and variance
    1/dim, so their mean is nearly Gaussian.
    """
    from scipy.stats import norm

    members = slice(regime.begin, regime.end)
    inside = np.zeros(len(x), dtype=np.bool_)
    inside[members] = ~outlying[members]
    cosines = offset_cosines(x, 1)[inside[:-1] & inside[1:]]
    bound = norm.isf(level) / np.sqrt(x.shape[1] * len(cosines)) if len(cosines) else np.nan
    return {
        "first_position": regime.begin,
        "last_position": regime.end - 1,
        "n": regime.end - regime.begin,
        "n_outlying": int(outlying[members].sum()),
        "mean_norm": float(norms(x[inside]).mean()) if inside.any() else np.nan,
        "n_neighbor_pairs": len(cosines),
        "mean_neighbor_cosine": float(cosines.mean()) if len(cosines) else np.nan,
        "null_bound": float(bound),
        "unstructured": bool(len(cosines) and cosines.mean() <= bound),
        "start_p_value": regime.start_p_value,
        "next_p_value": regime.next_p_value,
    }


def _position_quantities(sets: PositionSets, n_bins: int, coarse: Coarse) -> Iterator[Described]:
    """Yield the norms and the pairs of positions of every set."""
    for name, x in sets.items():
        values, key = norms(x), {"positions": name, "quantity": "norm"}
        counts, edges = histogram_of(values, coarse.n_bins)
        row = {**key, **summary_of(values, coarse.quantiles)}
        yield row, histogram_rows(key, edges, counts)
        yield from _pair_quantities(scan_pairs(x, n_bins=n_bins), name, coarse)


def _with_tokens(
    tokens: Float[np.ndarray, "token dim"], sets: PositionSets, n_bins: int, coarse: Coarse
) -> Iterator[Described]:
    """Yield the pairs of a token and a position of every set."""
    for name, x in sets.items():
        yield from _pair_quantities(scan_pairs(tokens, x, n_bins=n_bins), name, coarse)


def _pair_quantities(scan: PairScan, positions: str, coarse: Coarse) -> Iterator[Described]:
    """Yield the quantities of a scan."""
    for quantity, distribution in scan.distributions.items():
        key = {"positions": positions, "quantity": quantity}
        bins = None
        if distribution.n:  # vectors of length zero have no cosine
            bins = histogram_rows(key, *distribution.coarsen(coarse.n_bins))
        yield {**key, **summary_row(distribution, coarse.quantiles)}, bins


def _tables(described: Iterable[Described]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the summary and the histogram of all quantities described."""
    rows, bins = zip(*described, strict=True)
    filled = [rows_of_bins for rows_of_bins in bins if rows_of_bins is not None]
    return pd.DataFrame(rows), pd.concat(filled, ignore_index=True)


def _scalars(positions: pd.DataFrame, summary: pd.DataFrame, *, is_named: bool) -> dict[str, float]:
    return {
        "n_positions": len(positions),
        "n_outlying": int(positions["outlying"].sum()),
        "n_changes": len(summary) - 1,
        "n_unstructured_regimes": int(summary["unstructured"].sum()),
        "n_unstructured_positions": int(positions["unstructured"].sum()),
        "unstructured_named": is_named,
    }


def _reliability(null: np.ndarray, again: np.ndarray, level: float) -> dict[str, float]:
    """Return the whole table's penalty, and the share of fresh stationary tables that pass it."""
    from scipy.stats import binomtest

    penalty = penalty_at(null, level)
    n_alarms = int(np.sum(again > penalty))
    low, high = binomtest(n_alarms, len(again)).proportion_ci(method="wilson")
    return {
        "penalty": penalty,
        "n_simulations": len(again),
        "false_alarm_rate": n_alarms / len(again),
        "false_alarm_rate_low": float(low),
        "false_alarm_rate_high": float(high),
    }


main = REGIMES.main(measure_regimes)

if __name__ == "__main__":
    run_stage(main, measure_regimes)

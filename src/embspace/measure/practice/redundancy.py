"""Stage `measure_redundancy`: which measures of layers go together, beyond two random walks."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt

from embspace.analysis import TABLE, Analysis, Outcome, Source, Table
from embspace.files.tables import load_table
from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.settings.model import Model
from embspace.settings.stage import run_stage

FEWEST_PAIRS = 3  # of measures that two models share
FEWEST_LAYERS = 4  # three steps between have 48 walks
NOUNS = ("direction", "spectrum", "context", "intrinsic_dimension", "hubs")
KEYS = ["corpus", "space"]
PAIR = ["measure", "other_measure"]
Curves = Float[np.ndarray, "... layer"]


def load_profiles(*given: Any) -> dict[str, pd.DataFrame]:
    """Return the profiles of a model, which comes first, and of the models under `profiled`.

    Arguments are folders, then name and description of the model, then the list.
    """
    *folders, name, model, profiled = given
    assert isinstance(model, Model)
    names = dict.fromkeys([name, *profiled])
    return {
        other: pd.concat([load_table(f"{folder}/{other}.csv") for folder in folders])
        for other in names
    }


REDUNDANCY = Analysis(
    noun="redundancy",
    question="Which measures of layers say the same, in a model and in others?",
    over="profiled",
    reads={
        "profiles": Source(
            load_profiles,
            [f"results/{noun}/profiles" for noun in NOUNS],
            described=True,
            lists=["profiled"],
        )
    },
    tables={
        TABLE: Table(
            {
                "measure": ("row", "measure"),
                "other_measure": ("row", "other measure"),
                "n_clouds": ("count", "clouds"),
                "n_layers": "count",
                "spearman": ("layer_ranks", "Spearman"),
                "smallest": ("layer_ranks", "smallest"),
                "largest": ("layer_ranks", "largest"),
                "of_steps": ("layer_ranks", "of steps"),
                "p_value": ("p_value", "p"),
                "adjusted_p_value": ("layer_ranks", "adjusted p"),
            }
        ),
        "models": Table(
            {
                "other_model": ("row", "model"),
                "n_pairs": ("count", "pairs of measures"),
                "spearman": ("layer_ranks", "Spearman"),
                "p_value": ("p_value", "p"),
            }
        ),
    },
)


def measure_redundancy(
    profiles: Mapping[str, pd.DataFrame],
    *,
    measures: Annotated[list[str], Field(min_length=2)],
    n_shuffles: Annotated[int, Field(ge=19)],
    seed: NonNegativeInt,
) -> Outcome:
    """Measure the rank correlation of two measures over the layers of a model.

    `spearman` is the mean over clouds, a corpus and a kind of vectors each, `of_steps` of the
    changes from layer to layer. Curves with a trend correlate by chance; the null is random walks
    with one measure's steps in random order and of random sign, alike in all clouds, and p is the
    larger of either measure walking, two-sided, adjusted for all pairs (Benjamini-Hochberg).
    `models` has the rank correlation between two models of their `spearman`, with p by measures
    dealt anew (Mantel 1967). Clouds with an undefined or constant measure, or of fewer than four
    layers, are left out.
    """
    curves = {name: _curves(table, measures) for name, table in profiles.items()}
    if not curves:
        return REDUNDANCY.empty()
    first, *others = curves
    rng = np.random.default_rng(seed)
    pairs = _pairs(curves[first], n_shuffles, rng)
    own = pairs.set_index(PAIR)["spearman"] if len(pairs) else pd.Series(dtype=float)
    rows = []
    for other in others:
        there = _pairs(curves[other], 0, rng)
        if len(there) and len(pairs):
            both = pd.concat([own, there.set_index(PAIR)["spearman"]], axis=1, join="inner")
            if len(both) >= FEWEST_PAIRS:
                rows.append({"other_model": other, **_mantel(both, n_shuffles, rng)})
    models = REDUNDANCY.tables["models"].of(rows)
    return {TABLE: REDUNDANCY.tables[TABLE].of(pairs), "models": models}


def _curves(table: pd.DataFrame, measures: Sequence[str]) -> dict[str, dict[tuple[str, str], Any]]:
    """Return the values over layers by measure and cloud."""
    plain = table[table["change"] == "as_is"]
    made: dict[str, dict[tuple[str, str], Any]] = {name: {} for name in measures}
    for key, rows in plain.groupby(["measure", *KEYS], sort=False):
        name, corpus, space = map(str, key)
        values = rows.sort_values("layer")["value"].to_numpy(dtype=float)
        is_defined = np.isfinite(values).all() and np.ptp(values) > 0
        if name in made and is_defined and len(values) >= FEWEST_LAYERS:
            made[name][corpus, space] = values
    return made


def _pairs(
    curves: Mapping[str, Mapping[tuple[str, str], Any]], n_shuffles: int, rng: np.random.Generator
) -> pd.DataFrame:
    rows = []
    for first, second in combinations(curves, 2):
        shared = [cloud for cloud in curves[first] if cloud in curves[second]]
        if not shared:
            continue
        x, y = (np.array([curves[name][cloud] for cloud in shared]) for name in (first, second))
        values = spearman(x, y)
        null = [np.abs(_walking(*sides, n_shuffles, rng)) for sides in ((x, y), (y, x))]
        mean = float(values.mean())
        rows.append(
            {
                "measure": first,
                "other_measure": second,
                "n_clouds": len(shared),
                "n_layers": x.shape[1],
                "spearman": mean,
                "smallest": values.min(),
                "largest": values.max(),
                "of_steps": float(np.nanmean(spearman(np.diff(x), np.diff(y)))),
                "p_value": max(upper_p_value(abs(mean), walks) for walks in null),
            }
        )
    table = pd.DataFrame(rows)
    if table.empty:
        return table
    adjusted = benjamini_hochberg(table["p_value"].to_numpy())
    order = np.argsort(-table["spearman"].abs().to_numpy(), kind="stable")
    return table.assign(adjusted_p_value=adjusted).iloc[order].reset_index(drop=True)


def spearman(x: Curves, y: Curves) -> Float[np.ndarray, "..."]:
    """Return the rank correlation along the last axis, ties shared; NaN of a constant."""
    from scipy.stats import rankdata

    x, y = (rankdata(values, axis=-1) for values in (x, y))
    x, y = (ranks - ranks.mean(axis=-1, keepdims=True) for ranks in (x, y))
    lengths = np.sqrt(np.square(x).sum(axis=-1) * np.square(y).sum(axis=-1))
    return ratio((x * y).sum(axis=-1), np.where(lengths > 0, lengths, np.nan))


def _walking(
    still: Float[np.ndarray, "cloud layer"],
    walking: Float[np.ndarray, "cloud layer"],
    n: int,
    rng: np.random.Generator,
) -> Float[np.ndarray, " draw"]:
    """Return the mean correlations with walks of the steps of `walking`."""
    steps = np.diff(walking)
    order = np.argsort(rng.random((n, steps.shape[1])), axis=1)
    signs = rng.choice([-1.0, 1.0], size=order.shape)
    walks = np.zeros((n, *walking.shape))
    walks[:, :, 1:] = np.cumsum(np.moveaxis(steps[:, order], 0, 1) * signs[:, np.newaxis], axis=-1)
    return np.nanmean(spearman(walks, np.broadcast_to(still, walks.shape)), axis=1)


def _mantel(both: pd.DataFrame, n: int, rng: np.random.Generator) -> dict[str, float]:
    """Return how alike two tables of correlations are, with p by measures dealt anew."""
    names = sorted({name for pair in both.index for name in pair})
    own, there = (_matrix(both.iloc[:, number], names) for number in range(2))
    known = np.triu(np.isfinite(own), 1)

    def alike(matrix: Float[np.ndarray, "name name"]) -> float:
        is_known = known & np.isfinite(matrix)
        return float(spearman(own[is_known], matrix[is_known]))

    dealt = [rng.permutation(len(names)) for _ in range(n)]
    null = np.array([alike(there[np.ix_(order, order)]) for order in dealt])
    value = alike(there)
    return {
        "n_pairs": int(known.sum()),
        "spearman": value,
        "p_value": upper_p_value(value, null),
    }


def _matrix(values: pd.Series, names: Sequence[str]) -> Float[np.ndarray, "name name"]:
    place = {name: number for number, name in enumerate(names)}
    matrix = np.full((len(names), len(names)), np.nan)
    for (first, second), value in zip(values.index.to_list(), values.to_list(), strict=True):
        matrix[place[first], place[second]] = matrix[place[second], place[first]] = value
    return matrix


main = REDUNDANCY.main(measure_redundancy)

if __name__ == "__main__":
    run_stage(main, measure_redundancy)

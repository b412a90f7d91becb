"""Stage `compare_measures`: what was measured of two models, side by side, and the difference.

One stage for six tables of results: subtracting them is the same work, and a stage for each
would be six for every set of models.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.compare.paired_differences import PairedVectors, paired_intervals, paired_vectors
from embspace.config import StageConfig, run_stage
from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.measure.summary import Probability
from embspace.pooling import POOLINGS


@dataclass(frozen=True)
class Source:
    """A table of results, and what of it is compared."""

    noun: str
    table: str
    file: str
    """With a blank for the model's name."""
    keys: tuple[str, ...]
    """Columns that say what a row is about; together the `group`."""
    along: str | None
    """A numeric column along which a group runs."""
    quantities: tuple[str, ...]


SUMMARY = ("n", "mean", "standard_deviation", "minimum", "quantile_0.5", "maximum")
SOURCES = (
    Source(
        "similarity",
        "summary",
        "results/similarity/summary/{}.csv",
        ("space", "quantity"),
        None,
        SUMMARY,
    ),
    Source(
        "explained_variance",
        "dimensions",
        "results/explained_variance/dimensions/{}.csv",
        ("space",),
        "share",
        ("dim", "n_components", "null_n_components"),
    ),
    Source(
        "explained_variance",
        "curve",
        "results/explained_variance/curve/{}.csv",
        ("space",),
        "n_components",
        ("cumulative_explained_variance",),
    ),
    Source(
        "positions",
        "properties",
        "results/positions/properties/{}.csv",
        ("positions", "property"),
        "largest_offset",
        ("value",),
    ),
    Source("positions", "profiles", "results/positions/profiles/{}.csv", (), "offset", ("mean",)),
    Source(
        "evolution",
        "layers",
        "results/evolution/layers/{}.csv",
        ("tokens", "quantity"),
        "layer",
        ("mean",),
    ),
    Source(
        "differences",
        "categories",
        "results/differences/categories/{}.csv",
        ("pooling", "category"),
        "layer",
        ("consistency",),
    ),
    Source(
        "differences",
        "cosines",
        "results/differences/cosines/{}.csv",
        ("pooling", "category_1", "category_2"),
        "layer",
        ("cosine",),
    ),
)
BOUNDS = ["difference_low", "difference_high", "n_paired"]
PLACE = ["group", "at"]
COLUMNS = ["model", "other_model", "noun", "table", "group", "along", "at", "quantity"]
COLUMNS += ["model_value", "other_model_value", "difference", "difference_low"]
COLUMNS += ["difference_high", "n_paired"]


def compare_measures(
    results: dict[str, dict[str, pd.DataFrame]],
    vectors: dict[str, PairedVectors],
    *,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """Each quantity of `SOURCES` in two models, and that of the first less that of the other.

    `results` are the tables by file and model. Rows go together that say the same; so do layers of
    the same number, whatever share of a model's depth that is. What only one model has, a longer
    profile for instance, has no difference.

    The bounds of the difference are of halves of pairs of sentences that are the
    same in both models, and only `differences` has them: its vectors are still there. Learned
    matrices (`similarity`, `explained_variance`, `positions`) are whole populations, whose
    differences are exact. In `evolution` the tokens of a text are not independent, and those of
    posts were drawn for each model by itself. Bounds of two single models say nothing of their
    difference, and are not used. Empty for one model.
    """
    parts = []
    for one, other in combinations(vectors, 2):
        pair = (vectors[one], vectors[other])
        intervals = paired_intervals(*pair, n_resamples=n_resamples, level=level, seed=seed)
        for source in SOURCES:
            tables = results[source.file]
            joint = _joint(source, tables[one], tables[other])
            bounds = intervals.get(source.table) if source.noun == "differences" else None
            joint = _with_bounds(source, joint, bounds)
            joint = joint.assign(model=one, other_model=other, noun=source.noun)
            joint = joint.assign(table=source.table, along=source.along or np.nan)
            parts.append(joint[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _joint(source: Source, one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """One row a group, place and quantity that either has, in the order of the tables."""
    places = pd.concat([_places(source, one), _places(source, other)])
    quantities = pd.DataFrame({"quantity": source.quantities})
    rows = places.drop_duplicates(ignore_index=True).merge(quantities, how="cross")
    for name, table in (("model_value", one), ("other_model_value", other)):
        values = _places(source, table).join(table[list(source.quantities)])
        # A table may have a column `value` of its own.
        long = values.melt(PLACE, var_name="quantity", value_name="its_value")
        rows = rows.merge(long, "left", [*PLACE, "quantity"]).rename(columns={"its_value": name})
    rows = rows.dropna(subset=["model_value", "other_model_value"], how="all", ignore_index=True)
    return rows.assign(difference=rows["model_value"] - rows["other_model_value"])


def _places(source: Source, table: pd.DataFrame) -> pd.DataFrame:
    """What the rows are about: the group, and the place along it."""
    keys = table[list(source.keys)].astype(str).itertuples(index=False)
    at = table[source.along].astype(np.float64) if source.along else np.nan
    return pd.DataFrame({"group": [" / ".join(key) for key in keys], "at": at}, table.index)


def _with_bounds(source: Source, joint: pd.DataFrame, bounds: pd.DataFrame | None) -> pd.DataFrame:
    if bounds is None:
        return joint.assign(difference_low=np.nan, difference_high=np.nan, n_paired=np.nan)
    placed = _places(source, bounds).join(bounds[BOUNDS])
    return joint.merge(placed.astype({"n_paired": "Int64"}), "left", PLACE)


def _loaded(name: str, stimuli: pd.DataFrame) -> PairedVectors:
    states = load_tensors(f"data/extracted/stimuli/{name}/differences.safetensors", POOLINGS)
    return paired_vectors(stimuli, states)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    results = {
        source.file: {name: load_table(source.file.format(name)) for name in config.models}
        for source in SOURCES
    }
    stimuli = load_rows("data/prepared/stimuli/differences.parquet")
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        table = compare_measures(
            results, {name: _loaded(name, stimuli) for name in config.models}, **config.settings
        )
    save_table(table, "results/compare/measures.csv")


if __name__ == "__main__":
    run_stage(main, compare_measures, groups=())

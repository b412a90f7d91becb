"""Stage `measure_atlas`: measures of a model's layers, of all families side by side."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import Space
from embspace.files.tables import load_table
from embspace.measure.tables.columns import PROFILE, shown
from embspace.settings.stage import run_stage

FAMILIES = ("direction", "spectrum", "context", "intrinsic_dimension", "hubs")
AT_RANDOM_WEIGHTS = FAMILIES[:3]
LEVEL = 0.95  # of the profiles' intervals, and of these for all pairs of layers at once
HALF = 0.5  # of a measure's values that converged, at least, to compare them


def load_profiles(*paths: str) -> dict[str, pd.DataFrame]:
    """Return the profiles of every family, from files in the order of `FAMILIES`."""
    return {family: load_table(path) for family, path in zip(FAMILIES, paths, strict=True)}


def load_nulls(*paths: str) -> pd.DataFrame:
    """Return the nulls of the families that are measured at random weights."""
    return pd.concat([load_table(path) for path in paths], ignore_index=True)


ATLAS = Analysis(
    noun="atlas",
    question="How do all measures go over the layers? With `make all`, as the next eight",
    over="profiled",
    reads={
        "profiles": Source(
            load_profiles, [f"results/{family}/profiles/{{model}}.csv" for family in FAMILIES]
        ),
        "nulls": Source(
            load_nulls, [f"results/{family}/nulls/{{model}}.csv" for family in AT_RANDOM_WEIGHTS]
        ),
    },
    tables={
        "csv": Table(
            {
                "family": "row",
                "measure": "row",
                "layer": "row",
                **PROFILE,
                "n": "count",
                "n_texts": "count",
                "converged": "count",
            }
        ),
        "measures": Table(
            {
                **shown("row", "family", "measure"),
                "n_converged": ("count", "layers that converged"),
                "is_compared": ("name", "most converged"),
                "smallest_layer": ("order_of_layers", "smallest at layer"),
                "largest_layer": ("order_of_layers", "largest at layer"),
                "differs": ("name", "layers differ"),
                "random_weights_corpus": ("name", "corpus of random weights"),
                "trained_range": ("profile", "range over layers"),
                "random_weights_range": ("profile", "over layers and draws of random weights"),
                "beyond_random_weights": ("name", "wider than there"),
            }
        ),
    },
)


def measure_atlas(
    profiles: dict[str, pd.DataFrame],
    nulls: pd.DataFrame,
    *,
    corpus: str,
    space: Space,
    measures: list[str],
) -> Outcome:
    """Return the rows of `measures` for one corpus and space, and what they say of the layers.

    `profiles` are tables by family; rows stay unchanged, and in the order of `measures`. Layers
    differ by a measure if the 95 % intervals of its smallest and its largest value do not meet,
    widened to hold for all pairs of layers at once. Values that depend on the number of
    texts take no part, nor do measures of which most values depend on it. The range over layers at
    random weights, from `nulls`, and that of the trained model beside it are of the corpus that was
    measured there. Without rows, as for a corpus that was not read, the tables are empty.
    """
    rows = pd.concat([table.assign(family=family) for family, table in profiles.items()])
    rows = rows[(rows["corpus"] == corpus) & (rows["space"] == space)]
    by_measure = dict(list(rows[rows["change"] == "as_is"].groupby("measure")))
    parts = [by_measure[name] for name in measures if name in by_measure]
    if not parts:
        return ATLAS.empty()
    columns = [*ATLAS.tables["csv"].columns]
    ranges = _ranges(nulls[nulls["space"] == space])
    compared = []
    for part in parts:
        family, measure = part[["family", "measure"]].iloc[0]
        row = {"family": family, "measure": measure} | _compared(part)
        compared.append(row | (ranges.get(measure, {}) if row["is_compared"] == "yes" else {}))
    return {
        "csv": pd.concat(parts, ignore_index=True)[columns],
        "measures": ATLAS.tables["measures"].of(compared),
    }


def _compared(rows: pd.DataFrame) -> dict[str, Any]:
    """Return whether the layers of a measure differ, and at which its values are at their ends."""
    has_converged = (rows["converged"].astype(str) == "True") & rows["value"].notna()
    is_compared = bool(has_converged.mean() >= HALF)
    counts = {
        "n_converged": int(has_converged.sum()),
        "is_compared": "yes" if is_compared else "no",
    }
    kept = rows[has_converged & rows[["low", "high"]].notna().all(axis=1)]
    if not is_compared or kept.empty:
        return counts | {"differs": ""}
    values = kept["value"].to_numpy()
    least, most = kept.iloc[int(values.argmin())], kept.iloc[int(values.argmax())]
    factor = widening(len(rows))
    top_of_least = least["value"] + factor * (least["high"] - least["value"])
    foot_of_most = most["value"] - factor * (most["value"] - most["low"])
    ends = {"smallest_layer": least["layer"], "largest_layer": most["layer"]}
    return counts | ends | {"differs": "yes" if top_of_least < foot_of_most else "no"}


def widening(n_layers: int) -> float:
    """Return how much wider an interval is that holds for all pairs of layers at once."""
    n_pairs = max(n_layers * (n_layers - 1) / 2, 1)
    usual, all_at_once = norm.isf([(1 - LEVEL) / 2, (1 - LEVEL) / 2 / n_pairs])
    return float(all_at_once / usual)


def _ranges(nulls: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return by measure the range over layers of the model and of random weights, on one corpus.

    That of random weights is from the smallest to the largest of all draws: a mean of draws is
    smoother than the model, which is one draw.
    """
    rows = nulls[(nulls["null"] == "random_initialization") & (nulls["change"] == "as_is")]
    ranges = {}
    for measure, part in rows.dropna(subset=["value", "null_mean"]).groupby("measure"):
        on_corpus = part[part["corpus"] == part["corpus"].iloc[0]]
        trained = float(np.ptp(on_corpus["value"]))
        random = float(on_corpus["null_largest"].max() - on_corpus["null_smallest"].min())
        ranges[str(measure)] = {
            "random_weights_corpus": on_corpus["corpus"].iloc[0],
            "trained_range": trained,
            "random_weights_range": random,
            "beyond_random_weights": "yes" if trained > random else "no",
        }
    return ranges


main = ATLAS.main(measure_atlas)

if __name__ == "__main__":
    run_stage(main, measure_atlas)

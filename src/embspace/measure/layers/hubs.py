"""Stage `measure_hubs`: which vectors are neighbors of which at a layer, and how far away."""

import pandas as pd

from embspace.analysis import Analysis, Outcome
from embspace.measure.layers.layer_profiles import KEYS, NEIGHBOR_TABLES
from embspace.settings.stage import run_stage

HUBS = Analysis(
    noun="hubs",
    question="Who is whose neighbor at a layer, and how far away?",
    over="profiled",
    reads={"neighborhoods": "data/measured/intrinsic_dimension/{model}.parquet"},
    tables=NEIGHBOR_TABLES,
)


def measure_hubs(neighborhoods: pd.DataFrame) -> Outcome:
    """Return the measures of hubs by corpus, space, change and layer.

    `neighborhoods` is the file of `measure_intrinsic_dimension`, which searches the neighbors.
    """
    return {name: _table(neighborhoods, f"{name}.") for name in NEIGHBOR_TABLES}


def _table(neighborhoods: pd.DataFrame, prefix: str) -> pd.DataFrame:
    columns = [str(column) for column in neighborhoods if str(column).startswith(prefix)]
    rows = neighborhoods[columns].dropna(subset=[f"{prefix}{key}" for key in KEYS])
    return rows.rename(columns=lambda column: str(column).removeprefix(prefix))


main = HUBS.main(measure_hubs)

if __name__ == "__main__":
    run_stage(main, measure_hubs)

"""Tables of all runs together, with a column for the run."""

import pandas as pd

from embspace.draw.page.looks import run_name


def with_runs(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return the table with runs named for readers; all rows are of `label` if it has no runs."""
    if "run" not in table:
        named = table.assign(run=label)
        return named if len(named) else pd.DataFrame(columns=["run", *table.columns])
    return table.assign(run=[run_name(str(run)) for run in table["run"]])

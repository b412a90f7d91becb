"""Stage `measure_atlas`: measures of a model's layers, of all families side by side."""

import pandas as pd

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import Space
from embspace.files.tables import load_table
from embspace.measure.tables.columns import PROFILE
from embspace.settings.stage import run_stage

FAMILIES = ("direction", "spectrum", "context", "intrinsic_dimension", "hubs")


def load_profiles(*paths: str) -> dict[str, pd.DataFrame]:
    """Return the profiles of every family, from files in the order of `FAMILIES`."""
    return {family: load_table(path) for family, path in zip(FAMILIES, paths, strict=True)}


ATLAS = Analysis(
    noun="atlas",
    question="How do all measures go over the layers? With `make all`, as the next eight",
    over="profiled",
    reads={
        "profiles": Source(
            load_profiles, [f"results/{family}/profiles/{{model}}.csv" for family in FAMILIES]
        )
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
        )
    },
)


def measure_atlas(
    profiles: dict[str, pd.DataFrame], *, corpus: str, space: Space, measures: list[str]
) -> Outcome:
    """Return the rows of `measures`, in order, for one corpus and space, unchanged.

    `profiles` are tables by family. If there are no rows, as for a corpus that was not read, the
    table is empty.
    """
    rows = pd.concat([table.assign(family=family) for family, table in profiles.items()])
    rows = rows[(rows["corpus"] == corpus) & (rows["space"] == space)]
    by_measure = dict(list(rows[rows["change"] == "as_is"].groupby("measure")))
    parts = [by_measure[name] for name in measures if name in by_measure]
    columns = [*ATLAS.tables["csv"].columns]
    return {"csv": pd.concat(parts, ignore_index=True)[columns]} if parts else ATLAS.empty()


main = ATLAS.main(measure_atlas)

if __name__ == "__main__":
    run_stage(main, measure_atlas)

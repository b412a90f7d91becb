"""Stage `measure_atlas`: all families' measures of a model's layers, side by side."""

import pandas as pd

from embspace.clouds.layers import Space
from embspace.files.tables import load_table, save_table
from embspace.settings.stage import StageConfig, run_stage

COLUMNS = ["family", "measure", "layer", "value", "low", "high", "n", "n_texts", "converged"]


def measure_atlas(
    profiles: dict[str, pd.DataFrame], *, corpus: str, space: Space, measures: list[str]
) -> pd.DataFrame:
    """The rows of `measures`, in order, for one corpus and space, unchanged.

    `profiles` are the tables of the families' stages. Missing rows, as for a corpus that the model
    did not read or without tokens, are left out.
    """
    found = pd.concat([table.assign(family=family) for family, table in profiles.items()])
    found = found[(found["corpus"] == corpus) & (found["space"] == space)]
    found = found[found["change"] == "as_is"]
    by_measure = dict(list(found.groupby("measure")))
    parts = [by_measure[name][COLUMNS] for name in measures if name in by_measure]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    profiles = {
        "direction": load_table(f"results/direction/profiles/{name}.csv"),
        "spectrum": load_table(f"results/spectrum/profiles/{name}.csv"),
        "context": load_table(f"results/context/profiles/{name}.csv"),
        "intrinsic_dimension": load_table(f"results/intrinsic_dimension/profiles/{name}.csv"),
        "hubs": load_table(f"results/hubs/profiles/{name}.csv"),
    }
    save_table(measure_atlas(profiles, **config.settings), f"results/atlas/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_atlas)

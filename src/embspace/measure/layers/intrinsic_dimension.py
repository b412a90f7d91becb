"""Stage `measure_intrinsic_dimension`: how many numbers say where a layer's vectors are?

`measure_neighbourhoods` looks for the neighbours that it is estimated from, and has the settings.
"""

from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.measure.layers.layer_profiles import LayerProfiles
from embspace.settings.stage import StageConfig, run_stage


def measure_intrinsic_dimension(of_neighbors: LayerProfiles) -> LayerProfiles:
    """The measures of the family `intrinsic_dimension` among those of `measure_neighbourhoods`."""
    return of_neighbors.of_family("intrinsic_dimension")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    of_neighbors = LayerProfiles(
        load_rows(f"data/measured/neighbourhoods/profiles/{name}.parquet"),
        load_rows(f"data/measured/neighbourhoods/nulls/{name}.parquet"),
        load_rows(f"data/measured/neighbourhoods/curves/{name}.parquet"),
    )
    tables = measure_intrinsic_dimension(of_neighbors, **config.settings)
    save_table(tables.profiles, f"results/intrinsic_dimension/profiles/{name}.csv")
    save_table(tables.nulls, f"results/intrinsic_dimension/nulls/{name}.csv")
    save_table(tables.curves, f"results/intrinsic_dimension/curves/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_intrinsic_dimension)

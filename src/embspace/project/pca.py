"""Stage `project_pca`: every cloud of a model on its first principal components.

Luisto's thesis, figure 11a; figure 19 is drawn by `measure_helix`, which looks closer.
"""

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.learned import clouds_of
from embspace.files.graphs import load_graphs
from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.maps import Maps, maps_of
from embspace.settings.stage import StageConfig, run_stage


def project_pca(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    regimes: pd.DataFrame,
    graphs: dict[str, NeighborGraph],
    *,
    n_components: PositiveInt,
    quality_n_neighbors: PositiveInt,
    n_shuffles: PositiveInt,
    seed: NonNegativeInt,
) -> Maps:
    """Coordinates of every cloud of `clouds_of`, and the quality of the first two components.

    Of positions also that of the first three and more. `regimes` is the table of positions
    of `measure_regimes`, `graphs` are of `measure_nearest_neighbors`.
    """
    clouds = clouds_of(matrices, regimes)
    layouts = {
        name: principal_components(cloud.vectors, n_components=n_components).coordinates
        for name, cloud in clouds.items()
    }
    return maps_of(
        clouds,
        layouts,
        graphs,
        vocabulary,
        quality_n_neighbors=quality_n_neighbors,
        n_shuffles=n_shuffles,
        rng=np.random.default_rng(seed),
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    maps = project_pca(
        load_tensors(f"data/extracted/embeddings/{name}.safetensors"),
        load_rows(f"data/extracted/embeddings/{name}.parquet"),
        load_table(f"results/regimes/positions/{name}.csv"),
        load_graphs(f"data/measured/nearest_neighbors/{name}.safetensors"),
        **config.settings,
    )
    save_rows(maps.coordinates, f"data/projected/pca/{name}.parquet")
    save_table(maps.quality, f"results/pca/quality/{name}.csv")
    save_table(maps.one_dimensionality, f"results/pca/one_dimensionality/{name}.csv")


if __name__ == "__main__":
    run_stage(main, project_pca)

"""Stage `project_pca`: every cloud of a model on its first principal components.

Luisto's thesis, figure 11a; figure 19 is drawn by `measure_helix`, which looks closer.
"""

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.learned import clouds_of
from embspace.files.rows import save_rows
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.map_columns import LINES, QUALITY, QUESTION, READS
from embspace.project.maps import maps_of
from embspace.settings.stage import run_stage

PCA = Analysis(
    noun="pca",
    verb="project",
    question=QUESTION,
    reads=READS,
    tables={"quality": QUALITY, "one_dimensionality": LINES},
    data={"parquet": save_rows},  # the coordinates
)


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
) -> Outcome:
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


main = PCA.main(project_pca)

if __name__ == "__main__":
    run_stage(main, project_pca)

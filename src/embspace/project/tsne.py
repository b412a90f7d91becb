"""Stage `project_tsne`: every cloud of a model by t-SNE.

Luisto's thesis, figures 11c and 18.
"""

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.clouds.learned import clouds_of
from embspace.files.graphs import load_graphs
from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.iterative import IterativeMaps, iterative_maps
from embspace.project.layouts.tsne import tsne_layout
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share


def project_tsne(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    regimes: pd.DataFrame,
    graphs: dict[str, NeighborGraph],
    *,
    perplexity: PositiveFloat,
    early_exaggeration: PositiveFloat,
    early_exaggeration_iter: NonNegativeInt,
    n_iter: NonNegativeInt,
    jitter: NonNegativeFloat,
    quality_n_neighbors: PositiveInt,
    n_shuffles: PositiveInt,
    n_seeds: Annotated[int, Field(ge=2)],
    n_seed_points: PositiveInt,
    parts_gap: PositiveFloat,
    smallest_part: Share,
    seed: NonNegativeInt,
) -> IterativeMaps:
    """Maps of every cloud of `clouds_of`, from the graphs of `measure_nearest_neighbors`.

    `regimes` is the table of positions of `measure_regimes`.
    """
    layout = partial(
        tsne_layout,
        perplexity=perplexity,
        early_exaggeration=early_exaggeration,
        early_exaggeration_iter=early_exaggeration_iter,
        n_iter=n_iter,
        jitter=jitter,
    )
    return iterative_maps(
        clouds_of(matrices, regimes),
        graphs,
        vocabulary,
        layout,
        method="t-SNE",
        quality_n_neighbors=quality_n_neighbors,
        n_shuffles=n_shuffles,
        n_seeds=n_seeds,
        n_seed_points=n_seed_points,
        parts_gap=parts_gap,
        smallest_part=smallest_part,
        seed=seed,
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = project_tsne(
        load_tensors(f"data/extracted/embeddings/{name}.safetensors"),
        load_rows(f"data/extracted/embeddings/{name}.parquet"),
        load_table(f"results/regimes/positions/{name}.csv"),
        load_graphs(f"data/measured/nearest_neighbors/{name}.safetensors"),
        **config.settings,
    )
    save_rows(found.maps.coordinates, f"data/projected/tsne/{name}.parquet")
    save_table(found.maps.quality, f"results/tsne/quality/{name}.csv")
    save_table(found.maps.one_dimensionality, f"results/tsne/one_dimensionality/{name}.csv")
    save_table(found.seeds, f"results/tsne/seeds/{name}.csv")
    save_table(found.parts, f"results/tsne/parts/{name}.csv")
    save_table(found.numbers, f"results/tsne/numbers/{name}.csv")


if __name__ == "__main__":
    run_stage(main, project_tsne)

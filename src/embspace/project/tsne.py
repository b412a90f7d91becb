"""Stage `project_tsne`: every cloud of a model by t-SNE.

Luisto's thesis, figures 11c and 18.
"""

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome
from embspace.clouds.learned import clouds_of
from embspace.files.rows import save_rows
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.iterative import iterative_maps
from embspace.project.layouts.tsne import tsne_layout
from embspace.project.map_columns import ITERATIVE, QUESTION, READS
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

TSNE = Analysis(
    noun="tsne",
    verb="project",
    question=QUESTION,
    reads=READS,
    tables=ITERATIVE,
    data={"parquet": save_rows},  # the coordinates
    undrawn=["parts", "numbers"],
)


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
) -> Outcome:
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


main = TSNE.main(project_tsne)

if __name__ == "__main__":
    run_stage(main, project_tsne)

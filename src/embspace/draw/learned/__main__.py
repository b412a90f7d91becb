"""Runs stage `draw_learned`: figures and tables of a model's learned embeddings."""

from pathlib import Path

from embspace.draw.learned import (
    architecture,
    explained_variance,
    interrelations,
    mean_embedding,
    nearest_neighbors,
    norm_and_mean_cosine,
    pca,
    projections,
    separability,
    similarity,
    tsne,
    umap,
    vocabulary,
)
from embspace.draw.page.saving import draw_and_save, drawings_of, functions_of
from embspace.settings.stage import StageConfig, run_stage

DRAWINGS = drawings_of(
    similarity,
    mean_embedding,
    norm_and_mean_cosine,
    interrelations,
    separability,
    explained_variance,
    nearest_neighbors,
    pca,
    tsne,
    umap,
    projections,
    architecture,
    vocabulary,
    tables=Path(__file__).with_name("tables.yaml"),
)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    draw_and_save("learned", DRAWINGS, config.model_name, config.model["label"], config.settings)


if __name__ == "__main__":
    run_stage(main, functions_of(DRAWINGS))

"""Stage `draw`: all figures and tables of a model, from its results alone."""

from embspace.config import StageConfig, run_stage
from embspace.draw import (
    architecture,
    differences,
    evolution,
    explained_variance,
    helix,
    homonyms,
    interrelations,
    ledger,
    mean_embedding,
    neighbors,
    pca,
    positions,
    probing,
    regimes,
    search,
    sentence_similarity,
    separability,
    similarity,
    sinusoidal_positions,
    synonyms,
    text_clouds,
    text_maps,
    tsne,
    umap,
    vocabulary,
)
from embspace.draw.results import Drawing, draw_and_save

DRAWINGS: dict[str, Drawing] = {
    "similarity": similarity.draw_similarity,
    "mean_embedding": mean_embedding.draw_mean_embedding,
    "interrelations": interrelations.draw_interrelations,
    "separability": separability.draw_separability,
    "explained_variance": explained_variance.draw_explained_variance,
    "regimes": regimes.draw_regimes,
    "positions": positions.draw_positions,
    "helix": helix.draw_helix,
    "neighbors": neighbors.draw_neighbors,
    "sinusoidal_positions": sinusoidal_positions.draw_sinusoidal_positions,
    "pca": pca.draw_pca,
    "tsne": tsne.draw_tsne,
    "umap": umap.draw_umap,
    "architecture": architecture.draw_architecture,
    "vocabulary": vocabulary.draw_vocabulary,
    "probing": probing.draw_probing,
    "sentence_similarity": sentence_similarity.draw_sentence_similarity,
    "evolution": evolution.draw_evolution,
    "homonyms": homonyms.draw_homonyms,
    "synonyms": synonyms.draw_synonyms,
    "differences": differences.draw_differences,
    "text_clouds": text_clouds.draw_text_clouds,
    "text_maps": text_maps.draw_text_maps,
    "search": search.draw_search,
    "ledger": ledger.draw_ledger,
}
# Which results each takes.
RESULTS = {
    "similarity": similarity.RESULTS,
    "mean_embedding": mean_embedding.RESULTS,
    "interrelations": interrelations.RESULTS,
    "separability": separability.RESULTS,
    "explained_variance": explained_variance.RESULTS,
    "regimes": regimes.RESULTS,
    "positions": positions.RESULTS,
    "helix": helix.RESULTS,
    "neighbors": neighbors.RESULTS,
    "sinusoidal_positions": sinusoidal_positions.RESULTS,
    "pca": pca.RESULTS,
    "tsne": tsne.RESULTS,
    "umap": umap.RESULTS,
    "architecture": architecture.RESULTS,
    "vocabulary": vocabulary.RESULTS,
    "probing": probing.RESULTS,
    "sentence_similarity": sentence_similarity.RESULTS,
    "evolution": evolution.RESULTS,
    "homonyms": homonyms.RESULTS,
    "synonyms": synonyms.RESULTS,
    "differences": differences.RESULTS,
    "text_clouds": text_clouds.RESULTS,
    "text_maps": text_maps.RESULTS,
    "search": search.RESULTS,
    "ledger": ledger.RESULTS,
}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    label = config.model["label"]
    draw_and_save(DRAWINGS, RESULTS, config.model_name, label, config.settings)


if __name__ == "__main__":
    run_stage(main, DRAWINGS)

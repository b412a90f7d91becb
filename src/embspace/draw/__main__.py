"""Stage `draw`: all figures and tables of a model, from its results alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from embspace.config import StageConfig, run_stage
from embspace.draw import (
    explained_variance,
    helix,
    interrelations,
    mean_embedding,
    neighbors,
    pca,
    positions,
    regimes,
    sentence_similarity,
    separability,
    similarity,
    tsne,
    umap,
)
from embspace.draw.canvas import stage_of, use_style
from embspace.files.atomic import write_bytes
from embspace.files.figures import save_figure
from embspace.files.rows import load_rows
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table
from embspace.files.tensors import load_tensors

DRAWINGS: dict[str, Callable[..., tuple[Figure, str]]] = {
    "similarity": similarity.draw_similarity,
    "mean_embedding": mean_embedding.draw_mean_embedding,
    "interrelations": interrelations.draw_interrelations,
    "separability": separability.draw_separability,
    "sentence_similarity": sentence_similarity.draw_sentence_similarity,
    "explained_variance": explained_variance.draw_explained_variance,
    "regimes": regimes.draw_regimes,
    "positions": positions.draw_positions,
    "helix": helix.draw_helix,
    "neighbors": neighbors.draw_neighbors,
    "pca": pca.draw_pca,
    "tsne": tsne.draw_tsne,
    "umap": umap.draw_umap,
}
# Which results each takes.
RESULTS = {
    "similarity": similarity.RESULTS,
    "mean_embedding": mean_embedding.RESULTS,
    "interrelations": interrelations.RESULTS,
    "separability": separability.RESULTS,
    "sentence_similarity": sentence_similarity.RESULTS,
    "explained_variance": explained_variance.RESULTS,
    "regimes": regimes.RESULTS,
    "positions": positions.RESULTS,
    "helix": helix.RESULTS,
    "neighbors": neighbors.RESULTS,
    "pca": pca.RESULTS,
    "tsne": tsne.RESULTS,
    "umap": umap.RESULTS,
}


def load_results(noun: str, model: str, names: tuple[str, ...]) -> dict[str, Any]:
    """The results of a noun by the name of the table; those without one by their suffix.

    `pairs.csv` and `csv` are results, `safetensors` the tensors that a measure left, `parquet`
    the coordinates of a map.
    """
    loaded: dict[str, Any] = {}
    for name in names:
        table, _, suffix = name.rpartition(".")
        if suffix == "safetensors":
            loaded[suffix] = load_tensors(f"data/measured/{noun}/{model}.safetensors")
        elif suffix == "parquet":
            loaded[suffix] = load_rows(f"data/projected/{noun}/{model}.parquet")
        elif suffix == "json":
            loaded[suffix] = load_scalars(f"results/{noun}/{model}.json")
        else:
            folder = f"results/{noun}/{table}" if table else f"results/{noun}"
            loaded[table or suffix] = load_table(f"{folder}/{model}.csv")
    return loaded


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name, label = config.model_name, config.model["label"]
    use_style()
    for noun, tables in RESULTS.items():
        results = load_results(noun, name, tables)
        figure, text = DRAWINGS[noun](results, label, **config.settings[noun])
        save_figure(figure, f"figures/{noun}/{name}", title=f"{stage_of(figure)}@{name}")
        write_bytes(Path(f"figures/{noun}/{name}.md"), text.encode())


if __name__ == "__main__":
    run_stage(main, DRAWINGS)

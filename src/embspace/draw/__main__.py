"""Stage `draw`: all figures and tables of a model, from its results alone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from embspace.config import StageConfig, run_stage
from embspace.draw import (
    interrelations,
    mean_embedding,
    sentence_similarity,
    separability,
    similarity,
)
from embspace.draw.canvas import use_style
from embspace.files.atomic import write_bytes
from embspace.files.figures import save_figure
from embspace.files.scalars import load_scalars
from embspace.files.tables import load_table

DRAWINGS: dict[str, Callable[..., tuple[Figure, str]]] = {
    "similarity": similarity.draw_similarity,
    "mean_embedding": mean_embedding.draw_mean_embedding,
    "interrelations": interrelations.draw_interrelations,
    "separability": separability.draw_separability,
    "sentence_similarity": sentence_similarity.draw_sentence_similarity,
}
# Which results each takes.
RESULTS = {
    "similarity": similarity.RESULTS,
    "mean_embedding": mean_embedding.RESULTS,
    "interrelations": interrelations.RESULTS,
    "separability": separability.RESULTS,
    "sentence_similarity": sentence_similarity.RESULTS,
}


def load_results(noun: str, model: str, names: tuple[str, ...]) -> dict[str, Any]:
    """The results of a noun by the name of the table; the unnamed ones are `csv` and `json`."""
    loaded: dict[str, Any] = {}
    for name in names:
        table, _, suffix = name.rpartition(".")
        path = (
            f"results/{noun}/{table}/{model}.{suffix}"
            if table
            else f"results/{noun}/{model}.{suffix}"
        )
        loaded[table or suffix] = load_scalars(path) if suffix == "json" else load_table(path)
    return loaded


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name, label = config.model_name, config.model["label"]
    use_style()
    for noun, tables in RESULTS.items():
        results = load_results(noun, name, tables)
        figure, text = DRAWINGS[noun](results, label, **config.settings[noun])
        save_figure(figure, f"figures/{noun}/{name}", title=f"measure_{noun}@{name}")
        write_bytes(Path(f"figures/{noun}/{name}.md"), text.encode())


if __name__ == "__main__":
    run_stage(main, DRAWINGS)

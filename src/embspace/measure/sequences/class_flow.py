"""Stage `measure_class_flow`: how the first token parts the classes of sequences, by layer."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.measure.sequences.class_flow_layers import separation_rows, with_verdicts
from embspace.measure.sequences.class_flow_maps import COORDINATES, Layout, class_maps
from embspace.measure.sequences.class_flow_states import states_of_seed
from embspace.measure.sequences.sequence_texts import SEQUENCES, Sequences
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.run_corpora import FINAL_NORM, RUN_FOLDER
from embspace.measure.tables.runs import RUN
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability


def _beside_null(quantity: str) -> dict[str, Column]:
    return {
        **with_bounds(quantity, "trained_sites"),
        **with_bounds(f"null_{quantity}", "trained_sites"),
        f"{quantity}_p_value": "trained_sites",
    }


CLASS_FLOW = Analysis(
    noun="class_flow",
    question=(
        "How does [CLS] part the classes of sequences, layer by layer? "
        "[The RNA model](rna_model.md), with `make all`"
    ),
    reads={
        "run": RUN,
        "sequences": SEQUENCES,
        "root": RUN_FOLDER,
        "final_norm": FINAL_NORM,
    },
    tables={
        # A row a model and layer: how well the classes hold together.
        "separation": Table(
            {"weights": "row", "model_seed": "row", "layer": "row"}
            | dict.fromkeys(("n", "n_documents", "n_classes"), "count")
            | _beside_null("silhouette")
            | _beside_null("nearest_in_class")
            | {"largest_random_silhouette": "trained_sites", "is_parted": "trained_verdict"}
        ),
        # A row a layer and text of the first seed: the place on two maps.
        "maps": Table(
            {"layer": "row", "text": "row", "document": "name", "class": "row"}
            | dict.fromkeys(COORDINATES, "trained_place")
        ),
        "quality": Table(
            {"layer": "row", "method": "row", "n": "count", "n_neighbors": "count"}
            | {"explained_variance_1": "trained_sites", "explained_variance_2": "trained_sites"}
            | {"trustworthiness": "trained_sites", "chance_trustworthiness": "moment"}
            | {"continuity": "trained_sites", "neighbor_recall": "trained_sites"}
        ),
    },
    over="trained",
)


def measure_class_flow(
    run: Run,
    sequences: Sequences | None,
    root: str,
    final_norm: str | None,
    *,
    n_random_weights: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    n_shuffles: PositiveInt,
    n_map_layers: PositiveInt,
    perplexity: PositiveFloat,
    early_exaggeration: PositiveFloat,
    early_exaggeration_iter: NonNegativeInt,
    n_iter: NonNegativeInt,
    jitter: NonNegativeFloat,
    quality_n_neighbors: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Separation of the classes by the first token of held-out sequences, layer by layer.

    For every seed's last checkpoint; for the last checkpoint before classes were learned, if
    present; and for the same architecture with random weights. The vector of a document is the mean
    over the texts, which are near copies. `silhouette` is by cosine distance, with the nearest
    further class; `nearest_in_class` is the share of documents with a nearest document of the same
    class. Intervals are over documents, half of every class. The null deals the documents' classes
    anew. Fixed before looking: the classes are parted at a layer where `silhouette_low` is above
    `null_silhouette_high` and above the silhouettes of all random weights.

    Maps are of all held-out texts at some layers of the first seed: two principal components, and
    t-SNE started from these.

    Args:
        run: The run, which names seeds and phases.
        sequences: Held-out sequences; None for a run without classification.
        root: The folder of checkpoints.
        final_norm: The module after the last block, if present.
        n_random_weights: Models with random weights, by the seeds 0, 1, …
        n_resamples: Half-samples of the documents.
        level: Of intervals and of the null's range.
        n_shuffles: Permutations of the documents' classes.
        n_map_layers: Number of drawn layers, evenly up to the last.
        perplexity: Of t-SNE, as the next four; see `tsne_layout`.
        early_exaggeration: Factor of attraction at first.
        early_exaggeration_iter: Iterations with the factor.
        n_iter: Later iterations.
        jitter: Noise on the start.
        quality_n_neighbors: k of the trustworthiness of maps.
        seed: Of half-samples, permutations and noise.
    """
    if sequences is None:
        return CLASS_FLOW.empty()
    from joblib import Parallel, delayed

    calls = (
        delayed(states_of_seed)(run, root, number, sequences.texts, final_norm, n_random_weights)
        for number in range(len(run.seeds))
    )
    models = [model for models_of_seed in Parallel(n_jobs=-1)(calls) for model in models_of_seed]
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    rows = [
        row
        for model in models
        for row in separation_rows(model, sequences, n_shuffles=n_shuffles, **options)
    ]
    layout = Layout(
        perplexity=perplexity,
        early_exaggeration=early_exaggeration,
        early_exaggeration_iter=early_exaggeration_iter,
        n_iter=n_iter,
        jitter=jitter,
        seed=seed,
    )
    maps, quality = class_maps(
        models[0].cls, sequences, layout, n_layers=n_map_layers, n_neighbors=quality_n_neighbors
    )
    return {
        "separation": pd.DataFrame(with_verdicts(rows)),
        "maps": maps,
        "quality": quality,
    }


main = CLASS_FLOW.main(measure_class_flow)

if __name__ == "__main__":
    run_stage(main, measure_class_flow, groups=("train",))

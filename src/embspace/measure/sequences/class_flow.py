"""Stage `measure_class_flow`: how the first token parts the classes of sequences, by layer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.extract.checkpoints import form_of
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.measure.sequences.class_flow_layers import SEPARATION, separation_rows, with_verdicts
from embspace.measure.sequences.class_flow_maps import MAPS, QUALITY, Layout, class_maps
from embspace.measure.sequences.class_flow_states import states_of_seed
from embspace.measure.sequences.sequence_texts import Sequences, held_out_sequences
from embspace.settings.corpus import describe_corpus
from embspace.settings.run import Run, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True)
class ClassFlowTables:
    """The tables; empty of a run that does not classify sequences."""

    separation: pd.DataFrame
    """One row a model and layer: how well the classes hold together."""
    maps: pd.DataFrame
    """One row a layer and text of the first seed: its place on two maps."""
    quality: pd.DataFrame
    """One row a layer and map: what it keeps."""


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
) -> ClassFlowTables:
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
        empty = (pd.DataFrame(columns=columns) for columns in (SEPARATION, MAPS, QUALITY))
        return ClassFlowTables(*empty)
    from joblib import Parallel, delayed

    calls = (
        delayed(states_of_seed)(run, root, number, sequences.texts, final_norm, n_random_weights)
        for number in range(len(run.seeds))
    )
    states = [each for of_seed in Parallel(n_jobs=-1)(calls) for each in of_seed]
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    rows = [
        row
        for each in states
        for row in separation_rows(each, sequences, n_shuffles=n_shuffles, **options)
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
        states[0].cls, sequences, layout, n_layers=n_map_layers, n_neighbors=quality_n_neighbors
    )
    return ClassFlowTables(pd.DataFrame(with_verdicts(rows), columns=SEPARATION), maps, quality)


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    found = measure_class_flow(
        run,
        held_out_sequences(name, run, corpus, texts),
        f"data/trained/{name}",
        form_of(name, run)["final_norm"],
        **config.settings,
    )
    save_table(found.separation, f"results/class_flow/separation/{name}.csv")
    save_table(found.maps, f"results/class_flow/maps/{name}.csv")
    save_table(found.quality, f"results/class_flow/quality/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_class_flow, groups=("train",))

"""Stage `measure_sequence_attention`: where the heads of a classifier look along a gene."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.extract.checkpoints import form_of
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.measure.sequences.sequence_attention_maps import attention_of_seed
from embspace.measure.sequences.sequence_attention_rows import (
    LAYERS,
    PLACES,
    REGIONS,
    layer_rows,
    place_rows,
    region_rows,
)
from embspace.measure.sequences.sequence_texts import (
    PlacedSequences,
    held_out_sequences,
    placed_sequences,
)
from embspace.settings.corpus import describe_corpus
from embspace.settings.run import Run, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True)
class SequenceAttentionTables:
    """The tables; empty of a run that does not classify simulated sequences."""

    regions: pd.DataFrame
    """One row a model, layer, head, reader and region: how much it is attended to."""
    layers: pd.DataFrame
    """One row a model, layer and quantity: entropies, cone index, attention to special tokens."""
    places: pd.DataFrame
    """One row a layer and place of the gene: the attention that it gets, over the seeds."""


def measure_sequence_attention(
    run: Run,
    placed: PlacedSequences | None,
    root: str,
    final_norm: str | None,
    *,
    regions: dict[str, list[PositiveInt]],
    n_random_weights: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> SequenceAttentionTables:
    """Where the first token and the k-mers of held-out sequences look, layer by layer.

    One sequence a document, of every seed's last checkpoint, with random weights beside it; the
    intervals are over documents, of each class half.

    `ratio` is the mean attention that a place of a region gets over that of a place outside of it:
    1 where attention is even, whatever the special tokens get. Regions are the places that cover a
    defining change that the sequence has, of its own class; those that cover a codon that any
    class changes; and those of the settings. Fixed before looking: a head looks at a region if
    `ratio_low` is above 1 and above the ratio of the same head in all random weights.

    That rule allows for sequences, which share their places, but hardly for which places these
    happen to be: a head with random weights, too, has an interval that leaves out 1. So a stricter
    rule was added after the results were seen: a head is above random heads if `ratio_low` is above
    1 and above the ratio of every head of all random weights, of all layers together; below them if
    `ratio_high` is below 1 and below every one of these.

    Of each layer: the entropy of attention rows over its largest, ln n; the entropy of the
    histogram of all values of a map in 20 bins, in nats (the authors of "The geometry of BERT" take
    it of class means; here it is of each sequence), both mean over heads;
    attention to the first token and to the separator; cone index and mean cosine of the states of
    a sequence.

    Args:
        run: The run, which names seeds and phases.
        placed: Its held-out sequences; None of a run that does not classify simulated ones.
        root: The folder of its checkpoints.
        final_norm: The module after the last block, if it has one.
        regions: First and last codon of further regions, by name.
        n_random_weights: Models with random weights, by the seeds 0, 1, …
        n_resamples: Half-samples of the documents.
        level: Of intervals.
        seed: Of half-samples.

    Raises:
        InputError: if a region is not within the corpus's codons, or is no two of them.
    """
    if placed is None:
        empty = (pd.DataFrame(columns=columns) for columns in (REGIONS, LAYERS, PLACES))
        return SequenceAttentionTables(*empty)
    from joblib import Parallel, delayed

    asked: list[tuple[int, int | None]] = [(number, None) for number in range(len(run.seeds))]
    asked += [(0, each) for each in range(n_random_weights)]
    models = Parallel(n_jobs=-1, batch_size=1)(
        delayed(attention_of_seed)(run, root, number, placed, regions, final_norm, random_seed)
        for number, random_seed in asked
    )
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    return SequenceAttentionTables(
        pd.DataFrame(region_rows(models, placed, **options), columns=REGIONS),
        pd.DataFrame(layer_rows(models, placed, **options), columns=LAYERS),
        pd.DataFrame(place_rows(models, placed), columns=PLACES),
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    sequences = held_out_sequences(name, run, corpus, texts)
    found = measure_sequence_attention(
        run,
        placed_sequences(name, sequences, corpus),
        f"data/trained/{name}",
        form_of(name, run)["final_norm"],
        **config.settings,
    )
    save_table(found.regions, f"results/sequence_attention/regions/{name}.csv")
    save_table(found.layers, f"results/sequence_attention/layers/{name}.csv")
    save_table(found.places, f"results/sequence_attention/places/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_sequence_attention, groups=("train",))

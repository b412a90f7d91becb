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
    """Attention of the first token and of the k-mers of held-out sequences, layer by layer.

    One sequence a document, for every seed's last checkpoint, with random weights beside; intervals
    are over documents, half of every class.

    `ratio` is the mean attention on a place of a region over the mean on a place outside: 1 for
    even attention, whatever the special tokens get. Regions are the places with a defining change
    of the sequence's own class; the places with a codon changed by any class; and the regions of
    the settings. Fixed before looking: a head looks at a region if `ratio_low` is above 1 and above
    the ratio of the same head in all random weights.

    The fixed rule allows for sequences, but hardly for the choice of places, shared by all
    sequences: a head with random weights also has an interval without 1. A stricter rule was
    therefore added after the results: a head is above random heads if `ratio_low` is above 1 and
    above the ratio of every head of all random weights, in all layers; below random heads if
    `ratio_high` is below 1 and below all these ratios.

    By layer: the entropy of attention rows over the largest, ln n; the entropy of the histogram of
    all values of a map in 20 bins, in nats (in "The geometry of BERT" for class means; here per
    sequence), both as means over heads; attention to the first token and to the separator; cone
    index and mean cosine of the states of a sequence.

    Args:
        run: The run, which names seeds and phases.
        placed: Held-out sequences; None for a run that does not classify simulated sequences.
        root: The folder of checkpoints.
        final_norm: The module after the last block, if present.
        regions: First and last codon of further regions, by name.
        n_random_weights: Models with random weights, by the seeds 0, 1, …
        n_resamples: Half-samples of the documents.
        level: Of intervals.
        seed: Of half-samples.

    Raises:
        InputError: if a region is not within the corpus's codons, or is no pair of codons.
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

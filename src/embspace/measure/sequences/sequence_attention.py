"""Stage `measure_sequence_attention`: where the heads of a classifier look along a gene."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.measure.sequences.sequence_attention_maps import attention_of_seed
from embspace.measure.sequences.sequence_attention_rows import (
    layer_rows,
    place_rows,
    region_rows,
)
from embspace.measure.sequences.sequence_texts import PLACE, PLACED, PlacedSequences
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.run_corpora import FINAL_NORM, RUN_FOLDER
from embspace.measure.tables.runs import RUN
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

MODEL = dict.fromkeys(("weights", "model_seed", "layer"), "row")
SEQUENCE_ATTENTION = Analysis(
    noun="sequence_attention",
    question="Where along the gene do the heads of this classifier look?",
    reads={"run": RUN, "placed": PLACED, "root": RUN_FOLDER, "final_norm": FINAL_NORM},
    tables={
        # A row a model, layer, head, reader and region: how much the region is attended to.
        "regions": Table(
            {**MODEL, "head": "row", "reader": "row", "region": "row", "n_documents": "count"}
            | {"attention_inside": "trained_place", "attention_outside": "trained_place"}
            | with_bounds("ratio", "trained_place")
            | {"largest_random_ratio": "trained_place", "looks_there": "trained_verdict"}
            | {"smallest_ratio_of_random_heads": "trained_place"}
            | {"largest_ratio_of_random_heads": "trained_place"}
            | {"above_random_heads": "trained_verdict", "below_random_heads": "trained_verdict"}
        ),
        # A row a model, layer and quantity: entropies, cone index, attention to special tokens.
        "layers": Table(
            {**MODEL, "quantity": "row", "n_documents": "count"}
            | with_bounds("value", "trained_attention")
        ),
        # A row a layer, reader and place of the gene: the attention to the place, over the seeds.
        "places": Table({"layer": "row", "reader": "row"} | PLACE | {"attention": "trained_place"}),
    },
    over="trained",
)


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
) -> Outcome:
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
        return SEQUENCE_ATTENTION.empty()
    from joblib import Parallel, delayed

    seeds: list[tuple[int, int | None]] = [(number, None) for number in range(len(run.seeds))]
    seeds += [(0, random_seed) for random_seed in range(n_random_weights)]
    models = Parallel(n_jobs=-1, batch_size=1)(
        delayed(attention_of_seed)(run, root, number, placed, regions, final_norm, random_seed)
        for number, random_seed in seeds
    )
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    return {
        "regions": pd.DataFrame([*region_rows(models, placed, **options)]),
        "layers": pd.DataFrame([*layer_rows(models, placed, **options)]),
        "places": pd.DataFrame([*place_rows(models, placed)]),
    }


main = SEQUENCE_ATTENTION.main(measure_sequence_attention)

if __name__ == "__main__":
    run_stage(main, measure_sequence_attention, groups=("train",))

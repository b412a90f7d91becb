"""Stage `measure_stitching`: the lower blocks of one model below the classifier of another."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.extract.checkpoints import form_of
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.measure.sequences.sequence_texts import held_out_sequences, held_out_texts
from embspace.measure.sequences.stitching_models import Texts, stitched_texts
from embspace.measure.sequences.stitching_pairs import Stitching, pairs_of_seed, pairs_on_model
from embspace.measure.sequences.stitching_rows import (
    CLAIMS,
    LAYERS,
    PAIRS,
    claim_rows,
    layer_rows,
    pair_rows,
)
from embspace.settings.corpus import describe_corpus
from embspace.settings.run import Run, describe_run
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True)
class StitchingTables:
    """The tables; empty of a run that classifies nothing, or has nothing to stitch to."""

    layers: pd.DataFrame
    """One row an ordered pair of seeds, layer and stitch: the accuracy."""
    pairs: pd.DataFrame
    """One row an ordered pair: the best upper layer, and the verdicts."""
    claims: pd.DataFrame
    """One row a claim and seed: the verdict of its pairs."""


def measure_stitching(
    run: Run,
    texts: Texts | None,
    root: str,
    final_norm: str | None,
    *,
    ridge_strength: PositiveFloat,
    n_draws: PositiveInt,
    least_count: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> StitchingTables:
    """Classify texts by the lower blocks of a model and the upper blocks of a second model.

    Dar et al. (2023), "Analyzing Transformers in Embedding Space", section 5.2. The lower part,
    embeddings and blocks 1..l, is from a model before classification; the upper part, blocks l+1..L
    and the head, from a seed after classification. Between the parts, states x go through the
    vocabulary, x E_lower pinv(E_upper): the products with the lower embeddings are to be the
    products with the upper embeddings. As in the paper, a learned task is carried over to a model
    that never saw the task, without training. Unlike in the paper's code, positions are not added a
    second time.

    A run of two phases stitches seeds to each other, layer by layer. A run that tunes the last
    blocks of a base, as in the paper, stitches these blocks to the run's model `stitched_on`,
    trained apart: every layer of `stitched_on` enters the first tuned block. The control is the
    base below, the source of the classifier's lower blocks.

    Beside stand: `frequent tokens`, the same through tokens read `least_count` times or more in
    training, a check of rare tokens that decides nothing; `identity`, the states as they are;
    `trained`, a ridge regression of the upper model's states on the lower model's, for tokens of
    training texts, at the best upper layer, to show the gain of training; two kinds of random
    stitches, the kernel turned at random (`turned`) and the kernel of tokens matched at random
    (`shuffled tokens`); the classifier itself; and chance, the share of the largest class. A seed
    below itself is a control with two nearly equal spaces.

    Accuracy is a mean over documents of the share of texts, with intervals over documents, half of
    every class; random stitches use the first text of a document, and give a range.

    Fixed before looking, for the layer L/2..L with the highest accuracy through the vocabulary: a
    pair is `above_random` if the interval is above chance and above every random stitch of all
    pairs, at the best layer of the random stitch; the pair differs if no part of the interval is.
    The pair `recovers_most` if the interval is above half of the classifier's accuracy above
    chance, and differs if the interval is below half. A claim matches for an upper seed if all
    pairs match, and differs if all pairs differ.

    Added after results: the largest of many draws grows with the number of draws, and a value below
    need not be random. A pair is `above_random` as before; the pair `differs` only if the interval
    reaches no higher than the mean of the pair's random stitches, or chance, whichever is larger;
    between the two the pair is undecided. No claim differs for a seed whose control does not
    recover most: no pair could have.

    Args:
        run: The run, which names seeds and phases.
        texts: Held-out sequences and training texts; None for a run without classification.
        root: The folder of checkpoints.
        final_norm: The module after the last block, if present.
        ridge_strength: Of the trained stitch, over the mean variance of a dimension.
        n_draws: Random stitches per kind and ordered pair.
        least_count: Least count of a token in the training texts.
        n_resamples: Half-samples of the documents.
        level: Of intervals.
        seed: Of random stitches and half-samples.

    Raises:
        InputError: for an unknown architecture, a text longer than the run's window, or fewer than
            two frequent tokens.
    """
    if texts is None or not (len(run.phases) > 1 or run.stitched_on):
        empty = (pd.DataFrame(columns=columns) for columns in (LAYERS, PAIRS, CLAIMS))
        return StitchingTables(*empty)
    from joblib import Parallel, delayed

    how = Stitching(ridge_strength, n_draws, least_count, seed)
    if run.stitched_on:
        calls = [
            delayed(pairs_on_model)(run, root, name, texts, final_norm, how)
            for name in (str(run.base), run.stitched_on)
        ]
    else:
        calls = [
            delayed(pairs_of_seed)(run, root, number, texts, final_norm, how)
            for number in range(len(run.seeds))
        ]
    stitched = [pair for some in Parallel(n_jobs=-1, batch_size=1)(calls) for pair in some]
    stitched.sort(key=lambda pair: pair.upper_seed)  # stable: of the lower ones the order stays
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    pairs = pd.DataFrame(pair_rows(stitched, texts.held_out, **options), columns=PAIRS)
    return StitchingTables(
        pd.DataFrame(layer_rows(stitched, texts.held_out, **options), columns=LAYERS),
        pairs,
        pd.DataFrame(claim_rows(pairs), columns=CLAIMS),
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    held_out = held_out_texts if run.stitched_on else partial(held_out_sequences, corpus=corpus)
    tables = measure_stitching(
        run,
        stitched_texts(held_out(name, run, texts=texts), texts),
        f"data/trained/{name}",
        form_of(name, run)["final_norm"],
        **config.settings,
    )
    save_table(tables.layers, f"results/stitching/layers/{name}.csv")
    save_table(tables.pairs, f"results/stitching/pairs/{name}.csv")
    save_table(tables.claims, f"results/stitching/claims/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_stitching, groups=("train",))

"""Stage `measure_stitching`: the lower blocks of a model below the classifier of another model."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.measure.sequences.sequence_texts import CORPUS_AND_TEXTS
from embspace.measure.sequences.stitching_models import Texts, load_texts
from embspace.measure.sequences.stitching_pairs import Stitching, pairs_of_seed, pairs_on_model
from embspace.measure.sequences.stitching_rows import claim_rows, layer_rows, pair_rows
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.run_corpora import FINAL_NORM, RUN_FOLDER
from embspace.measure.tables.runs import RUN
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

PAIR = dict.fromkeys(("upper_seed", "lower_seed", "lower_model"), "row")
SIZES = dict.fromkeys(("n", "n_documents", "n_classes"), "count")
STITCHING = Analysis(
    noun="stitching",
    question=(
        "Does the classifier of one seed read the states of another seed, led to it through the "
        "vocabulary without training? With `make all`"
    ),
    reads={
        "run": RUN,
        "texts": Source(load_texts, CORPUS_AND_TEXTS, described=True),
        "root": RUN_FOLDER,
        "final_norm": FINAL_NORM,
    },
    tables={
        # A row an ordered pair of seeds, layer and stitch: the accuracy.
        "layers": Table(
            {**PAIR, "layer": "row", "stitch": "row", **SIZES, "n_draws": "setting"}
            | with_bounds("accuracy", "trained_sites")
            | with_bounds("less_vocabulary", "trained_sites")
        ),
        # A row an ordered pair: the best upper layer, and the verdicts.
        "pairs": Table(
            {**PAIR, "is_control": "name", **SIZES, "chance": "moment"}
            | with_bounds("unstitched_accuracy", "trained_sites")
            | {"best_layer": "trained_verdict", **with_bounds("accuracy", "trained_sites")}
            | with_bounds("recovered", "trained_attention")
            | {"trained_best_layer": "trained_verdict"}
            | with_bounds("trained_accuracy", "trained_sites")
            | {"identity_best_layer": "trained_verdict"}
            | with_bounds("identity_accuracy", "trained_sites")
            | {"null_accuracy": "trained_sites", "null_accuracy_largest": "trained_sites"}
            | {"null_accuracy_largest_of_all_pairs": "trained_sites"}
            | {"explained_share": "trained_statistic"}
            | {"shuffled_explained_share": "trained_statistic"}
            | {"frequent_best_layer": "trained_verdict"}
            | with_bounds("frequent_accuracy", "trained_sites")
            | {"n_frequent_tokens": "count", "frequent_explained_share": "trained_statistic"}
            | {"shuffled_frequent_explained_share": "trained_statistic"}
            | {"above_random": "trained_verdict", "recovers_most": "trained_verdict"}
        ),
        # A row a claim and seed: the verdict of the seed's pairs.
        "claims": Table(
            {"claim": "row", "seed": "row", "n_pairs": "count"}
            | {"n_matching": "trained_verdict", "n_differing": "trained_verdict"}
            | {"control_recovered": "trained_attention"}
            | {"control_recovered_low": "trained_attention"}
            | {"holds_if": "name", "verdict": "trained_verdict"}
        ),
    },
    over="trained",
)


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
) -> Outcome:
    """Classify texts by the lower blocks of one model and the upper blocks of another.

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
        return STITCHING.empty()
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
    stitched = [pair for pairs in Parallel(n_jobs=-1, batch_size=1)(calls) for pair in pairs]
    stitched.sort(key=lambda pair: pair.upper_seed)  # stable: of the lower ones the order stays
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    pairs = STITCHING.tables["pairs"].of(pair_rows(stitched, texts.held_out, **options))
    return {
        "layers": pd.DataFrame([*layer_rows(stitched, texts.held_out, **options)]),
        "pairs": pairs,
        "claims": pd.DataFrame([*claim_rows(pairs)]),
    }


main = STITCHING.main(measure_stitching)

if __name__ == "__main__":
    run_stage(main, measure_stitching, groups=("train",))

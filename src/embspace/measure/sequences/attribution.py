"""Stage `measure_attribution`: which sites of a gene the classifiers of a run look at."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.geometry.attribution.recall import ranking
from embspace.measure.sequences.attribution_curves import AREAS, CURVE, area_rows, curve_rows
from embspace.measure.sequences.attribution_methods import regression_scores
from embspace.measure.sequences.attribution_seeds import (
    AT_RANDOM,
    KNOWN,
    REGRESSION,
    ScoredModel,
    known_order,
    random_orders,
    scored_model,
)
from embspace.measure.sequences.attribution_sites import (
    CHANGES,
    PLACES,
    PRECISION,
    RECALL,
    change_rows,
    place_rows,
    precision_rows,
    recall_rows,
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
class AttributionTables:
    """The tables; empty of a run that does not classify simulated sequences."""

    precision: pd.DataFrame
    """One row a model and method: the share of true places among the first."""
    recall: pd.DataFrame
    """One row a model, method and number of places: the share of changes that they cover."""
    changes: pd.DataFrame
    """One row a model, method, class and defining change: how often it is found."""
    curves: pd.DataFrame
    """One row a seed, method, curve and number of places: the probability of the class."""
    areas: pd.DataFrame
    """One row a seed, method and curve: the area, against random places and the regression."""
    places: pd.DataFrame
    """One row a method, class and place: the mean score over seeds and documents."""


def measure_attribution(
    run: Run,
    placed: PlacedSequences | None,
    texts: pd.DataFrame,
    root: str,
    *,
    inverse_regularization: PositiveFloat,
    n_random_weights: PositiveInt,
    n_random_orders: PositiveInt,
    n_first: list[PositiveInt],
    n_hidden: list[PositiveInt],
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> AttributionTables:
    """Rank the k-mers of held-out sequences by method, against the known sites of the class.

    A place is a k-mer of the region. A true place covers a defining change of the sequence's class
    that the sequence has: changes left out by the simulation do not count, and gh, without changes
    in the receptor-binding domain, takes no part. One sequence a document. Half-samples have half
    of every class; classes weigh by number of documents, in intervals and values.

    The deciding statistic was fixed before looking: `precision`, of as many first places as are
    true (R-precision; equal to the recall of places). A method finds the sites with a seed,
    `finds_sites`, if `precision_low` is above `chance_precision`, the share of true places, and
    above `largest_random_precision`, the largest precision of the same method with random weights.
    The second condition was added after the results: documents of a class share true places, an
    interval over documents allows for no chance agreement of places, and half of the methods with
    random weights met the first condition. A method is better, or worse, than the coefficients of
    the logistic regression if the interval of `precision_less_regression` excludes 0.
    `any_class_precision` counts places on a change of whichever class, for the absence of a mark is
    evidence, too.

    Curves: the probability of the class with the first places hidden behind the mask token
    (deletion: falls soon if the places matter), or with only the first places shown (insertion:
    rises soon); the area under the curve over all places. Beside stand the order of the known
    places, and random orders. An order is better than random if the interval of `area_less_random`
    is below 0 for deletion, above 0 for insertion.

    Args:
        run: The run, which names seeds and phases.
        placed: Held-out sequences; None for a run that does not classify simulated sequences.
        texts: All texts of the run, with the split.
        root: The folder of checkpoints.
        inverse_regularization: Of the logistic regression, as in `measure_training`.
        n_random_weights: Models with random weights, by the seeds 0, 1, …
        n_random_orders: Random orders of the places to average curves over.
        n_first: Numbers of first places for recall.
        n_hidden: Numbers of places of the curves; none and all are added.
        n_resamples: Half-samples of the documents.
        level: Of intervals.
        seed: Of half-samples and random orders.

    Raises:
        InputError: if no held-out sequence has a defining change of the class.
    """
    if placed is None:
        names = (PRECISION, RECALL, CHANGES, CURVE, AREAS, PLACES)
        return AttributionTables(*(pd.DataFrame(columns=columns) for columns in names))
    from joblib import Parallel, delayed

    if not placed.has.any():
        raise InputError("no held-out sequence has a defining change of its class in the region")
    options = {"n_resamples": n_resamples, "level": level, "seed": seed}
    trained = texts[texts["split"] == "train"]
    by_regression = regression_scores(
        trained, placed.sequences, inverse_regularization=inverse_regularization
    )
    of_known, of_random = np.random.default_rng(seed).spawn(2)
    orders = {
        REGRESSION: [ranking(by_regression)],
        KNOWN: [known_order(placed, of_known)],
        AT_RANDOM: random_orders(placed, n_random_orders, of_random),
    }
    n_places = placed.gene.n_places
    inner = [each for each in sorted(n_hidden) if each < n_places]
    steps = [0, *inner, n_places]
    asked: list[tuple[int, int | None]] = [(number, None) for number in range(len(run.seeds))]
    asked += [(0, each) for each in range(n_random_weights)]
    models: list[ScoredModel] = Parallel(n_jobs=-1, batch_size=1)(
        delayed(scored_model)(run, root, number, placed, orders, inner, random_seed)
        for number, random_seed in asked
    )
    scored = [*models, ScoredModel("logistic regression", None, {REGRESSION: by_regression}, {})]
    return AttributionTables(
        pd.DataFrame(precision_rows(scored, placed, **options), columns=PRECISION),
        pd.DataFrame(recall_rows(scored, placed, n_first, **options), columns=RECALL),
        pd.DataFrame(change_rows(scored, placed, **options), columns=CHANGES),
        pd.DataFrame(curve_rows(models, placed, steps, **options), columns=CURVE),
        pd.DataFrame(area_rows(models, placed, steps, **options), columns=AREAS),
        pd.DataFrame(place_rows(scored, placed), columns=PLACES),
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.train_name
    run = describe_run(name, config.train)
    corpus = describe_corpus(run.corpus, read_yaml(Path(f"conf/corpus/{run.corpus}.yaml")))
    texts = load_rows(f"data/prepared/training_texts/{name}.parquet")
    sequences = held_out_sequences(name, run, corpus, texts)
    found = measure_attribution(
        run,
        placed_sequences(name, sequences, corpus),
        texts,
        f"data/trained/{name}",
        **config.settings,
    )
    save_table(found.precision, f"results/attribution/precision/{name}.csv")
    save_table(found.recall, f"results/attribution/recall/{name}.csv")
    save_table(found.changes, f"results/attribution/changes/{name}.csv")
    save_table(found.curves, f"results/attribution/curves/{name}.csv")
    save_table(found.areas, f"results/attribution/areas/{name}.csv")
    save_table(found.places, f"results/attribution/places/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_attribution, groups=("train",))

"""Stage `measure_attribution`: which sites of a gene the classifiers of a run look at."""

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.errors import InputError
from embspace.geometry.attribution.recall import ranking
from embspace.measure.sequences.attribution_curves import area_rows, curve_rows
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
    change_rows,
    place_rows,
    precision_rows,
    recall_rows,
)
from embspace.measure.sequences.sequence_texts import PLACE, PLACED, PlacedSequences
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.run_corpora import RUN_FOLDER
from embspace.measure.tables.runs import RUN, RUN_TEXTS
from embspace.settings.run import Run
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

MODEL = dict.fromkeys(("weights", "model_seed", "method"), "row")
CURVE = dict.fromkeys(("model_seed", "method", "curve"), "row")
ATTRIBUTION = Analysis(
    noun="attribution",
    question="Which sites does a class rest on, and are they those that define it?",
    reads={"run": RUN, "placed": PLACED, "texts": RUN_TEXTS, "root": RUN_FOLDER},
    tables={
        # A row a model and method: the share of true places among the first.
        "precision": Table(
            {**MODEL, "n_documents": "count", "n_places": "count"}
            | with_bounds("precision", "trained_sites")
            | {"chance_precision": "moment"}
            | with_bounds("precision_less_regression", "trained_sites")
            | with_bounds("any_class_precision", "trained_sites")
            | {"chance_any_class_precision": "moment"}
            | {"largest_random_precision": "trained_sites"}
            | {"largest_random_any_class_precision": "trained_sites"}
            | {"finds_sites": "trained_verdict"}
        ),
        # A row a model, method and number of places: the share of changes that they cover.
        "recall": Table(
            {**MODEL, "n_first": "row", "n_documents": "count"}
            | with_bounds("recall", "trained_sites")
            | {"chance_recall": "moment"}
        ),
        # A row a model, method, class and defining change: how often the change is found.
        "changes": Table(
            {**MODEL, "class": "row", "change": "row", "codon": "row", "n_documents": "count"}
            | with_bounds("found", "trained_place")
            | {"chance_found": "moment"}
        ),
        # A row a seed, method, curve and number of places: the probability of the class.
        "curves": Table(
            {**CURVE, "n_hidden": "row", "n_documents": "count"}
            | with_bounds("probability", "trained_sites")
        ),
        # A row a seed, method and curve: the area, against random places and the regression.
        "areas": Table(
            {**CURVE, "n_documents": "count"}
            | with_bounds("area", "trained_sites")
            | with_bounds("area_less_random", "trained_sites")
            | with_bounds("area_less_regression", "trained_sites")
        ),
        # A row a method, class and place: the mean score over seeds and documents.
        "places": Table(
            {"method": "row", "class": "row"}
            | PLACE
            | {"n_documents": "count", "attribution": "trained_place"}
        ),
    },
    over="trained",
)


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
) -> Outcome:
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
        return ATTRIBUTION.empty()
    from joblib import Parallel, delayed

    if not placed.has.any():
        raise InputError("no held-out sequence has a defining change of its class in the region")
    options = {"n_resamples": n_resamples, "level": level, "seed": seed}
    trained = texts[texts["split"] == "train"]
    by_regression = regression_scores(
        trained, placed.sequences, inverse_regularization=inverse_regularization
    )
    for_known, for_random = np.random.default_rng(seed).spawn(2)
    orders = {
        REGRESSION: [ranking(by_regression)],
        KNOWN: [known_order(placed, for_known)],
        AT_RANDOM: random_orders(placed, n_random_orders, for_random),
    }
    n_places = placed.gene.n_places
    inner = [n for n in sorted(n_hidden) if n < n_places]
    steps = [0, *inner, n_places]
    seeds: list[tuple[int, int | None]] = [(number, None) for number in range(len(run.seeds))]
    seeds += [(0, random_seed) for random_seed in range(n_random_weights)]
    models: list[ScoredModel] = Parallel(n_jobs=-1, batch_size=1)(
        delayed(scored_model)(run, root, number, placed, orders, inner, random_seed)
        for number, random_seed in seeds
    )
    scored = [*models, ScoredModel("logistic regression", None, {REGRESSION: by_regression}, {})]
    rows = {
        "precision": precision_rows(scored, placed, **options),
        "recall": recall_rows(scored, placed, n_first, **options),
        "changes": change_rows(scored, placed, **options),
        "curves": curve_rows(models, placed, steps, **options),
        "areas": area_rows(models, placed, steps, **options),
        "places": place_rows(scored, placed),
    }
    return {name: pd.DataFrame([*table_rows]) for name, table_rows in rows.items()}


main = ATTRIBUTION.main(measure_attribution)

if __name__ == "__main__":
    run_stage(main, measure_attribution, groups=("train",))

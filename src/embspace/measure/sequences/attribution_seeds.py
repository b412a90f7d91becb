"""What a classifier's answers rest on: scores, and the effect of hiding the first places."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.attribution.curves import first_places
from embspace.geometry.attribution.recall import ranking
from embspace.measure.sequences.attribution_methods import Scores, attributions
from embspace.measure.sequences.sequence_classifiers import (
    RANDOM,
    TRAINED,
    Encoded,
    encode_sequences,
    last_checkpoints,
    load_classifier,
    logits_of,
    probabilities,
    random_classifier,
    with_hidden,
)
from embspace.measure.sequences.sequence_texts import PlacedSequences, classification_of
from embspace.settings.run import Run

REGRESSION, KNOWN, AT_RANDOM = "logistic_regression", "defining_sites", "random_order"
CURVES = ("deletion", "insertion")
PlaceOrder = Int[np.ndarray, "text place"]


@dataclass(frozen=True, eq=False)
class ScoredModel:
    """The scores and curves of a classifier."""

    weights: str
    model_seed: int | None
    """None of the logistic regression."""
    scores: dict[str, Scores]
    curves: dict[tuple[str, str], Float[np.ndarray, "step text"]]
    """By method and kind of curve, the probability of the class; NaN of texts without a change."""


def scored_model(
    run: Run,
    root: str,
    number: int,
    placed: PlacedSequences,
    orders: dict[str, list[PlaceOrder]],
    n_hidden: list[int],
    random_seed: int | None,
) -> ScoredModel:
    """Score the places by a seed of a run, or by random weights of the architecture.

    `orders` are orders without a model, one or several per method, to average curves over. Curves
    begin with nothing hidden (shown), go on with `n_hidden` and end with all. Random weights have
    no curves.
    """
    checkpoint = last_checkpoints(root, run, str(classification_of(run)))[number]
    module = load_classifier(run, checkpoint)
    encoded = encode_sequences(run, checkpoint, placed.sequences.texts)
    label = placed.sequences.label
    if random_seed is not None:
        module = random_classifier(module, random_seed)
        return ScoredModel(RANDOM, random_seed, attributions(module, encoded, label), {})
    scores = attributions(module, encoded, label)
    every = {method: [ranking(values)] for method, values in scores.items()} | orders
    rows = np.flatnonzero(placed.has.any(axis=1))  # the statistics are of no others
    curves = {
        (method, curve): np.full((len(n_hidden) + 2, len(label)), np.nan)
        for method in every
        for curve in CURVES
    }
    shown = Encoded(encoded.ids[rows], encoded.places, encoded.mask_id)
    nothing = np.zeros((len(rows), len(encoded.places)), dtype=bool)
    ends = [_probability(module, shown, label[rows], hidden) for hidden in (nothing, ~nothing)]
    for (method, curve), values in curves.items():
        method_orders = [order[rows] for order in every[method]]
        inner = [
            _curve(module, shown, label[rows], order, n_hidden, curve) for order in method_orders
        ]
        first, last = ends if curve == "deletion" else ends[::-1]
        values[:, rows] = np.stack([first, *np.mean(inner, axis=0), last])
    return ScoredModel(TRAINED, run.seeds[number], scores, curves)


def known_order(placed: PlacedSequences, generator: np.random.Generator) -> PlaceOrder:
    """Return the places that cover a text's own defining changes first, all else at random."""
    true = placed.true_places
    return ranking(true + generator.random(true.shape) / 2)


def random_orders(
    placed: PlacedSequences, n_orders: int, generator: np.random.Generator
) -> list[PlaceOrder]:
    """Return random orders of the places of each text."""
    shape = placed.true_places.shape
    return [ranking(generator.random(shape)) for _ in range(n_orders)]


def _curve(
    module: Any,
    encoded: Encoded,
    label: Int[np.ndarray, " text"],
    order: PlaceOrder,
    n_first: list[int],
    curve: str,
) -> Float[np.ndarray, "step text"]:
    """Return the class's probability with the first places hidden, or with these alone shown."""
    chosen = first_places(order, np.array(n_first))
    hidden = chosen if curve == "deletion" else ~chosen
    return np.stack([_probability(module, encoded, label, places) for places in hidden])


def _probability(
    module: Any,
    encoded: Encoded,
    label: Int[np.ndarray, " text"],
    hidden: Bool[np.ndarray, "text place"],
) -> Float[np.ndarray, " text"]:
    by_class = probabilities(logits_of(module, with_hidden(encoded, hidden)))
    return np.asarray(by_class[np.arange(len(label)), label])

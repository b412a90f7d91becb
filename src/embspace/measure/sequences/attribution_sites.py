"""Compares the places that a method ranks first with the defining changes, which are known."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.files.tables import Row
from embspace.geometry.attribution.recall import (
    found_by_chance,
    precision_at_all,
    ranking,
    sites_found,
)
from embspace.geometry.inference.resampling import interval_bounds
from embspace.measure.sequences.attribution_seeds import REGRESSION, ScoredModel
from embspace.measure.sequences.sequence_classifiers import RANDOM, TRAINED
from embspace.measure.sequences.sequence_intervals import class_means, numbered
from embspace.measure.sequences.sequence_texts import PlacedSequences


def precision_rows(
    models: Sequence[ScoredModel], placed: PlacedSequences, **options: Any
) -> list[Row]:
    """Return a row per model and method: precision at as many first places as are true.

    The means are over documents with a defining change. The last model is the regression. For a
    trained model, `largest_random_precision` is the largest of the same method over all random
    weights, and `finds_sites` the verdict: the interval is above this precision and above chance.
    """
    rows = list(_precisions(models, placed, **options))
    at_random = [row for row in rows if row["weights"] == RANDOM]
    for row in rows:
        if row["weights"] != TRAINED:
            continue
        twins = [twin for twin in at_random if twin["method"] == row["method"]]
        for name in ("precision", "any_class_precision"):
            row[f"largest_random_{name}"] = max((twin[name] for twin in twins), default=np.nan)
        bounds = (row["chance_precision"], row["largest_random_precision"])
        row["finds_sites"] = all(row["precision_low"] > bound for bound in bounds)
    return rows


def _precisions(
    models: Sequence[ScoredModel], placed: PlacedSequences, **options: Any
) -> Iterator[Row]:
    rows = np.flatnonzero(placed.has.any(axis=1))
    true, stratum = placed.true_places[rows], placed.sequences.label[rows]
    any_true = np.broadcast_to(placed.places_of_any, true.shape)
    n_true = true.sum(axis=1)
    regression = _precision(models[-1].scores[REGRESSION][rows], true)
    other, by_halves = class_means(regression, numbered(stratum), **options)
    for model, method, scores in _scores_of(models):
        order = ranking(scores[rows])
        values = np.stack([precision_at_all(order, true), _share(order, any_true, n_true)], axis=1)
        mean, interval = class_means(values, numbered(stratum), **options)
        row: Row = {**_key(model, method), "n_documents": len(rows), "n_places": true.shape[1]}
        for number, name in enumerate(("precision", "any_class_precision")):
            row |= _bounded(name, mean[number], interval.low[number], interval.high[number])
        row["chance_precision"] = float(true.mean(axis=1).mean())
        row["chance_any_class_precision"] = float(placed.places_of_any.mean())
        if method != REGRESSION:
            name, less = "precision_less_regression", np.asarray(mean[0] - other)
            deviations = interval.deviations[:, 0] - by_halves.deviations
            low, high = interval_bounds(less, deviations, level=options["level"])
            row |= {name: float(less), f"{name}_low": float(low), f"{name}_high": float(high)}
        yield row


def recall_rows(
    models: Sequence[ScoredModel], placed: PlacedSequences, n_first: list[int], **options: Any
) -> Iterator[Row]:
    """Yield a row per model, method and number of places: the share of a text's changes covered."""
    rows = np.flatnonzero(placed.has.any(axis=1))
    has, stratum = placed.has[rows], numbered(placed.sequences.label[rows])
    covers, n_places = placed.gene.covers, placed.gene.n_places
    counts = [k for k in sorted(n_first) if k <= n_places]
    for model, method, scores in _scores_of(models):
        order = ranking(scores[rows])
        for k in counts:
            first = np.full(len(rows), k)
            recall = _share_of(sites_found(order, covers, first), has)
            mean, interval = class_means(recall, stratum, **options)
            chance = found_by_chance(covers.sum(axis=1), first, n_places)
            yield {
                **_key(model, method),
                "n_first": k,
                "n_documents": len(rows),
                **_bounded("recall", mean, *interval[:2]),
                "chance_recall": float(_share_of(chance, has).mean()),
            }


def change_rows(
    models: Sequence[ScoredModel], placed: PlacedSequences, **options: Any
) -> Iterator[Row]:
    """One row a model, method, class and change: how often a first place covers the change.

    First are as many places as the text has true places. Over documents with the change; not for
    random weights.
    """
    n_true = placed.true_places.sum(axis=1)
    changes = placed.gene.changes
    by_chance = found_by_chance(placed.gene.covers.sum(axis=1), n_true, placed.gene.n_places)
    for model, method, scores in _scores_of(models):
        if model.weights != TRAINED and method != REGRESSION:
            continue
        is_found = sites_found(ranking(scores), placed.gene.covers, n_true)
        for number, change in enumerate(changes.to_dict("records")):
            rows = np.flatnonzero(placed.has[:, number])
            if not len(rows):
                continue
            values = is_found[rows, number].astype(np.float64)
            one_class = np.zeros(len(rows), dtype=np.int64)
            mean, interval = class_means(values, one_class, **options)
            yield {
                **_key(model, method),
                "class": change["class"],
                "change": change["change"],
                "codon": change["codon"],
                "n_documents": len(rows),
                **_bounded("found", mean, *interval[:2]),
                "chance_found": float(by_chance[rows, number].mean()),
            }


def place_rows(models: Sequence[ScoredModel], placed: PlacedSequences) -> Iterator[Row]:
    """One row a method, class and place: the mean score over documents and trained seeds."""
    gene, label = placed.gene, placed.sequences.label
    kept = [model for model in models if model.weights == TRAINED or REGRESSION in model.scores]
    methods = list(dict.fromkeys(method for model in kept for method in model.scores))
    class_of_change = gene.changes["class"].to_numpy()
    for method in methods:
        scores = np.mean([model.scores[method] for model in kept if method in model.scores], axis=0)
        for number, name in enumerate(placed.sequences.classes):
            rows = np.flatnonzero(label == number)
            if not len(rows):
                continue
            n_changes = gene.covers[class_of_change == name].sum(axis=0)
            for place, value in enumerate(scores[rows].mean(axis=0)):
                yield {
                    "method": method,
                    "class": name,
                    "place": place,
                    "first_codon": gene.codons[place, 0],
                    "last_codon": gene.codons[place, 1],
                    "n_changes": n_changes[place],
                    "n_documents": len(rows),
                    "attribution": float(value),
                }


def _scores_of(
    models: Sequence[ScoredModel],
) -> Iterator[tuple[ScoredModel, str, Float[np.ndarray, "text place"]]]:
    for model in models:
        for method, scores in model.scores.items():
            yield model, method, scores


def _key(model: ScoredModel, method: str) -> Row:
    return {"weights": model.weights, "model_seed": model.model_seed, "method": method}


def _precision(
    scores: Float[np.ndarray, "text place"], true: Bool[np.ndarray, "text place"]
) -> Float[np.ndarray, " text"]:
    return precision_at_all(ranking(scores), true)


def _share(
    order: Int[np.ndarray, "text place"],
    wanted: Bool[np.ndarray, "text place"],
    k: Int[np.ndarray, " text"],
) -> Float[np.ndarray, " text"]:
    """Return the share of wanted places among the `k` first, by text."""
    hits = np.take_along_axis(wanted, order, axis=1).cumsum(axis=1)
    return np.asarray(hits[np.arange(len(k)), k - 1] / k)


def _share_of(
    is_found: Float[np.ndarray, "text site"] | Bool[np.ndarray, "text site"],
    has: Bool[np.ndarray, "text site"],
) -> Float[np.ndarray, " text"]:
    """Return the share of a text's changes that are found, or the expected share, by text.

    `is_found` says for every change whether the change is found, or the probability. In [0, 1].
    """
    return np.asarray((is_found * has).sum(axis=1) / has.sum(axis=1))


def _bounded(name: str, value: Any, low: Any, high: Any) -> Row:
    """Return a share with bounds in [0, 1]."""
    bounds = np.clip([low, high], 0, 1)
    return {name: float(value), f"{name}_low": float(bounds[0]), f"{name}_high": float(bounds[1])}

"""Deletion and insertion curves of a run's classifiers, and the areas under them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from embspace.files.tables import Row
from embspace.geometry.attribution.curves import area_under
from embspace.geometry.inference.resampling import interval_bounds
from embspace.measure.sequences.attribution_seeds import AT_RANDOM, REGRESSION, ScoredModel
from embspace.measure.sequences.sequence_intervals import class_means, numbered
from embspace.measure.sequences.sequence_texts import PlacedSequences


def curve_rows(
    models: Sequence[ScoredModel], placed: PlacedSequences, steps: list[int], **options: Any
) -> Iterator[Row]:
    """Yield a row per seed, method, curve and number of places: the probability of the class.

    `n_hidden` is the number of first places that are hidden or, for an insertion curve, that alone
    are shown. The means are over documents with a defining change, as for the areas.
    """
    rows, stratum = _documents(placed)
    for model in models:
        for (method, curve), values in model.curves.items():
            mean, interval = class_means(values[:, rows].T, stratum, **options)
            low, high = np.clip(interval.low, 0, 1), np.clip(interval.high, 0, 1)
            for number, n_hidden in enumerate(steps):
                yield {
                    "model_seed": model.model_seed,
                    "method": method,
                    "curve": curve,
                    "n_hidden": n_hidden,
                    "n_documents": len(rows),
                    "probability": float(mean[number]),
                    "probability_low": float(low[number]),
                    "probability_high": float(high[number]),
                }


def area_rows(
    models: Sequence[ScoredModel], placed: PlacedSequences, steps: list[int], **options: Any
) -> Iterator[Row]:
    """Yield a row per seed, method and curve: the area, and paired differences from controls.

    The controls are places in random order, and the regression.
    """
    rows, stratum = _documents(placed)
    level = options["level"]
    for model in models:
        areas = {
            key: class_means(area_under(values[:, rows], np.array(steps)), stratum, **options)
            for key, values in model.curves.items()
        }
        for (method, curve), (area, interval) in areas.items():
            low, high = np.clip([interval.low, interval.high], 0, 1)
            row: Row = {"model_seed": model.model_seed, "method": method, "curve": curve}
            row |= {"n_documents": len(rows), "area": float(area)}
            row |= {"area_low": float(low), "area_high": float(high)}
            for name, other in (("random", AT_RANDOM), ("regression", REGRESSION)):
                if method == other:
                    continue
                value, other_interval = areas[other, curve]
                less = np.asarray(area - value)
                deviations = interval.deviations - other_interval.deviations
                bounds = interval_bounds(less, deviations, level=level)
                row[f"area_less_{name}"] = float(less)
                row[f"area_less_{name}_low"], row[f"area_less_{name}_high"] = map(float, bounds)
            yield row


def _documents(placed: PlacedSequences) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of documents with a defining change, and their classes without gaps."""
    rows = np.flatnonzero(placed.has.any(axis=1))
    return rows, numbered(placed.sequences.label[rows])

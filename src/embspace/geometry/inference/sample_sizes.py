"""Estimates every measure on fewer texts: the curve over n."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.geometry.inference.shared_inputs import (
    Options,
    applicable,
    defined_results_of,
    inputs_of,
)
from embspace.geometry.measures.declaration import Definition, value_of
from embspace.geometry.pairs.vectors import as_vectors

FEWEST = 4  # texts


@dataclass(frozen=True)
class SampleSize:
    """A measure over draws of a given number of the texts."""

    n_texts: int
    n: float
    """Vectors, on average."""
    n_draws: int
    mean: float
    smallest: float
    largest: float


def sample_size_curve(
    x: Any,
    text: Int[np.ndarray, " n"],
    *,
    word: Int[np.ndarray, " n"] | None = None,
    measures: Sequence[Definition],
    options: Options | None = None,
    shares: Sequence[float],
    n_draws: int,
    rng: np.random.Generator,
) -> dict[str, list[SampleSize]]:
    """Every measure of the vectors of `n_draws` draws of every share of the texts, and of all.

    Texts are drawn without replacement. If a curve still rises or falls at the end, the texts are
    too few for the measure. Shares of less than 4 texts are left out; NaN counts in no mean.

    Raises:
        ValueError: a share is not in (0, 1), or `x` is not an array of vectors.
    """
    if not all(0 < share < 1 for share in shares):
        raise ValueError(f"shares: expected each in (0, 1), found {list(shares)}")
    x, options = as_vectors(x), options or {}
    groups: Mapping[str, Int[np.ndarray, " n"]] = {"text": text}
    groups = groups if word is None else {**groups, "word": word}
    measures = applicable(measures, groups, options)
    number = np.unique(text, return_inverse=True)[1]
    n_texts = int(number.max()) + 1
    sizes = sorted({round(share * n_texts) for share in shares} | {n_texts})
    curves: dict[str, list[SampleSize]] = {measure.name: [] for measure in measures}
    for size in (size for size in sizes if size >= min(FEWEST, n_texts)):
        drawn: list[dict[str, float]] = []
        counts: list[int] = []
        for _ in range(n_draws if size < n_texts else 1):
            kept = np.isin(number, rng.permutation(n_texts)[:size])
            part = {name: group[kept] for name, group in groups.items()}
            inputs = inputs_of(x[kept], measures, part, options)
            results = defined_results_of(measures, inputs, part, options)
            drawn.append({name: value_of(result) for name, result in results.items()})
            counts.append(int(kept.sum()))
        for measure in measures:
            values = np.array([results[measure.name] for results in drawn])
            curves[measure.name].append(_sample_size(size, counts, values))
    return curves


def _sample_size(n_texts: int, counts: list[int], values: np.ndarray) -> SampleSize:
    known = values[~np.isnan(values)]
    facts = (known.mean(), known.min(), known.max()) if len(known) else [float("nan")] * 3
    mean, smallest, largest = map(float, facts)
    return SampleSize(n_texts, float(np.mean(counts)), len(values), mean, smallest, largest)

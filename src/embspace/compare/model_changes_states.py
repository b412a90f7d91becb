"""Measures how far the hidden states of the same texts lie apart in two models, by layer."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.compare.model_states import ModelStates
from embspace.compare.same_points import Views, point_sets
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.geometry.pairs.directions import unit_rows


def state_rows(
    texts: dict[str, pd.DataFrame],
    states: tuple[ModelStates, ModelStates],
    *,
    smallest_n: int,
    largest_n: int,
    n_half_samples: int,
    level: float,
    seed: int,
) -> Iterator[Row]:
    """Yield, by corpus and layer, the cosine of a text's two states, and of two texts' states.

    `cosine` compares the mean state of a text's tokens in the first model with the mean state in
    the second, averaged over texts, in [-1, 1]; the value has a meaning where both models started
    from the same weights. `other_cosine` is the mean over all pairs of different texts, the first
    text in one model, the second in the other: high, too, where all states point one way. Every
    document gives one text, as in `alignment`, where shared neighbors stand. No rows for fewer
    than `smallest_n` texts, or for models with unequal layers or dimensions.
    """
    generator = np.random.default_rng(seed)
    sets = point_sets(texts, {}, *states, word_corpora=[], largest_n=largest_n, seed=seed)
    for corpus, views in ((points.corpus, points.views) for points in sets):
        if views.n < smallest_n or views.x.shape != views.y.shape:
            continue
        cosines, others = _cosines(views)

        def mean(rows: Int[np.ndarray, " text"], own: np.ndarray = cosines) -> np.ndarray:
            return np.asarray(own[:, rows].mean(axis=1))

        bounds = half_sample_interval(
            mean,
            views.n,
            n_resamples=n_half_samples,
            level=level,
            generator=stream_of(generator, corpus),
        )
        for layer, values in enumerate(cosines):
            yield {
                "corpus": corpus,
                "layer": layer,
                "n": views.n,
                "cosine": values.mean(),
                "cosine_low": max(float(bounds.low[layer]), -1.0),
                "cosine_high": min(float(bounds.high[layer]), 1.0),
                "other_cosine": others[layer],
            }


def _cosines(
    views: Views,
) -> tuple[Float[np.ndarray, "layer text"], Float[np.ndarray, " layer"]]:
    """Return the cosine of every text's two states, and the mean of all pairs of two texts."""
    own, others = [], []
    for x, y in zip(views.x, views.y, strict=True):
        unit, other = (unit_rows(np.asarray(view, dtype=np.float64)) for view in (x, y))
        cosines = (unit * other).sum(axis=1).clip(-1, 1)
        n = len(cosines)
        own.append(cosines)
        others.append((unit.sum(axis=0) @ other.sum(axis=0) - cosines.sum()) / (n * (n - 1)))
    return np.stack(own), np.array(others)

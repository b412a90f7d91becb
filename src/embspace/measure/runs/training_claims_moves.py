"""Growth, rise and fall of a mean over training, with intervals over checkpoints and batches."""

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.measure.layers.layer_batches import SPREAD
from embspace.measure.layers.layer_shapes import Statistic, certain

CORRELATION = "rank correlation of the step with the top variance share, mean over blocks"
SETTLED = "share of its range that the last quarter of checkpoints moves by"
RISE = "rise of the TwoNN dimension, mean over blocks, to its largest, as a share of that"
FALL = "fall from its largest to the last checkpoint, as a share of that"
TAIL = 0.975
NAN = float("nan")
StepNumbers = Int[np.ndarray, " step"]
OverSteps = Float[np.ndarray, " step"]


def growth_over(steps: StepNumbers, means: OverSteps) -> tuple[Statistic, Statistic]:
    """Return the rank correlation with the step, and the last quarter's share of the range.

    The intervals span the values with any one checkpoint left out.
    """
    if len(means) < 2 or not np.ptp(means) > 0:
        return certain(CORRELATION, NAN), certain(SETTLED, NAN)
    whole = _growth(steps, means)
    parts = [_growth(np.delete(steps, i), np.delete(means, i)) for i in range(len(means))]
    parts = [part for part in [whole, *parts] if not np.isnan(part).any()]
    (low, second_low), (high, second_high) = np.min(parts, axis=0), np.max(parts, axis=0)
    return (
        Statistic(CORRELATION, whole[0], float(low), float(high)),
        Statistic(SETTLED, whole[1], float(second_low), float(second_high)),
    )


def _growth(steps: StepNumbers, means: OverSteps) -> tuple[float, float]:
    if len(means) < 2 or not np.ptp(means) > 0:
        return NAN, NAN
    late = means[-max(len(means) // 4, 2) :]
    # Spearman's. Not from scipy.stats, which takes a second to import.
    both = pd.DataFrame({"x": steps, "y": means})
    correlation = float(both.corr(method="spearman").to_numpy()[0, 1])
    return correlation, float(np.ptp(late) / np.ptp(means))


def rise_and_fall_over(means: OverSteps, relative: OverSteps) -> tuple[Statistic, Statistic]:
    """Return how much lower the first and the last checkpoint are than the highest, as shares.

    `relative` is the possible deviation of a mean in other batches, as a share of the mean; NaN for
    a single batch, without information. The interval covers any checkpoint in place of the highest.
    """
    if not len(means):
        return certain(RISE, NAN), certain(FALL, NAN)
    return _lower(RISE, 0, means, relative), _lower(FALL, len(means) - 1, means, relative)


def _lower(words: str, own: int, means: OverSteps, relative: OverSteps) -> Statistic:
    others = np.delete(np.arange(len(means)), own)
    if not len(others):
        return certain(words, 0.0)
    gap = np.log(means[own] / means[others])
    away = np.hypot(relative[own], relative[others])
    low, high = (float((1 - np.exp(gap + side * away)).max()) for side in (1, -1))
    return Statistic(words, float(1 - means[own] / means.max()), max(low, 0.0), max(high, 0.0))


def dealt_anew(rows: pd.DataFrame) -> OverSteps:
    """Deviation of the mean over layers in batches dealt anew, by step.

    As a share of the mean, at 95 %: Student's t times the standard error over batches. All layers
    share the batches, and errors add up. NaN if a layer has a single batch.
    """
    from scipy.special import stdtrit

    n = rows["n_batches"].to_numpy(dtype=float)
    several = n > 1
    error = np.full(len(rows), NAN)
    spread = rows[SPREAD].to_numpy(dtype=float)
    # The table has the spread about the batches' own mean, hence n - 1.
    error[several] = spread[several] / np.sqrt(n[several] - 1)
    error[several] *= stdtrit(n[several] - 1, TAIL)
    steps = (
        rows.assign(error=error)
        .groupby("step")
        .agg(error=("error", lambda part: part.mean(skipna=False)), value=("value", "mean"))
    )
    return (steps["error"] / steps["value"]).sort_index().to_numpy(dtype=float)

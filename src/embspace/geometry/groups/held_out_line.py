"""How well a line on one number predicts a value, for points that it was not fitted to."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.door import takes_arrays


@takes_arrays(at_least=3)
def held_out_line(
    x: Float[np.ndarray, " n"], values: Float[np.ndarray, "*draw n"]
) -> Float[np.ndarray, "*draw"]:
    """Return the share of squared errors that a line on `x` saves, every point held out in turn.

    1 less the errors of the least-squares lines through the remaining points, over the errors of
    the remaining points' mean (PRESS; Allen 1974, "The relationship between variable selection and
    data augmentation and a method for prediction", Technometrics 16). At most 1; below 0, somewhat,
    where values have nothing to do with `x`. NaN where all of `x`, or all values, are equal, or
    become equal once a point is held out.
    """
    n = len(x)
    centered = x - x.mean()
    scatter = centered @ centered
    deviations = values - values.mean(axis=-1, keepdims=True)
    if not scatter > 1e-24 * max(float(x @ x), 1e-300):
        return np.full(values.shape[:-1], np.nan)
    slope = deviations @ centered / scatter
    leverage = 1 / n + centered**2 / scatter
    if not leverage.max() < 1 - 1e-12:  # one point alone differs
        return np.full(values.shape[:-1], np.nan)
    errors = (deviations - slope[..., np.newaxis] * centered) / (1 - leverage)
    mean_errors = deviations * n / (n - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        saved = 1 - np.square(errors).sum(axis=-1) / np.square(mean_errors).sum(axis=-1)
    return np.asarray(saved)

"""In how many directions a cloud extends, as one number."""

import numpy as np
from jaxtyping import Float


def participation_ratio(eigenvalues: Float[np.ndarray, " component"]) -> float:
    """Effective number of directions that hold the variance, (sum v)^2 / sum v^2.

    From 1, all on a line, to the number of eigenvalues, all equal; NaN where nothing varies. Of
    the covariance of n vectors of dim dimensions it is n - 1 at most, and of isotropic ones about
    n dim / (n + dim): compare clouds of one n.
    """
    total = eigenvalues.sum()
    return float(total**2 / np.square(eigenvalues).sum()) if total > 0 else float("nan")

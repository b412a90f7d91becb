"""Features that a method finds in a cloud, and how much of the cloud they hold."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class FeatureSet(NamedTuple):
    """Features of a cloud, found by a method with one seed."""

    directions: Float[np.ndarray, "feature dim"]
    """The direction of each feature, of unit length, in the space of the vectors."""
    matched_by: Float[np.ndarray, "feature axis"]
    """The direction, of unit length, by which features of two seeds are matched."""
    activations: Float[np.ndarray, "n feature"]
    variance_share: float
    """Share of the variance of the vectors that all features hold together."""
    is_converged: bool | None = None
    """Whether the fit ended before its last iteration; None of a method with a fixed length."""

    @property
    def is_alive(self) -> np.ndarray:
        """Return, for every feature, whether some vector activates it."""
        return np.asarray((self.activations != 0).any(axis=0))

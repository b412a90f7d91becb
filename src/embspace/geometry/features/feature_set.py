"""Features of a cloud by any method, and their share of the cloud's variance."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class FeatureSet(NamedTuple):
    """Features of a cloud by a method, for a single seed."""

    directions: Float[np.ndarray, "feature dim"]
    """The direction of each feature, of unit length, in the space of the vectors."""
    matched_by: Float[np.ndarray, "feature axis"]
    """The direction, of unit length, by which features of two seeds are matched."""
    activations: Float[np.ndarray, "n feature"]
    variance_share: float
    """Share of all features together in the variance of the vectors."""
    is_converged: bool | None = None
    """Whether the fit ended before its last iteration; None of a method with a fixed length."""

    @property
    def is_alive(self) -> np.ndarray:
        """Return whether some vector activates a feature, for every feature."""
        return np.asarray((self.activations != 0).any(axis=0))

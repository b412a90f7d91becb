"""The array types that several modules share."""

import numpy as np
from jaxtyping import Float, Int

Vectors = Float[np.ndarray, "n dim"]
RowNumbers = Int[np.ndarray, " _"]
"""Numbers of some rows."""

"""Vectors in numbered groups: of words, of texts."""

import numpy as np
from jaxtyping import Float, Int, Shaped

Groups = Shaped[np.ndarray, " vector"]  # checked here, to say what is wrong


def checked_groups(x: Float[np.ndarray, "n dim"], group: Groups) -> Int[np.ndarray, " n"]:
    """The numbers of the groups.

    Raises:
        ValueError: not a whole number for every row of `x`.
    """
    group = np.asarray(group)
    if group.shape != (len(x),):
        raise ValueError(f"group: expected {len(x)} numbers, found shape {group.shape}")
    if not np.issubdtype(group.dtype, np.integer):
        raise ValueError(f"group: expected whole numbers, found {group.dtype}")
    return group

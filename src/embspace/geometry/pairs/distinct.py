"""Finds equal vectors: those that differ by rounding in float32 at most."""

import numpy as np
from jaxtyping import Float, Int

# Of the root mean square length. What a model makes of one input twice, in batches of different
# sizes, differs by some 1e-7 of it; what it makes of two inputs by far more.
ROUNDING = 1e-5


def is_one_vector(x: Float[np.ndarray, "n dim"]) -> bool:
    """Return whether all rows equal the first row up to rounding."""
    first = x[0].astype(np.float64)
    return all(
        bool((np.linalg.norm(block - first, axis=1) <= ROUNDING * np.linalg.norm(first)).all())
        for block in np.array_split(x, -(-len(x) // 4096))
    )


def distinct_rows(x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, " row"]:
    """The first rows of groups of rows equal up to rounding, in ascending order.

    Neighbors among equal vectors mean nothing: the distance is 0, and the choice is arbitrary. Two
    rows are equal up to a difference of `ROUNDING` of the root mean square length.
    """
    x = x.astype(np.float64)
    rows = _unequal_rows(x)
    x = x[rows]
    reach = ROUNDING * float(np.sqrt(np.square(x).sum(axis=1).mean()))
    direction = np.random.default_rng(0).normal(size=x.shape[1])
    along = x @ (direction / np.linalg.norm(direction))  # rows so near are so near along it, too
    order, again = np.argsort(along), np.zeros(len(x), dtype=bool)
    for step in range(1, len(x)):
        near = np.flatnonzero(along[order[step:]] - along[order[:-step]] <= reach)
        if not len(near):
            break
        pairs = np.sort([order[near], order[near + step]], axis=0)
        is_one = np.linalg.norm(x[pairs[0]] - x[pairs[1]], axis=1) <= reach
        again[pairs[1][is_one]] = True
    return rows[~again]


def _unequal_rows(x: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, " row"]:
    """The first of all equal rows, in ascending order.

    Equal rows have equal keys. Different rows may share a key, too, more often for coarse numbers:
    16-bit numbers end in zeros. Rows of equal key are therefore compared.
    """
    x = x + 0.0  # 0.0 and -0.0 are one
    factors = np.random.default_rng(0).integers(2**63, size=x.shape[1])
    keys = x.view(np.int64) @ factors  # modulo 2^64
    _, first, key_number = np.unique(keys, return_index=True, return_inverse=True)
    again = np.setdiff1d(np.arange(len(x)), first)
    blocks = np.array_split(again, -(-len(again) // 4096) or 1)
    differs = [(x[block] != x[first[key_number[block]]]).any(axis=1) for block in blocks]
    others = again[np.concatenate(differs)]
    if len(others):
        others = others[np.unique(x[others], axis=0, return_index=True)[1]]
    return np.sort(np.concatenate([first, others]))

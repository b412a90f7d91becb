"""WEAT: how much more one set of words is like an attribute than another set, exactly."""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.door import takes_arrays

MOST_EXCHANGES = 1_000_000


@takes_arrays(invariant_to=["rotation", "scale", "lengths"])
def word_associations(
    targets: Float[np.ndarray, "word dim"],
    first: Float[np.ndarray, "first_word dim"],
    second: Float[np.ndarray, "second_word dim"],
) -> Float[np.ndarray, " word"]:
    """Return every target's mean cosine with the first attribute set, less that with the second.

    In [-2, 2]: s(w, A, B) of Caliskan, Bryson and Narayanan (2017).
    """
    x, a, b = (unit_rows(y) for y in (targets, first, second))
    return np.asarray(x @ a.mean(axis=0) - x @ b.mean(axis=0))


def effect_size(x: Float[np.ndarray, " word"], y: Float[np.ndarray, " other_word"]) -> float:
    """Return the difference of the means over the standard deviation of both sets together.

    Caliskan et al. (2017), with the deviation of n, so that halves of equal sets have the same
    bounds, -2 and 2. NaN where all are equal.
    """
    deviation = np.concatenate([x, y]).std()
    if not deviation > 1e-12 * np.abs(np.concatenate([x, y])).max():
        return float("nan")
    return float((x.mean() - y.mean()) / deviation)


def exchange_p_value(x: Float[np.ndarray, " word"], y: Float[np.ndarray, " other_word"]) -> float:
    """Return the share of all exchanges of words between the sets with as large a difference.

    One-sided and exact: every choice of as many words for the first set is an exchange, the given
    one included.

    Raises:
        ValueError: for sets with more than a million exchanges.
    """
    values, n = np.concatenate([x, y]), len(x)
    chosen = _choices(len(values), n)
    sums = values[chosen].sum(axis=1)
    rounding = 1e-9 * max(float(np.abs(values).sum()), 1e-300)
    return float((sums >= x.sum() - rounding).mean())


@cache
def _choices(n_all: int, n: int) -> np.ndarray:
    if comb(n_all, n) > MOST_EXCHANGES:
        raise ValueError(f"{n} of {n_all} words: more than {MOST_EXCHANGES:,} exchanges")
    return np.fromiter(
        (word for words in combinations(range(n_all), n) for word in words),
        dtype=np.intp,
        count=comb(n_all, n) * n,
    ).reshape(-1, n)

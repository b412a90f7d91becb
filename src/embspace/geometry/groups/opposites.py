"""Pairs of words: are partners alike, and do their differences point along one line?"""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.safe_ratio import ratio


def pair_products(
    gram: Float[np.ndarray, "n n"], pairs: Int[np.ndarray, "pair 2"]
) -> Float[np.ndarray, " pair"]:
    """Return the inner product of the two rows of each pair, from the Gram matrix."""
    return np.asarray(gram[pairs[:, 0], pairs[:, 1]])


def mean_of_other_pairs(
    gram: Float[np.ndarray, "n n"],
    pairs: Int[np.ndarray, "pair 2"],
    chosen: Float[np.ndarray, "draw pair"],
) -> Float[np.ndarray, " draw"]:
    """Return the mean inner product of two rows of different pairs, for every draw.

    `pairs` has no row twice; `chosen` is 1 for a pair in the draw, else 0. The exact expectation
    for partners drawn from the rows at random. NaN of a draw with a single pair.
    """
    rows = pairs.ravel()
    inner = gram[rows][:, rows]
    weights = np.repeat(chosen, 2, axis=1)
    n = weights.sum(axis=1)
    own = weights @ np.diagonal(inner) + 2 * chosen @ pair_products(gram, pairs)
    total = ((weights @ inner) * weights).sum(axis=1) - own
    return ratio(total, n * (n - 2))


def wins_of_draws(
    larger: Float[np.ndarray, " n"],
    smaller: Float[np.ndarray, " m"],
    chosen_larger: Float[np.ndarray, "draw n"],
    chosen_smaller: Float[np.ndarray, "draw m"],
    compared: Float[np.ndarray, "n m"] | None = None,
) -> Float[np.ndarray, " draw"]:
    """Return the probability that a value of `larger` exceeds a value of `smaller`, by draw.

    The area under the ROC curve; ties count half. A draw has the values where `chosen` is 1;
    `compared` is 0 for two values that are never compared, such as scores of different folds.
    """
    difference = larger[:, np.newaxis] - smaller
    wins = (difference > 0) + 0.5 * (difference == 0)
    counts = np.ones_like(wins) if compared is None else compared
    won = ((chosen_larger @ (wins * counts)) * chosen_smaller).sum(axis=1)
    return ratio(won, ((chosen_larger @ counts) * chosen_smaller).sum(axis=1))


def shared_line(gram: Float[np.ndarray, "n n"], pairs: Int[np.ndarray, "pair 2"]) -> float:
    """Return the mean absolute cosine of two pairs' differences, over all twos of pairs, in [0, 1].

    1 if all differences lie along one line; their signs do not count. About sqrt(2 / (pi dim)) for
    differences without a shared line in many dimensions. Differences of zero length are left out;
    NaN if fewer than two pairs remain.
    """
    first, second = pairs.T
    products = (gram[second][:, second] - gram[second][:, first] - gram[first][:, second]) + gram[
        first
    ][:, first]
    squared = np.diagonal(products)
    scale = np.diagonal(gram)[first] + np.diagonal(gram)[second]
    has_length = squared > 1e-12 * scale
    inner = products[has_length][:, has_length]
    length = np.sqrt(np.diagonal(inner))
    cosines = np.abs(inner / np.outer(length, length))
    n = len(cosines)
    return float(ratio(np.asarray(cosines.sum() - n), np.asarray(n * (n - 1))))

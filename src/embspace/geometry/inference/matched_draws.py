"""Unrelated texts drawn at random, matched in length."""

import numpy as np
from jaxtyping import Int

OVERSAMPLING = 20  # of four categories, one draw in eleven has all


def unrelated_pairs(
    length: Int[np.ndarray, " m"],
    frame: Int[np.ndarray, " m"],
    category: Int[np.ndarray, " m"],
    wanted: Int[np.ndarray, "pair 2"],
    *,
    tolerance: int,
    n_draws: int,
    generator: np.random.Generator,
) -> tuple[Int[np.ndarray, "draw pair"], Int[np.ndarray, "draw pair"]]:
    """Draws of pairs of texts (first, second), as rows of the m texts, matched in length.

    For every row of `wanted` a pair of texts with these two lengths up to `tolerance`, and from
    different categories; all allowed texts are equally likely. No draw takes two texts of one
    frame, which would make two differences alike. Both -1 if no text is left.
    """
    rows = np.arange(n_draws)
    chosen = np.full((2, n_draws, len(wanted)), -1)
    free = np.ones((n_draws, len(length)), dtype=bool)
    for pair, lengths in enumerate(wanted):
        banned = np.full(n_draws, -1)  # the category of the first text
        for side, wanted_length in enumerate(lengths):
            near = np.flatnonzero(np.abs(length - wanted_length) <= tolerance)
            if not len(near):
                continue
            allowed = free[:, near] & (category[near] != banned[:, np.newaxis])
            key = np.where(allowed, generator.random(allowed.shape), -1.0)
            best = key.argmax(axis=1)
            draws = np.flatnonzero(key[rows, best] >= 0)
            text = near[best[draws]]
            chosen[side, draws, pair] = text
            free[draws] &= frame[text][:, np.newaxis] != frame
            banned[draws] = category[text]
    chosen[:, (chosen < 0).any(axis=0)] = -1
    return chosen[0], chosen[1]


def two_unrelated_pairs(
    length: Int[np.ndarray, " m"],
    category: Int[np.ndarray, " m"],
    *,
    tolerance: int,
    n_draws: int,
    generator: np.random.Generator,
) -> tuple[Int[np.ndarray, "draw 2"], Int[np.ndarray, "draw 2"]]:
    """Draws of two pairs (first, second), four texts of four categories, as rows of the m texts.

    The lengths within a pair differ by `tolerance` at most. There may be fewer than `n_draws`,
    and are none with less than four categories.
    """
    first, second = np.nonzero(
        (np.abs(length[:, np.newaxis] - length) <= tolerance)
        & (category[:, np.newaxis] != category)
    )
    if not len(first):
        return np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    drawn = generator.integers(len(first), size=(OVERSAMPLING * n_draws, 2))
    categories = np.sort(category[np.concatenate([first[drawn], second[drawn]], axis=1)], axis=1)
    kept = drawn[(np.diff(categories, axis=1) > 0).all(axis=1)][:n_draws]
    return first[kept], second[kept]

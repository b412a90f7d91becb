"""Moves names that stand beside what they name apart, so that none covers another."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


def spread(
    wanted: Sequence[float] | Float[np.ndarray, " n"], gap: float, lowest: float = -np.inf
) -> Float[np.ndarray, " n"]:
    """Return places at least `gap` apart, in the order of the wanted ones and nearest to them.

    Least squares: what is too close forms a block around its own mean. None is below `lowest`.
    """
    wanted = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(wanted, kind="stable")
    # With the gaps taken out, places may coincide but not change their order.
    steps = gap * np.arange(len(wanted))
    blocks: list[tuple[float, int]] = []
    for value in wanted[order] - steps:
        mean, n = float(value), 1
        while blocks and blocks[-1][0] > mean:
            other, n_other = blocks.pop()
            mean, n = (mean * n + other * n_other) / (n + n_other), n + n_other
        blocks.append((mean, n))
    places = np.empty(len(wanted))
    places[order] = np.repeat([mean for mean, _ in blocks], [n for _, n in blocks]) + steps
    places[order] = np.maximum(places[order], lowest + steps)
    return places

"""Measures the path of positions in three components: turns, coherence, order along the axis."""

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.positional.helix import (
    rank_advance,
    spectral_peak,
    winding,
    winding_plane,
)

N_COMPONENTS = 3


def path_measures(
    x: Float[np.ndarray, "n dim"], positions: Int[np.ndarray, " n"]
) -> dict[tuple[str, ...], float]:
    """Return by name: turns, their coherence, share of power, advance and order of the path.

    `n_turns` has no sign, because the sign of a component is free. All are NaN for a path without
    slope.
    """
    path = principal_components(x, n_components=N_COMPONENTS).coordinates
    try:
        plane = winding_plane(path, positions)
    except ValueError:  # a table of equal rows
        names = ("n_turns", "coherence", "power_share", "rank_advance", "order_correlation")
        return {(name,): np.nan for name in names}
    turning = winding(plane, positions)
    unused = np.random.default_rng(0)  # of one shuffle, which nothing reads
    line = one_dimensionality(path, positions, n_shuffles=1, rng=unused)
    return {
        ("n_turns",): abs(turning.n_turns),
        ("coherence",): turning.coherence,
        ("power_share",): spectral_peak(plane, positions).power_share,
        ("rank_advance",): rank_advance(path, positions),
        ("order_correlation",): line.order_correlation,
    }

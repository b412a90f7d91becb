"""Position vectors made of sines and cosines, with closed formulas of their properties."""

import numpy as np
from jaxtyping import Float, Int


def sinusoidal_positions(n: int, dim: int, *, base: float) -> Float[np.ndarray, "n dim"]:
    """The positional encodings of Vaswani et al. (2017), arXiv:1706.03762, section 3.5.

    Coordinates 2i and 2i + 1 of position p are the sine and the cosine of p / base^(2i / dim). All
    norms are sqrt(dim / 2), and a cosine depends on the offset alone: `sinusoidal_cosines`. With
    an odd `dim` the last sine has no cosine, and neither holds. Their `base` is 10,000.
    """
    coordinate = np.arange(dim)
    return _waves(n, coordinate, base ** (-2 * (coordinate // 2) / dim))


def sinusoidal_positions_as_printed(n: int, dim: int, *, base: float) -> Float[np.ndarray, "n dim"]:
    """The formula in Luisto's thesis (2024), section 3.2.4, for `dim` in the place of 512.

    Coordinate k of position p is the sine, for odd k the cosine, of p / base^(2k / dim): twice the
    exponent of Vaswani et al., whose pairs of coordinates share a frequency. The longest period is
    therefore near 2 pi base^2, no sine has a cosine of the same frequency, norms differ, and a
    cosine does not depend on the offset alone.
    """
    coordinate = np.arange(dim)
    return _waves(n, coordinate, base ** (-2 * coordinate / dim))


def sinusoidal_cosines(
    offsets: Int[np.ndarray, " offset"], dim: int, *, base: float
) -> Float[np.ndarray, " offset"]:
    """Cosine of two `sinusoidal_positions` at an offset, without the vectors.

    The mean over the frequencies w of cos(w offset), since sin a sin b + cos a cos b = cos(a - b).

    Raises:
        ValueError: an odd `dim`, for which the formula does not hold.
    """
    if dim % 2:
        raise ValueError(f"dim: expected an even number, found {dim}")
    frequencies = base ** (-np.arange(0, dim, 2) / dim)
    return np.cos(np.multiply.outer(offsets, frequencies)).mean(axis=1)


def _waves(
    n: int, coordinate: Int[np.ndarray, " dim"], frequencies: Float[np.ndarray, " dim"]
) -> Float[np.ndarray, "n dim"]:
    angles = np.multiply.outer(np.arange(n), frequencies)
    return np.where(coordinate % 2 == 0, np.sin(angles), np.cos(angles))

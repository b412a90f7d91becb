"""Quotients and means that are NaN where they are undefined."""

import numpy as np
from jaxtyping import Bool, Float, Int

Numbers = Float[np.ndarray, "..."] | Int[np.ndarray, "..."] | np.floating | np.integer


def ratio(over: Numbers, under: Numbers) -> Float[np.ndarray, "..."]:
    """Return quotients of broadcast arrays; NaN where `under` is 0."""
    shape = np.broadcast_shapes(np.shape(over), np.shape(under))
    return np.divide(over, under, out=np.full(shape, np.nan), where=np.not_equal(under, 0))


def mean_of_defined(values: Float[np.ndarray, "..."], axis: int) -> Float[np.ndarray, "..."]:
    """Return the mean along `axis` of the values that are not NaN; NaN if there are none."""
    defined: Bool[np.ndarray, ...] = ~np.isnan(values)
    total = np.asarray(np.where(defined, values, 0).sum(axis=axis))
    return ratio(total, np.asarray(defined.sum(axis=axis)))

"""Takes vectors in any form that holds them, and refuses what no measure can take."""

import math
from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np
from jaxtyping import Float

# Fourth powers, and sums of them, must neither overflow nor become zero.
SMALLEST, LARGEST = 1e-60, 1e60
Function = TypeVar("Function", bound=Callable[..., Any])


def takes_vectors(*names: str) -> Callable[[Function], Function]:
    """Let a function take as vectors, by `as_vectors`, the arguments of these names.

    Raises:
        ValueError: as `as_vectors`, also of what neither is nor holds an array.
    """

    def decorate(function: Function) -> Function:
        parameters = signature(function)

        @wraps(function)
        def taking(*args: Any, **options: Any) -> Any:
            bound = parameters.bind(*args, **options)
            for name in names:
                bound.arguments[name] = _vectors(bound.arguments[name], name)
            return function(*bound.args, **bound.kwargs)

        return cast("Function", taking)

    return decorate


def _vectors(x: Any, name: str) -> Float[np.ndarray, "n dim"]:
    found = as_vectors(x, name)
    if not isinstance(found, np.ndarray):
        raise ValueError(f"{name}: expected vectors, (n, dim), found {type(x).__name__}")
    return found


def as_vectors(x: Any, name: str = "x") -> Any:
    """Return vectors as a float64 array; what neither is nor holds an array goes through as it is.

    `name` is what errors call them.

    Raises:
        ValueError: not of two dimensions, without a row or a column, not of numbers, with NaN or
            infinity, or with numbers whose fourth powers would leave float64.
    """
    x = as_array(x, name)
    if not isinstance(x, np.ndarray):
        return x
    if x.ndim != 2 or not x.size:
        raise ValueError(f"{name}: expected vectors, (n, dim), found shape {x.shape}")
    if not (np.issubdtype(x.dtype, np.floating) or np.issubdtype(x.dtype, np.integer)):
        raise ValueError(f"{name}: expected real numbers, found {x.dtype}")
    vectors: Float[np.ndarray, "n dim"] = x.astype(np.float64, copy=False)
    largest = max(float(vectors.max()), -float(vectors.min()))
    if not math.isfinite(largest):
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"{name}: expected finite values, found NaN or infinity in row {row}")
    if largest and not SMALLEST <= largest <= LARGEST:
        raise ValueError(
            f"{name}: expected a largest magnitude of {SMALLEST:g} to {LARGEST:g}, found "
            f"{largest:g}: rescale the vectors"
        )
    return vectors


def as_array(x: Any, name: str = "x") -> Any:
    """Return the array of a tensor, a data frame or nested lists; anything else as it is.

    Raises:
        ValueError: of a masked array, in which values are missing; of rows of several lengths.
    """
    if isinstance(x, np.ma.MaskedArray):
        raise ValueError(
            f"{name}: expected vectors, found a masked array: fill or leave out its rows"
        )
    if hasattr(x, "detach"):  # a tensor, without importing torch to know
        x = x.detach().cpu()
        return (x.float() if "bfloat16" in str(x.dtype) else x).numpy()  # NumPy lacks bfloat16
    if hasattr(x, "to_numpy"):
        return x.to_numpy()
    if type(x) not in (list, tuple):
        return x
    try:
        return np.array(x)
    except ValueError:  # NumPy says "inhomogeneous shape"
        raise ValueError(
            f"{name}: expected vectors, (n, dim), found rows of several lengths"
        ) from None

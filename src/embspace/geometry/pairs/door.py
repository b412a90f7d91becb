"""The common door of array functions: derives the accepted inputs from a signature."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

import numpy as np

from embspace.geometry.pairs.vectors import (
    as_array,
    checked_numbers,
    real_numbers,
    whole_numbers,
)

# What may be done to all vectors at once: turned, multiplied by a number, moved by a vector, each
# given the length that one likes, each coordinate multiplied by a number of its own.
Transformation = Literal["rotation", "scale", "translation", "lengths", "coordinate_scales"]
TRANSFORMATIONS: tuple[Transformation, ...] = get_args(Transformation)
INVARIANCES: dict[str, frozenset[Transformation]] = {}
"""Function -> changes without effect on the value; measures declare these in `Definition`."""
Function = TypeVar("Function", bound=Callable[..., Any])


class Taken(NamedTuple):
    """The array that an argument takes, as its annotation says."""

    axes: tuple[str, ...]
    """Their names; one that begins with `*`, or is `...`, stands for any number of axes."""
    kinds: frozenset[str]
    """Names of NumPy's types; none: any."""
    instead: tuple[type, ...]
    """Types allowed in the place of an array."""
    is_optional: bool
    """Whether None is allowed."""

    @property
    def last(self) -> tuple[str, ...]:
        """The axes after any number of further axes."""
        return tuple(axis for axis in self.axes if not axis.startswith(("*", "...")))


def takes_arrays(
    *,
    single: bool = False,
    numbers: Literal["moderate", "finite", "any"] = "moderate",
    at_least: int = 1,
    invariant_to: Sequence[Transformation] | None = None,
) -> Callable[[Function], Function]:
    """Let a function take arrays in any form, by annotations `Float`, `Int` or `Bool`.

    `as_array` converts real numbers to float64, whole numbers to int64. Axes of the same name have
    the same length, within and between arguments.

    Args:
        single: Keep float32: the function is exact to float32, and callers have large float32
            matrices.
        numbers: Allowed magnitude of real numbers: as in `checked_numbers`, any finite number, or
            any number, where the function documents NaN.
        at_least: Least number of rows of the first array.
        invariant_to: Changes of every `x` without effect; see `INVARIANCES`.

    Raises:
        ValueError: by name, as `as_array`, `real_numbers`, `whole_numbers` and `checked_numbers`;
            for a wrong number of axes, arrays that do not fit, too few rows.
    """

    def decorate(function: Function) -> Function:
        parameters = signature(function, eval_str=True)
        arguments = {
            name: taken
            for name, parameter in parameters.parameters.items()
            if (taken := _taken(parameter))
        }
        if invariant_to is not None:
            INVARIANCES[function.__name__] = frozenset(invariant_to)

        @wraps(function)
        def taking(*args: Any, **options: Any) -> Any:
            bound = parameters.bind(*args, **options)
            lengths: dict[str, tuple[str, int]] = {}
            for name, taken in arguments.items():
                value = bound.arguments.get(name)
                if name not in bound.arguments or (value is None and taken.is_optional):
                    continue
                if taken.instead and isinstance(value, taken.instead):
                    continue
                value = bound.arguments[name] = _array(
                    value, name, taken, single=single, numbers=numbers
                )
                if not lengths and len(value) < at_least:
                    raise ValueError(
                        f"{name}: expected at least {at_least} "
                        f"row{'s' * (at_least > 1)}, found {len(value)}"
                    )
                _check_lengths(value, name, taken, lengths)
            return function(*bound.args, **bound.kwargs)

        return cast("Function", taking)

    return decorate


def _taken(parameter: Parameter) -> Taken | None:
    """Return the array that an argument takes, or None if it takes none."""
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    arrays = [kind for kind in kinds if hasattr(kind, "dim_str")]
    if not arrays:
        return None
    names = arrays[0].dtypes
    others = tuple(kind for kind in kinds if kind not in arrays and isinstance(kind, type))
    return Taken(
        tuple(arrays[0].dim_str.split()),
        frozenset(names) if isinstance(names, (list, tuple)) else frozenset(),
        tuple(kind for kind in others if kind is not type(None)),
        type(None) in others or parameter.default is None,
    )


def _array(value: Any, name: str, taken: Taken, *, single: bool, numbers: str) -> np.ndarray:
    x = as_array(value, name)
    expected = _shown(taken)
    if not isinstance(x, np.ndarray):
        raise ValueError(f"{name}: expected {expected}, found {type(value).__name__}")
    too_many = len(taken.last) == len(taken.axes) and x.ndim > len(taken.axes)
    if too_many or x.ndim < len(taken.last):
        raise ValueError(f"{name}: expected {expected}, found shape {x.shape}")
    if taken.axes[-1].startswith("dim") and not x.shape[-1]:
        raise ValueError(f"{name}: expected {expected}, found shape {x.shape}")
    if "float64" in taken.kinds:
        x = real_numbers(x, name, single=single)
        is_moderate = numbers == "moderate"
        return x if numbers == "any" else checked_numbers(x, name, moderate=is_moderate)
    if "int64" in taken.kinds:
        return whole_numbers(x, name)
    if taken.kinds and x.dtype != np.bool_:
        raise ValueError(f"{name}: expected True and False, found {x.dtype}")
    return x


def _shown(taken: Taken) -> str:
    axes = ["dim" if axis.startswith("dim_") else axis for axis in taken.axes]
    if axes[-1] == "dim" and len(axes) == 2:
        return "vectors, (n, dim)"
    return f"an array, ({', '.join(axes)})"


def _check_lengths(
    x: np.ndarray, name: str, taken: Taken, lengths: dict[str, tuple[str, int]]
) -> None:
    """Check that axes of the same name are equally long; `lengths` has the earlier arguments'."""
    for axis, length in zip(taken.last, x.shape[x.ndim - len(taken.last) :], strict=True):
        if not axis.isidentifier() or axis == "_":
            continue
        first, known = lengths.setdefault(axis, (name, length))
        if known == length:
            continue
        if first == name:
            raise ValueError(f"{name}: expected as many rows as columns, found {x.shape}")
        if axis == taken.axes[0]:
            raise ValueError(f"{name}: expected the same points, found {known} and {length} rows")
        raise ValueError(f"dims differ: {first} has {known}, {name} has {length}")

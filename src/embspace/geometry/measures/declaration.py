"""Declares a measure of a cloud of vectors once, beside the function that computes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import getdoc, signature
from math import isnan
from typing import Any, Literal, TypeVar, cast, get_args

import numpy as np

from embspace.geometry.pairs.door import TRANSFORMATIONS as TRANSFORMATIONS
from embspace.geometry.pairs.door import Transformation
from embspace.geometry.pairs.vectors import as_array, as_vectors, whole_numbers

Family = Literal["direction", "spectrum", "context", "intrinsic_dimension", "hubs"]
FAMILIES: tuple[Family, ...] = get_args(Family)
# What measures take in the place of vectors, so that it is computed once for all of them.
Shared = Literal[
    "directions",
    "moments",
    "neighbors",
    "vectors_and_neighbors",
    "word_directions",
    "word_axes",
    "text_cosines",
    "text_angles",
    "text_entropies",
]
OF_NEIGHBORS: frozenset[Shared | None] = frozenset(["neighbors", "vectors_and_neighbors"])
# What the groups are that measures of context take as `group`.
Grouping = Literal["word", "text"]


class Estimate(float):
    """An estimated value with its sample size; in a formula, a comparison or a format a float."""

    standard_error: float
    """By the estimator's own theory, if any, else NaN. Not an interval over texts."""
    n: int
    """How many vectors the value rests on."""
    dropped: int
    """The number of vectors that were left out, as the measure's definition says."""

    def __new__(cls, value: float, standard_error: float, n: int, dropped: int) -> "Estimate":
        """Take the value and the size of its sample."""
        made = super().__new__(cls, value)
        made.standard_error, made.n, made.dropped = standard_error, n, dropped
        return made

    @property
    def value(self) -> float:
        """The value alone."""
        return float(self)

    def __reduce__(self) -> tuple[type, tuple[float, float, int, int]]:
        """Return the class and the arguments that make a copy."""
        return type(self), (self.value, self.standard_error, self.n, self.dropped)

    def __repr__(self) -> str:
        """Return all four."""
        value, standard_error, n, dropped = self.__reduce__()[1]
        return f"Estimate({value=}, {standard_error=}, {n=}, {dropped=})"

    def _repr_html_(self) -> str:
        error = "" if isnan(self.standard_error) else f" ± {self.standard_error:.3g}"
        left_out = f", {self.dropped:,} left out" if self.dropped else ""
        return f"{self:.4g}{error} (of {self.n:,} vectors{left_out})"


@dataclass(frozen=True)
class Definition:
    """A measure, with what one has to know to use it."""

    name: str
    family: Family
    function: Callable[..., Any]
    formula: str  # TeX, without dollar signs
    range: str  # TeX
    source: str
    invariant_to: frozenset[Transformation]
    bias: str  # what too few vectors do to it
    shared: Shared | None  # such as `Moments` or a `NeighborGraph`; None: vectors alone
    grouped_by: Grouping | None  # what `group` numbers, of the vectors; None: takes none
    is_sum: bool  # over vectors, so that twice as many have twice the value
    profiled: bool  # whether stages take it wherever they take its family

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.text.partition("\n")[0]

    @property
    def text(self) -> str:
        """The docstring without the examples."""
        return (getdoc(self.function) or "").partition("\nExamples:")[0].strip()

    @property
    def example(self) -> str:
        """The worked example, as typed."""
        return (getdoc(self.function) or "").partition("\nExamples:\n")[2]


DEFINED: dict[str, Definition] = {}


Function = TypeVar("Function", bound=Callable[..., float | Estimate])


def measure(
    family: Family,
    *,
    formula: str,
    range: str,
    source: str,
    invariant_to: Sequence[Transformation],
    bias: str,
    shared: Shared | None = None,
    grouped_by: Grouping | None = None,
    is_sum: bool = False,
    profiled: bool = True,
) -> Callable[[Function], Function]:
    """Declare a function of vectors to be a measure of a family.

    The first argument may then be vectors, (n, dim), in any form of `as_vectors`: the function gets
    float64 on the CPU, checked to be finite and safe to square. A `shared` input, such as `Moments`
    or a `NeighborGraph`, passes through unchanged. Further arguments are arrays if given in any
    form of array, whole numbers in int64. Stages with the family take the measure, unless
    `profiled` is False: then the measure is called only by name.
    """

    def declare(function: Function) -> Function:
        @wraps(function)
        def measured(x: Any, *args: Any, **options: Any) -> float | Estimate:
            names = list(signature(function).parameters)[1:]
            others = dict(zip(names, args, strict=False)) | options
            return function(as_vectors(x), **{name: _other(x, name) for name, x in others.items()})

        known = DEFINED.get(function.__name__)
        # Who runs a cell again, or loads a module again, declares the same anew.
        if known and known.function.__module__ != function.__module__:
            raise ValueError(f"measure: {function.__name__} is declared already")
        DEFINED[function.__name__] = Definition(
            name=function.__name__,
            family=family,
            function=measured,
            formula=formula,
            range=range,
            source=source,
            invariant_to=frozenset(invariant_to),
            bias=bias,
            shared=shared,
            grouped_by=grouped_by,
            is_sum=is_sum,
            profiled=profiled,
        )
        return cast("Function", measured)

    return declare


def _other(x: Any, name: str) -> Any:
    """Return an argument beside the vectors: an array if it has the form of one, else unchanged."""
    x = as_array(x, name)
    is_whole = isinstance(x, np.ndarray) and x.dtype.kind in "iu"
    return whole_numbers(x, name) if is_whole else x


def value_of(result: float | Estimate) -> float:
    """Return the number of a measure's result, whichever form it has."""
    return float(result)

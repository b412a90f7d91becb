"""Has types and shapes of a function's first calls of each test checked, by day.

A check takes some .15 ms, and a test may call one function ten thousand times: of
tests/measure/layers two thirds of the time went into these. With EMBSPACE_CHECK_ALL_CALLS, as at
night, all are checked.
"""

import os
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

ALL = "EMBSPACE_CHECK_ALL_CALLS"
N_CHECKED = 5


class _Tests:
    """How many tests have begun in this process."""

    n_begun = 0


def begin_test() -> None:
    """Have the first calls checked again."""
    _Tests.n_begun += 1


def first_calls_checked(jaxtyped: Callable[..., Any]) -> Callable[..., Any]:
    """Return jaxtyping's decorator, which leaves all but the first calls of a function alone."""

    def with_settings(*args: Any, **settings: Any) -> Callable[[Any], Any]:
        decorate = jaxtyped(*args, **settings)
        return lambda target: _at_first(target, decorate(target))

    return jaxtyped if ALL in os.environ else with_settings


def _at_first(target: Any, checked: Any) -> Any:
    if not isinstance(target, FunctionType) or checked is target:
        return checked
    last_test, n_calls = -1, 0

    @wraps(target)
    def call(*args: Any, **named: Any) -> Any:
        nonlocal last_test, n_calls
        if last_test != _Tests.n_begun:
            last_test, n_calls = _Tests.n_begun, 0
        n_calls += 1
        return (checked if n_calls <= N_CHECKED else target)(*args, **named)

    return call

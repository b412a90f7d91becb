"""Holds each value type to its bounds."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from embspace.settings.types import Listed, PositiveShare, Probability, Share


@pytest.mark.parametrize(
    ("kind", "allowed"),
    [(Share, [0.5]), (PositiveShare, [0.5, 1.0]), (Probability, [0.0, 0.5, 1.0])],
)
def test_bounds_are_those_of_the_interval(kind: Any, allowed: list[float]):
    adapter: TypeAdapter[float] = TypeAdapter(kind)
    for value in (-0.001, 0.0, 0.5, 1.0, 1.001):
        if value in allowed:
            assert adapter.validate_python(value) == value
        else:
            with pytest.raises(ValidationError):
                adapter.validate_python(value)


@pytest.mark.parametrize(
    ("n", "is_allowed"), [(0, False), (1, True), (10**6, True), (10**12, False)]
)
def test_a_table_has_a_row_at_least_and_no_more_than_memory_holds(n: int, is_allowed: bool):
    adapter: TypeAdapter[int] = TypeAdapter(Listed)
    if is_allowed:
        assert adapter.validate_python(n) == n
    else:
        with pytest.raises(ValidationError):
            adapter.validate_python(n)

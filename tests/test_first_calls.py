"""Holds that a function's first calls of each test are checked, and by night all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float
from jaxtyping._decorator import jaxtyped  # jaxtyping's own has given way to ours

from tests import check_types
from tests.first_calls import ALL, N_CHECKED, begin_test, first_calls_checked

Norm = Callable[[Any], Any]


def norm_checked_by(decorator: Callable[..., Any]) -> Norm:
    @decorator(typechecker=check_types)  # type: ignore[untyped-decorator]
    def norm(x: Float[np.ndarray, " dim"]) -> float:
        """Return the length."""
        return float(np.sqrt(np.square(x).sum()))

    function: Norm = norm
    return function


def is_checked(norm: Norm) -> bool:
    """Whether a matrix is refused where a vector belongs."""
    try:
        norm(np.ones((2, 2)))
    except TypeError:
        return True
    return False


def test_the_first_calls_of_each_test_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALL, raising=False)
    norm = norm_checked_by(first_calls_checked(jaxtyped))
    for _ in range(2):
        begin_test()
        assert [is_checked(norm) for _ in range(N_CHECKED + 2)] == [True] * N_CHECKED + [False] * 2


def test_a_function_keeps_its_name_and_what_it_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALL, raising=False)
    norm = norm_checked_by(first_calls_checked(jaxtyped))
    assert norm.__name__ == "norm" and norm.__doc__ == "Return the length."
    assert [norm(np.array([3.0, 4.0])) for _ in range(N_CHECKED + 2)] == [5.0] * (N_CHECKED + 2)


def test_by_night_all_calls_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALL, "1")
    norm = norm_checked_by(first_calls_checked(jaxtyped))
    assert all(is_checked(norm) for _ in range(N_CHECKED + 2))


def test_the_functions_of_embspace_are_checked_this_way() -> None:
    from embspace.geometry.inference.holm import holm_p_values

    begin_test()
    for _ in range(N_CHECKED):
        with pytest.raises(TypeError):
            holm_p_values("no p-values")  # type: ignore[arg-type]

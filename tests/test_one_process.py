"""Holds what stands in for joblib's processes to what those do."""

import os

import pytest
from joblib import Parallel, delayed

from tests.one_process import is_wanted


def grown(items: list[int]) -> list[int]:
    items.append(0)
    return items


class NotSent:
    def __call__(self) -> None: ...

    def __reduce__(self) -> str:
        raise TypeError("cannot be sent")


def made() -> NotSent:
    return NotSent()


@pytest.mark.parametrize("n_jobs", [-1, 2])
def test_calls_are_here_and_change_nothing_of_each_other(n_jobs: int) -> None:
    assert Parallel(n_jobs)(delayed(os.getpid)() for _ in range(2)) == [os.getpid()] * 2
    items = [1]
    assert Parallel(n_jobs)(delayed(grown)(items) for _ in range(2)) == [[1, 0], [1, 0]]
    assert items == [1]


def test_what_cannot_be_sent_fails_as_it_would_between_processes() -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        Parallel(-1)(delayed(NotSent())() for _ in range(2))
    with pytest.raises(TypeError, match="cannot be sent"):
        Parallel(-1)(delayed(made)() for _ in range(2))


def test_threads_share_what_they_have() -> None:
    items = [1]
    Parallel(2, prefer="threads")(delayed(grown)(items) for _ in range(2))
    assert items == [1, 0, 0]


@pytest.mark.slow
def test_a_slow_test_has_processes() -> None:
    assert is_wanted()
    assert os.getpid() not in Parallel(2)(delayed(os.getpid)() for _ in range(2))

"""Lets joblib do in the process of the tests what it would send to others.

A process of joblib's imports torch and transformers, for 4 s, to do what takes milliseconds on the
data of a test. So by day calls are done here, each after it was pickled and read again, and so is
what it gives: what cannot be sent, or counts on what another call changed, fails as it would there.
Tests with the mark `slow` have the processes, and so has who sets `LOKY_MAX_CPU_COUNT`.
"""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PROCESSES = "EMBSPACE_PROCESSES"


def is_wanted() -> bool:
    """Return whether joblib may start processes."""
    return "LOKY_MAX_CPU_COUNT" in os.environ or PROCESSES in os.environ


@contextmanager
def one_process() -> Iterator[None]:
    """Keep joblib from starting processes, unless `is_wanted`; threads are not touched."""
    from joblib import Parallel
    from joblib._parallel_backends import LokyBackend

    effective, sequential = LokyBackend.effective_n_jobs, Parallel._get_sequential_output

    def effective_n_jobs(backend: Any, n_jobs: int) -> int:
        n = int(effective(backend, n_jobs))
        return n if is_wanted() else 1

    def sent(parallel: Any, calls: Iterable[tuple[Any, ...]]) -> Any:
        if not is_wanted() and parallel.n_jobs != 1:
            calls = ((_here, (_copy(call),), {}) for call in calls)
        return sequential(parallel, calls)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LokyBackend, "effective_n_jobs", effective_n_jobs)
        patch.setattr(Parallel, "_get_sequential_output", sent)
        yield


def _here(call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]) -> Any:
    function, arguments, options = call
    return _copy(function(*arguments, **options))


def _copy(value: Any) -> Any:
    import cloudpickle

    return pickle.loads(cloudpickle.dumps(value))

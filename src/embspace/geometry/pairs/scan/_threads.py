"""Runs a function over many items on several threads, with results in order."""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int
) -> Iterator[Result]:
    """Yield `function(item)` for every item; at most two results per thread wait.

    Meanwhile BLAS has one thread. BLAS threads spin for some time after every product, on cores
    needed by compiled loops: five times slower on two cores.
    """
    waiting: deque[Future[Result]] = deque()
    blas = _libraries(len(sys.modules)).limit(limits=1, user_api="blas")
    with blas, ThreadPoolExecutor(n_threads) as executor:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) > 2 * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return the loaded libraries with their own threads.

    Looking for them takes longer than scanning a few thousand pairs; new modules bring new
    libraries.
    """
    return ThreadpoolController()

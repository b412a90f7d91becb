"""One function over many items on several threads, results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from threadpoolctl import threadpool_limits

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], n_threads: int
) -> Iterator[Result]:
    """Yield `function(item)` for each item; two results a thread at most wait to be taken.

    Meanwhile BLAS has one thread. Its own threads spin for some time after every product, and
    would do so on the cores that compiled loops need: five times slower on two cores.
    """
    waiting: deque[Future[Result]] = deque()
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(n_threads) as executor:
        for item in items:
            waiting.append(executor.submit(function, item))
            if len(waiting) > 2 * n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

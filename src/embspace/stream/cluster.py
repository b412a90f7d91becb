"""Runs shards on the workers of dask.distributed, even if workers or schedulers are killed."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.app.describe.find import Say
from embspace.errors import InputError, reason_of

RETRIES = 2  # of a task that raised; a worker that dies under a task is counted by dask itself
SECONDS_BETWEEN_TRIES = 2.0


@dataclass(frozen=True)
class Cluster:
    """Where shards run."""

    scheduler: str | None
    """The address of a running scheduler; None: workers of this machine."""
    n_workers: int
    """The number of workers on this machine; ignored with a scheduler."""
    patience: float
    """Seconds to wait for a scheduler that does not answer."""


def check_dask() -> None:
    """Stop unless dask and distributed are installed.

    Raises:
        InputError: with the command to install dask and distributed.
    """
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise InputError("dask.distributed is not installed: pip install 'embspace[dask]'")


@contextmanager
def connected(cluster: Cluster, say: Say) -> Iterator[Any]:
    """Yield a client of the cluster, and at the end stop the workers that were started for it.

    Raises:
        InputError: if no scheduler answers within the patience.
    """
    from distributed import Client

    # Told below, in a sentence; else each is a page of traces.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if cluster.scheduler is not None:
        client = _client(cluster.scheduler, cluster.patience)
        try:
            yield client
        finally:
            client.close(timeout=2)
        return
    local = _local(cluster.n_workers)
    with local, Client(local) as client:
        if client.dashboard_link:
            say(f"dashboard: {client.dashboard_link}")
        yield client


def _local(n_workers: int) -> Any:
    """Start workers on this machine; repeat a start that fails beside other work.

    Raises:
        InputError: if all tries have failed, with the last message.
    """
    from distributed import LocalCluster

    for tries_left in reversed(range(1 + RETRIES)):
        try:
            return LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,  # what a worker needs does not grow with the corpus
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, OSError, TimeoutError) as error:
            if not tries_left:
                raise InputError(
                    f"the workers of this machine did not start on {1 + RETRIES} tries: "
                    f"{reason_of(error)}; the same command goes on, with fewer --workers beside "
                    "other work"
                ) from None
            time.sleep(SECONDS_BETWEEN_TRIES)
    raise AssertionError("the last try returns or raises")


def _client(address: str, patience: float) -> Any:
    from distributed import Client

    end = time.monotonic() + patience
    while True:
        try:
            return Client(address, timeout=SECONDS_BETWEEN_TRIES * 2)
        except (OSError, TimeoutError) as error:
            if time.monotonic() > end:
                raise InputError(f"--scheduler {address}: does not answer: {error}") from error
            time.sleep(SECONDS_BETWEEN_TRIES)


def run_all(
    cluster: Cluster,
    calls: dict[str, tuple[Any, ...]],
    *,
    is_done: Callable[[str], bool],
    on_result: Callable[[str, Any], None],
    say: Say,
) -> dict[str, str]:
    """Run all calls, a function with arguments, once; return the errors of failed calls.

    Results come to `on_result` in the order of completion. When the scheduler is lost, unfinished
    calls, by `is_done`, go to the next scheduler at the same address.
    """
    from distributed import CancelledError
    from distributed.comm.core import CommClosedError

    failed: dict[str, str] = {}
    seen: set[str] = set()

    def take(key: str, value: Any) -> None:
        if key not in seen:  # computed twice, where a result was lost on its way
            seen.add(key)
            on_result(key, value)

    tries = 0
    while left := {key: call for key, call in calls.items() if key not in seen | failed.keys()}:
        try:
            with connected(cluster, say) as client:
                for key, value, error in _results(client, left):
                    if error is None:
                        take(key, value)
                    else:
                        failed[key] = error
        except (CommClosedError, CancelledError, OSError, TimeoutError, _SchedulerLost) as error:
            tries += 1
            if cluster.scheduler is None and tries > RETRIES:
                raise InputError(f"the workers of this machine were lost: {error}") from error
            say(f"the scheduler is lost ({type(error).__name__}); waiting for it to come back")
            n_done = sum(is_done(key) for key in left)
            say(f"{n_done} of {len(left)} that were under way are finished, and are not repeated")
    return failed


class _SchedulerLost(Exception):
    """The client is no longer connected."""


def _results(
    client: Any, calls: dict[str, tuple[Any, ...]]
) -> Iterator[tuple[str, Any, str | None]]:
    from distributed import wait
    from distributed.scheduler import KilledWorker

    names = {client.submit(*call, pure=False, retries=RETRIES): key for key, call in calls.items()}
    open_futures = set(names)
    while open_futures:
        try:
            done = wait(open_futures, timeout=SECONDS_BETWEEN_TRIES, return_when="FIRST_COMPLETED")
        except TimeoutError:
            if client.status != "running":
                raise _SchedulerLost from None
            continue
        for future in done.done:
            open_futures.discard(future)
            if future.status in ("cancelled", "lost"):
                raise _SchedulerLost
            if future.status == "finished":
                yield names[future], future.result(), None
                continue
            error = future.exception()
            if isinstance(error, KilledWorker):
                yield names[future], None, "each worker that computed it was killed"
            elif isinstance(error, InputError):
                raise error
            else:
                yield names[future], None, f"{type(error).__name__}: {error}"


def paths_of(folder: str, keys: Sequence[str]) -> list[str]:
    """Return the files of shards without repetition, in the order of the plan."""
    return [str(Path(folder) / f"{key}.safetensors") for key in dict.fromkeys(keys)]

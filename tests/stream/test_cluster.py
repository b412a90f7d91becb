"""Tests of `embspace.stream.cluster`; workers that are killed are in `test_run.py`."""

import pytest

from embspace.errors import InputError
from embspace.stream.cluster import Cluster, check_dask, connected, paths_of, run_all
from tests.stream.trees import free_port


def fail() -> None:
    raise ValueError("on purpose")


def test_results_and_errors_come_by_their_key() -> None:
    check_dask()
    found: dict[str, object] = {}
    failed = run_all(
        Cluster(None, 1, 0),
        {"good": (pow, 2, 3), "bad": (fail,)},
        is_done=lambda _: False,
        on_result=found.__setitem__,
        say=lambda _: None,
    )
    assert found == {"good": 8}
    assert failed == {"bad": "ValueError: on purpose"}


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with (
        pytest.raises(InputError, match=f"--scheduler {address}: does not answer"),
        connected(Cluster(address, 1, 0), lambda _: None),
    ):
        pass


def test_a_shard_is_listed_once() -> None:
    assert paths_of("f", ["b", "a", "b"]) == ["f/b.safetensors", "f/a.safetensors"]

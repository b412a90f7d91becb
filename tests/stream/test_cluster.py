"""Tests of `embspace.stream.cluster` and of the files in docs/clusters/.

Workers that are killed are in `test_run.py`.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.errors import InputError
from embspace.stream.cluster import Cluster, _local, check_dask, connected, paths_of, run_all
from tests.stream.trees import free_port


def fail() -> None:
    raise ValueError("on purpose")


def test_results_and_errors_come_by_their_key() -> None:
    check_dask()
    outcomes: dict[str, object] = {}
    failed = run_all(
        Cluster(None, 1, 0),
        {"good": (pow, 2, 3), "bad": (fail,)},
        is_done=lambda _: False,
        on_result=outcomes.__setitem__,
        say=lambda _: None,
    )
    assert outcomes == {"good": 8}
    assert failed == {"bad": "ValueError: on purpose"}


def test_workers_whose_start_fails_are_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[int] = []

    def fails_twice(**given: object) -> str:
        starts.append(1)
        if len(starts) < 3:
            raise RuntimeError("Nanny failed to start.")
        return "cluster"

    monkeypatch.setattr("distributed.LocalCluster", fails_twice)
    monkeypatch.setattr("embspace.stream.cluster.SECONDS_BETWEEN_TRIES", 0.0)
    assert _local(1) == "cluster"
    monkeypatch.setattr("distributed.LocalCluster", _never_starts)
    with pytest.raises(InputError, match="did not start on 3 tries: on purpose; the same comm"):
        _local(1)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    with (
        pytest.raises(InputError, match=f"--scheduler {address}: does not answer"),
        connected(Cluster(address, 1, 0), lambda _: None),
    ):
        pass


def test_a_shard_is_listed_once() -> None:
    assert paths_of("f", ["b", "a", "b"]) == ["f/b.safetensors", "f/a.safetensors"]


def _never_starts(**given: object) -> None:
    raise RuntimeError("on purpose")


@pytest.fixture(scope="module")
def pods(root: Path) -> list[dict[str, Any]]:
    """The cluster and the pod of the command in kubernetes.yaml."""
    text = (root / "docs/clusters/kubernetes.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text))


@pytest.mark.parametrize("name", ["slurm", "slurm_gpu"])
def test_each_process_of_a_job_has_one_thread(root: Path, name: str) -> None:
    text = (root / f"docs/clusters/{name}.yaml").read_text(encoding="utf-8")
    settings = yaml.safe_load(text)["jobqueue"]["slurm"]
    # dask-jobqueue gives a process cores / processes threads.
    assert settings["cores"] == settings["processes"]
    assert settings["memory"].endswith("GB")
    assert int(settings["memory"][:-2]) >= 2 * settings["processes"]
    assert settings["job-script-prologue"][0] == "cd /shared/embspace"


def test_workers_and_scheduler_of_pods_start(pods: list[dict[str, Any]]) -> None:
    from distributed.cli import dask_scheduler, dask_worker

    spec = pods[0]["spec"]
    for part, command in (("worker", dask_worker), ("scheduler", dask_scheduler)):
        (container,) = spec[part]["spec"]["containers"]
        assert container["args"][:2] == ["dask", part]
        options = command.main.make_context(part, list(container["args"][2:])).params
        if part == "worker":
            assert (options["nthreads"], options["memory_limit"]) == (1, "0")


def test_all_pods_have_one_image_and_where_they_compute_one_disk(
    pods: list[dict[str, Any]],
) -> None:
    cluster, command = pods
    specs = [cluster["spec"][part]["spec"] for part in ("worker", "scheduler")] + [command["spec"]]
    assert len({spec["containers"][0]["image"] for spec in specs}) == 1
    worker, _, own = specs
    assert worker["volumes"] == own["volumes"]
    for key in ("volumeMounts", "workingDir"):
        assert worker["containers"][0][key] == own["containers"][0][key]


def test_the_service_leads_to_the_ports_of_the_scheduler(pods: list[dict[str, Any]]) -> None:
    scheduler, name = pods[0]["spec"]["scheduler"], pods[0]["metadata"]["name"]
    ports = {
        port["name"]: port["containerPort"] for port in scheduler["spec"]["containers"][0]["ports"]
    }
    assert {port["targetPort"]: port["port"] for port in scheduler["service"]["ports"]} == ports
    assert scheduler["service"]["selector"]["dask.org/cluster-name"] == name

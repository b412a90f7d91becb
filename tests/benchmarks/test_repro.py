"""Tests of `benchmarks.repro`."""

import sys
from pathlib import Path

import pytest
import yaml

from benchmarks.repro import SETTING, THRESHOLD, Run, page, timed, with_many_jobs
from embspace.app.repro.durations import DURATIONS
from embspace.app.repro.schedule import Schedule
from embspace.errors import InputError


def test_a_call_has_its_time_and_that_of_its_processes(tmp_path: Path) -> None:
    run = timed(tmp_path, [sys.executable, "-c", "sum(range(10**6))"])
    assert run.processor_seconds > 0 and run.seconds > 0


def test_a_call_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(?s)failed:.*no way"):
        timed(tmp_path, [sys.executable, "-c", "raise SystemExit('no way')"])


def test_the_setting_that_is_changed_is_there(root: Path) -> None:
    assert len(THRESHOLD.findall((root / SETTING).read_text())) == 1


def test_more_jobs_are_simulated_on_the_graph_and_the_times(tmp_path: Path) -> None:
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n")
    stages = {
        "a": {"cmd": "true", "outs": ["one"]},
        "b": {"cmd": "true", "outs": ["two"]},
        "c": {"cmd": "true", "deps": ["one", "two"], "outs": ["three"]},
    }
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    (tmp_path / DURATIONS).parent.mkdir()
    (tmp_path / DURATIONS).write_text('{"a": 3, "b": 2, "c": 4}')
    assert with_many_jobs(tmp_path) == Schedule(7, ["a", "c"])
    assert with_many_jobs(tmp_path, jobs=1).seconds == 9


def test_the_page_says_what_is_covered() -> None:
    text = page({"cold": Run(70.25, 80)}, Schedule(61.4, ["a", "b"]), "all stages", 0.5)
    assert "| cold | 70.2 | 80.0 |" in text and "load was 0.5" in text and ": all stages," in text
    assert "it would take 61 s" in text and "`a`, `b`." in text

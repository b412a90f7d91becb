from pathlib import Path

import pytest

from embspace.app import durations
from embspace.app.durations import DURATIONS, Durations, rounded
from embspace.app.repro import Step


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch):
    """Let the time of the next calls be these seconds."""

    def run(*seconds: float) -> None:
        monkeypatch.setattr(durations, "monotonic", iter(seconds).__next__)

    return run


def test_the_time_of_a_stage_ends_when_the_next_one_begins(tmp_path: Path, clock):
    steps = [Step("one", True), Step("known", False), Step("two@a", True)]
    clock(0, 10, 10, 12, 17)  # `one` begins and ends, `known`, `two@a` begins and ends
    assert list(Durations(tmp_path).timed(steps)) == steps
    again = Durations(tmp_path)
    assert again.left(["one"]) == 10
    assert again.left(["one", "two@a"]) == 15
    assert again.left(["known"]) is None
    assert again.left([]) == 0


def test_a_stage_of_another_model_counts_as_the_slowest(tmp_path: Path):
    (tmp_path / DURATIONS).parent.mkdir()
    (tmp_path / DURATIONS).write_text('{"one@a": 2, "one@b": 7, "other@a": 90}')
    assert Durations(tmp_path).left(["one@c"]) == 7
    assert Durations(tmp_path).left(["one@a"]) == 2


def test_a_busy_machine_takes_longer_for_the_rest_too(tmp_path: Path, clock):
    (tmp_path / DURATIONS).parent.mkdir()
    (tmp_path / DURATIONS).write_text('{"one": 10, "two": 20, "short": 4}')
    for name, seconds, left in (("one", 30, 60), ("one", 5, 20), ("short", 40, 20)):
        durations = Durations(tmp_path)
        clock(0, seconds)
        assert list(durations.timed([Step(name, True)]))
        assert durations.left(["two"]) == left
        (tmp_path / DURATIONS).write_text('{"one": 10, "two": 20, "short": 4}')


def test_a_stage_that_fails_has_no_time(tmp_path: Path):
    def steps():
        yield Step("one", True)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        list(Durations(tmp_path).timed(steps()))
    assert Durations(tmp_path).left(["one"]) is None


def test_that_nothing_is_known_is_said_once(tmp_path: Path, clock):
    durations = Durations(tmp_path)
    assert durations.time_left(["one", "two"]) == ", first run here: no estimate yet"
    assert durations.time_left(["one"]) == ""
    clock(0, 200)
    assert list(durations.timed([Step("one", True)]))
    assert durations.time_left(["one"]) == ", up to 3 min left"


@pytest.mark.parametrize(("seconds", "said"), [(12.4, "12 s"), (200, "3 min")])
def test_time_is_said_in_round_numbers(seconds: float, said: str):
    assert rounded(seconds) == said

from pathlib import Path

import pytest

from embspace.app.repro.durations import DURATIONS, Durations, rounded


@pytest.fixture
def known(tmp_path: Path) -> Path:
    """A tree in which stages took these seconds."""
    (tmp_path / DURATIONS).parent.mkdir()
    (tmp_path / DURATIONS).write_text('{"one": 10, "two": 20, "short": 4, "a@x": 2, "a@y": 7}')
    return tmp_path


def needs(*stages: str) -> dict[str, set[str]]:
    return {stage: set() for stage in stages}


def test_seconds_are_kept(tmp_path: Path):
    durations = Durations(tmp_path)
    durations.keep("one", 10.04)
    durations.keep("two@a", 5)
    durations.save()
    again = Durations(tmp_path)
    assert again.left(needs("one")) == 10
    assert again.left(needs("one", "two@a")) == 15
    assert again.left(needs("one", "two@a"), jobs=2) == 10
    assert again.left(needs("known")) is None
    assert again.left({}) == 0


def test_a_stage_of_another_model_counts_as_the_slowest(known: Path):
    assert Durations(known).left(needs("a@z")) == 7
    assert Durations(known).left(needs("a@x")) == 2


@pytest.mark.parametrize(
    ("name", "seconds", "left"), [("one", 30, 60), ("one", 5, 20), ("short", 40, 20)]
)
def test_a_busy_machine_takes_longer_for_the_rest_too(
    name: str, seconds: float, left: float, known: Path
):
    durations = Durations(known)
    durations.keep(name, seconds)
    assert durations.left(needs("two")) == left


def test_what_stages_wait_for_and_run_counts(known: Path):
    chain = {"two": {"one"}, "one": set[str]()}
    assert Durations(known).left(chain, jobs=8) == 30
    assert Durations(known).left(chain, jobs=8, running={"one": 4.0}) == 26


def test_that_nothing_is_known_is_said_once(tmp_path: Path):
    durations = Durations(tmp_path)
    assert durations.time_left(needs("one", "two")) == ", first run here: no estimate yet"
    assert durations.time_left(needs("one")) == ""
    durations.keep("one", 200)
    assert durations.time_left(needs("one")) == ", up to 3 min left"


@pytest.mark.parametrize("text", ["", "not JSON", "[1]"])
def test_a_file_that_cannot_be_read_is_as_none(text: str, tmp_path: Path):
    (tmp_path / DURATIONS).parent.mkdir()
    (tmp_path / DURATIONS).write_text(text)
    assert Durations(tmp_path).left(needs("one")) is None


@pytest.mark.parametrize(("seconds", "said"), [(12.4, "12 s"), (200, "3 min")])
def test_time_is_said_in_round_numbers(seconds: float, said: str):
    assert rounded(seconds) == said

from pathlib import Path

import numpy as np
import pytest

from benchmarks import practice


@pytest.mark.parametrize("name", ["threshold", "hubs", "csls", "int8"])
def test_a_question_has_a_cost(name: str):
    seconds, processor_seconds, peak = practice.run_one(name, 300)
    assert seconds > 0 and processor_seconds > 0 and peak > 1


def test_answers_that_differ_do_not_agree():
    first = practice.Contest("copies", practice.hubs, practice.hubs, "numpy")
    assert practice.agreement(first, 60) == "100.0000% equal"
    other = practice.Contest("codes", practice.int8, lambda x: practice.int8(x + x**2), "numpy")
    assert not practice.agreement(other, 60).startswith("100")
    half = practice.Contest("half", practice.csls, lambda x: practice.csls(x) + 0.5, "numpy")
    assert practice.agreement(half, 60) == "largest difference 5.0e-01"


def test_rows_are_kept_when_a_later_part_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def one():
        yield {"command": "embspace hubs", "seconds": 1.5}

    def broken():
        yield {"what": "pairs", "seconds": 2.5}
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    Path("benchmarks").mkdir()
    monkeypatch.setattr(
        practice, "PARTS", {"commands": ("Commands", one), "contests": ("Contests", broken)}
    )
    with pytest.raises(KeyboardInterrupt):
        practice.run_practice(["commands", "contests"])
    practice.run_practice(["commands"])
    text = practice.PAGE.read_text()
    assert text.startswith("# Questions of practice")
    assert "## Contests" in text and "1.5" in text and "2.5" in text
    assert practice.page(practice.sections_of(text)) == text


def test_a_command_that_fails_is_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(practice, "CALL", "pass")
    assert practice.run_command(("hubs", "docs.jsonl"), tmp_path)["peak RSS, MB"] > 1
    monkeypatch.setattr(practice, "CALL", "raise SystemExit(3)")
    with pytest.raises(SystemExit, match="embspace hubs not_there.npy ended with 3"):
        practice.run_command(("hubs", "not_there.npy"), tmp_path)


def test_a_file_is_counted_under_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    limits = []
    monkeypatch.setattr(practice.resource, "setrlimit", lambda _, both: limits.append(both))
    np.save(tmp_path / "x.npy", practice.vectors(300))
    seconds, _, megabytes = practice.run_limited(tmp_path / "x.npy")
    assert seconds > 0 and limits[0][0] > megabytes * 1e6

"""What is planted is found and nulls give nothing, in few draws; in a hundred, slowly."""

import pytest

from benchmarks import trials
from benchmarks.trials import NULL, TRIALS, Trial, is_as_it_should


def called(trial: Trial) -> str:
    return f"{trial.command}: {trial.drawn}, {trial.counted}"


@pytest.mark.parametrize("trial", TRIALS, ids=called)
def test_a_few_draws_are_as_they_should(trial: Trial):
    n = sum(trial.holds(seed) for seed in range(2000, 2003))
    assert n <= 1 if trial.kind == NULL else n >= 2


@pytest.mark.slow
@pytest.mark.parametrize("trial", TRIALS, ids=called)
def test_a_hundred_draws_are_as_they_should(trial: Trial):
    assert is_as_it_should(trial, sum(trial.holds(seed) for seed in range(100)))


def test_rows_count_draws_and_every_command_is_planted(monkeypatch: pytest.MonkeyPatch):
    made = [Trial("hubs", NULL, "a cloud", "a hub", lambda seed: seed % 2 == 0)]
    monkeypatch.setattr(trials, "TRIALS", made)
    (row,) = trials.trials(5)
    assert row == {
        "command": "hubs",
        "kind": "null",
        "drawn": "a cloud",
        "counted": "a hub",
        "of 5 draws": 3,
    }
    kinds = {(trial.command.split()[0].strip(","), trial.kind) for trial in TRIALS}
    commands = {command for command, _ in kinds}
    assert len(commands) == 7
    assert kinds >= {(command, kind) for command in commands for kind in ("planted", "null")}

import time

import pytest

from embspace.train.progress import Progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock shows next; the last of it stays."""
    times = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: times[-1])
    return times


def test_a_line_has_the_step_the_mean_loss_and_the_time_left(clock: list[float], capsys):
    shown = Progress("small, seed 0, first", 0, 40)
    clock.append(105.0)
    shown.tell(9, 3.0, is_kept=False)
    shown.tell(10, 2.0, is_kept=True)
    assert capsys.readouterr().err == (
        "small, seed 0, first: step 10 of 40, loss 2.500, 15 s left\n"
    )


def test_time_is_counted_from_the_step_that_training_goes_on_from(clock: list[float], capsys):
    shown = Progress("small", 30, 40)
    assert capsys.readouterr().err == "small: goes on from step 30 of 40\n"
    clock.append(102.0)
    shown.tell(35, 1.0, is_kept=True)
    assert capsys.readouterr().err == "small: step 35 of 40, loss 1.000, 2 s left\n"
    clock.append(104.0)
    shown.tell(40, 1.0, is_kept=True)
    assert capsys.readouterr().err.endswith(", 0 s left\n")


def test_long_steps_between_checkpoints_are_not_silent(clock: list[float], capsys):
    shown = Progress("small", 0, 100)
    for step, loss in enumerate((5.0, 3.0, 1.0, 1.0), 1):
        clock.append(100.0 + 6 * step)
        shown.tell(step, loss, is_kept=False)
    assert capsys.readouterr().err.splitlines() == [
        "small: step 2 of 100, loss 4.000, 588 s left",
        "small: step 4 of 100, loss 1.000, 576 s left",
    ]

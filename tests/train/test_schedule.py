import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embspace.train.schedule import checkpoint_steps, learning_rate
from tests.lazy import torch, transformers


@st.composite
def numbers_of_steps(draw: st.DrawFn) -> tuple[int, int]:
    n_steps = draw(st.integers(1, 3000))
    return n_steps, draw(st.integers(2, n_steps + 1))


def check(n_steps: int, n_checkpoints: int) -> None:
    steps = checkpoint_steps(n_steps, n_checkpoints)
    assert len(steps) == n_checkpoints
    assert steps[0] == 0
    assert steps[-1] == n_steps
    assert (np.diff(steps) > 0).all()


@given(numbers_of_steps())
def test_checkpoints_are_as_many_as_wanted_from_0_to_the_last(numbers: tuple[int, int]):
    check(*numbers)


@pytest.mark.parametrize("n_steps", [1, 2, 3, 300, 10**6])
@pytest.mark.parametrize("all_but", [0, 1])
def test_all_steps_or_all_but_one_can_be_kept(n_steps: int, all_but: int):
    if n_steps <= 300 and n_steps + 1 - all_but >= 2:
        check(n_steps, n_steps + 1 - all_but)
    check(n_steps, 2)


def test_steps_grow_by_one_factor():
    assert checkpoint_steps(1000, 5) == [0, 1, 10, 100, 1000]
    assert checkpoint_steps(8, 6) == [0, 1, 2, 3, 5, 8]  # 1, 1.7, 2.8, 4.8, 8


@pytest.mark.parametrize(("n_steps", "n_checkpoints"), [(5, 1), (5, 7), (1, 3)])
def test_impossible_numbers_of_checkpoints_are_refused(n_steps: int, n_checkpoints: int):
    with pytest.raises(ValueError, match=f"{n_checkpoints} checkpoints in {n_steps} steps"):
        checkpoint_steps(n_steps, n_checkpoints)


def rates_of_transformers(n_warmup_steps: int, n_steps: int) -> list[float]:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, n_warmup_steps, n_steps)
    rates = []
    for _ in range(n_steps):
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return rates


@pytest.mark.parametrize(("n_warmup_steps", "n_steps"), [(0, 1), (0, 7), (1, 7), (3, 7), (6, 7)])
def test_the_rate_is_that_of_transformers_one_step_ahead_in_the_warm_up(
    n_warmup_steps: int, n_steps: int
):
    ours = [
        learning_rate(step, peak=0.5, n_warmup_steps=n_warmup_steps, n_steps=n_steps)
        for step in range(n_steps)
    ]
    theirs = rates_of_transformers(n_warmup_steps, n_steps)
    np.testing.assert_allclose(ours[:n_warmup_steps], (*theirs[1:], 0.5)[:n_warmup_steps])
    np.testing.assert_allclose(ours[n_warmup_steps:], theirs[n_warmup_steps:])
    assert min(ours) > 0
    assert max(ours) == 0.5

"""Schedules the steps that are kept, and the learning rate."""

import numpy as np


def checkpoint_steps(n_steps: int, n_checkpoints: int) -> list[int]:
    """Step 0, `n_steps`, and `n_checkpoints` - 2 distinct steps between, in geometric growth.

    Learning is fast at first, and equal distances would miss most of the learning. A repeated whole
    number is replaced by the next number.
    """
    if n_checkpoints < 2 or n_checkpoints > n_steps + 1:
        raise ValueError(f"{n_checkpoints} checkpoints in {n_steps} steps")
    # From above, so that a single one is the last step.
    wanted = np.rint(np.geomspace(n_steps, 1, n_checkpoints - 1)[::-1]).astype(int)
    floor = np.arange(1, n_checkpoints)  # at least 1, 2, 3, …
    return [0, *np.maximum(wanted, floor).tolist()]


def learning_rate(step: int, *, peak: float, n_warmup_steps: int, n_steps: int) -> float:
    """The learning rate after `step` steps: linear up to `peak`, then linear down to 0.

    As in transformers' `get_linear_schedule_with_warmup`, except for the first step, which moves
    the weights only here.
    """
    if step < n_warmup_steps:
        return peak * (step + 1) / n_warmup_steps
    return peak * (n_steps - step) / (n_steps - n_warmup_steps)

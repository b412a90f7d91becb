"""Schedules the steps that are kept, and the learning rate."""

import numpy as np


def checkpoint_steps(n_steps: int, n_checkpoints: int) -> list[int]:
    """Step 0, `n_steps`, and between them `n_checkpoints` - 2 that grow by a factor, all different.

    Learning is fast at first, so equal distances would miss most of it. Where a factor would give
    the same whole number twice, the next one is taken.
    """
    if n_checkpoints < 2 or n_checkpoints > n_steps + 1:
        raise ValueError(f"{n_checkpoints} checkpoints in {n_steps} steps")
    # From above, so that a single one is the last step.
    wanted = np.rint(np.geomspace(n_steps, 1, n_checkpoints - 1)[::-1]).astype(int)
    floor = np.arange(1, n_checkpoints)  # at least 1, 2, 3, …
    return [0, *np.maximum(wanted, floor).tolist()]


def learning_rate(step: int, *, peak: float, n_warmup_steps: int, n_steps: int) -> float:
    """The rate of the step after `step` steps: in a line up to `peak`, then down to 0.

    As `get_linear_schedule_with_warmup` of transformers has it, but for the first step, which
    moves the weights here and does not there.
    """
    if step < n_warmup_steps:
        return peak * (step + 1) / n_warmup_steps
    return peak * (n_steps - step) / (n_steps - n_warmup_steps)

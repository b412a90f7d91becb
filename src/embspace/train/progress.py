"""What a user sees of training that takes minutes."""

import sys
import time
from collections.abc import Sequence


class Progress:
    """Lines with the step, the loss and the time left, one a checkpoint.

    Lines, and no bar: seeds train side by side, and two bars in one place read badly.
    """

    def __init__(self, what: str, first_step: int, n_steps: int) -> None:
        self._what, self._first, self._n_steps = what, first_step, n_steps
        self._began = time.monotonic()
        if first_step:
            self._say(f"goes on from step {first_step} of {n_steps}")

    def tell(self, step: int, losses: Sequence[float]) -> None:
        """Say that `step` steps are done, the last with these losses."""
        left = (time.monotonic() - self._began) / (step - self._first) * (self._n_steps - step)
        loss = sum(losses) / len(losses)
        self._say(f"step {step} of {self._n_steps}, loss {loss:.3f}, {left:.0f} s left")

    def _say(self, text: str) -> None:
        print(f"{self._what}: {text}", file=sys.stderr, flush=True)

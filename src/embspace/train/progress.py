"""What a user sees of training that takes minutes."""

import sys
import time

LONGEST_SILENCE_S = 10.0


class Progress:
    """Lines with the step, the loss and the time left: one a checkpoint, and between, at times.

    Lines, and no bar: seeds train side by side, and two bars in one place read badly.
    """

    def __init__(self, what: str, first_step: int, n_steps: int) -> None:
        self._what, self._first, self._n_steps = what, first_step, n_steps
        self._began = self._told = time.monotonic()
        self._losses: list[float] = []
        if first_step:
            self._say(f"goes on from step {first_step} of {n_steps}")

    def tell(self, step: int, loss: float, *, is_kept: bool) -> None:
        """Say that `step` steps are done, with the mean loss since the last line.

        Of a step that is not kept as a checkpoint only if nothing was said for a while.
        """
        self._losses.append(loss)
        now = time.monotonic()
        if not is_kept and now - self._told < LONGEST_SILENCE_S:
            return
        left = (now - self._began) / (step - self._first) * (self._n_steps - step)
        mean = sum(self._losses) / len(self._losses)
        self._say(f"step {step} of {self._n_steps}, loss {mean:.3f}, {left:.0f} s left")
        self._told, self._losses = now, []

    def _say(self, text: str) -> None:
        print(f"{self._what}: {text}", file=sys.stderr, flush=True)

"""Limits how much a visitor may send, and how often."""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from embspace.errors import InputError

MOST_CHARACTERS = 2000  # of one text
MOST_PAIRS = 50  # of one list
MOST_REQUESTS, PER_SECONDS = 60, 60.0  # of one visitor
MOST_VISITORS = 10_000  # remembered at once


def check_length(text: str, what: str, *, most: int = MOST_CHARACTERS) -> str:
    """Return the text.

    Raises:
        InputError: if the text has more than `most` characters.
    """
    if len(text) > most:
        raise InputError(f"{what}: found {len(text):,} characters, allowed: {most:,} at most")
    return text


class RateLimit:
    """Counts the requests of every visitor over the last seconds, from all threads."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most, self.seconds, self.clock = most, seconds, clock
        self._times: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = Lock()

    def take(self, visitor: str) -> None:
        """Count a request.

        Raises:
            InputError: if the visitor has sent too many.
        """
        now = self.clock()
        with self._lock:
            recent = [at for at in self._times.pop(visitor, []) if now - at < self.seconds]
            is_allowed = len(recent) < self.most
            self._times[visitor] = [*recent, now] if is_allowed else recent
            while len(self._times) > MOST_VISITORS:
                self._times.popitem(last=False)
        if not is_allowed:
            wait = max(1, round(self.seconds - (now - recent[0])))
            raise InputError(
                f"found more than {self.most} requests in {self.seconds:g} seconds; "
                f"wait {wait} seconds"
            )

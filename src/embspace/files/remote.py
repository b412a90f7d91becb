"""Files that a user names by path or http(s) address; addresses are read with patience."""

import http.client
import math
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from embspace.errors import InputError

TRIES = 3
SECONDS = 30.0
PATIENCE = 60.0  # who asks for a longer wait is not asked again
LONG, SLOWEST = 60.0, 1000  # after so many seconds, fewer bytes in each are too few
CHUNK = 2**16
BUSY = {429, 500, 502, 503, 504}
OFFLINE = "without a network, download it elsewhere and give the path of the file"


@dataclass(frozen=True)
class Limits:
    """The largest number of bytes and seconds accepted from a server."""

    n_bytes: float
    seconds: float


FILE = Limits(2**30, math.inf)  # which is held in memory
ANSWER = Limits(2**26, 300.0)  # of an API: a page or a listing, of a few megabytes at most


def is_address(path: str) -> bool:
    """Whether `path` is an http(s) address, and no path of a file."""
    return path.startswith(("http://", "https://"))


def local_path(path: str) -> Path:
    """The path given by a user, with `~` and `~name` replaced by home folders.

    Raises:
        InputError: if no file can have such a name, or the home folder does not exist.
    """
    if "\0" in path:
        raise InputError(f"{path!r}: found a NUL character, which no path may hold")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise InputError(f"{path}: found no home folder for {Path(path).parts[0]}") from None


def read_file_or_address(path: str) -> bytes:
    """The bytes of a local file or of an http(s) address.

    Raises:
        InputError: naming the file or address and the reason.
    """
    if is_address(path):
        return fetch(path)
    try:
        return local_path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def fetch(
    address: str,
    *,
    query: Mapping[str, str] | None = None,
    contact: str | None = None,
    pause: float = 1.0,
    offline: str = OFFLINE,
    limits: Limits = FILE,
) -> bytes:
    """The bytes at an address, all or none.

    Repeated when the server is busy or the connection is cut, after `pause` seconds, then twice
    `pause`, or after the longer time requested by the server. Proxies come from the environment.
    `contact` introduces us to the server, `offline` tells a user the alternative.

    Raises:
        InputError: naming the address, the reason, and the way without a network; also for more
            bytes than `limits` allows.
    """
    address = f"{address}?{urlencode(query)}" if query else address
    agent = f"embspace/0.1 ({contact or 'research on embedding spaces'})"
    request = urllib.request.Request(address, headers={"User-Agent": agent})
    for attempt in range(TRIES):
        wait = 0.0
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return _whole(answer, Pace(address, limits))
        except urllib.error.HTTPError as error:
            reason, again = f"{error.code} {error.reason}", error.code in BUSY
            wait = _retry_after(error)
        except (http.client.InvalidURL, UnicodeError) as error:
            reason, again = str(error), False
        except (OSError, http.client.HTTPException) as error:  # no network, a cut connection
            reason, again = str(getattr(error, "reason", error)), True
        if wait > PATIENCE:
            reason, again = f"{reason}; it asks to wait for {wait:.0f} seconds", False
        if not again or attempt == TRIES - 1:
            break
        time.sleep(max(wait, pause * 2**attempt))
    raise InputError(f"{address}: cannot be read: {reason}; {offline}")


class Pace:
    """Detects a server that sends almost nothing, or without end.

    A time-out restarts with every byte, and detects neither.
    """

    def __init__(self, address: str, limits: Limits) -> None:
        self._address, self._limits = address, limits
        self._start, self._n_bytes = time.monotonic(), 0

    def count(self, n_bytes: int) -> None:
        """Count bytes that have come.

        Raises:
            InputError: after `LONG` seconds with fewer than `SLOWEST` bytes in each, and beyond the
                limits.
        """
        self._n_bytes += n_bytes
        seconds = time.monotonic() - self._start
        if self._n_bytes > self._limits.n_bytes:
            raise InputError(
                f"{self._address}: sent {self._n_bytes:,} bytes and goes on, allowed: "
                f"{self._limits.n_bytes:,}; look at what is there, or whether the address is right"
            )
        slow = seconds > LONG and self._n_bytes < SLOWEST * seconds
        if slow or seconds > self._limits.seconds:
            raise InputError(
                f"{self._address}: sent {self._n_bytes:,} bytes in {seconds:.0f} seconds; try "
                "again when the server or the network is faster"
            )


def _whole(answer: http.client.HTTPResponse, pace: Pace) -> bytes:
    parts = []
    while part := answer.read1(CHUNK):
        parts.append(part)
        pace.count(len(part))
    content = b"".join(parts)
    if answer.length:  # as read() itself does, which read1() leaves to its callers
        raise http.client.IncompleteRead(content, answer.length)
    return content


def _retry_after(error: urllib.error.HTTPError) -> float:
    """Return how many seconds a busy server asks to wait; 0 for no number, or a date."""
    value = error.headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else 0.0

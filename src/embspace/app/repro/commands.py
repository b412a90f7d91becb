"""Starts the commands of stages, hands on printed lines at once, and ends the commands."""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Thread, current_thread, main_thread
from time import monotonic
from typing import IO

PATIENCE = 20.0  # seconds in which a command that was told to end has to end
DRAIN = 1.0  # seconds to wait for lines of a command that has ended, but left a process


@dataclass(frozen=True)
class Line:
    """A line that a command printed."""

    stage: str
    text: str


@dataclass(frozen=True)
class End:
    """The end of a command; the status is negative if a signal ended it."""

    stage: str
    status: int
    at: float = field(default=0.0, compare=False)
    """By the monotonic clock."""


class Command:
    """A stage's command, in a separate process group."""

    def __init__(
        self,
        stage: str,
        arguments: list[str],
        folder: Path,
        environment: Mapping[str, str],
        held: int,
        news: "Queue[Line | End]",
    ) -> None:
        """Start the command; lines and end come to `news`.

        Args:
            stage: Name to print with lines and end.
            arguments: The program and the arguments.
            folder: Working directory.
            environment: All environment variables.
            held: A file descriptor to keep open: the lock of the tree, in case this process is
                killed while the command goes on.
            news: Queue for lines and end.
        """
        self._process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=[held],
            # Ctrl-C reaches this process alone, which then ends the commands one by one.
            start_new_session=True,
        )
        assert self._process.stdout is not None  # it is a pipe
        reader = Thread(target=_read, args=(stage, self._process.stdout, news), daemon=True)
        reader.start()
        Thread(target=_wait, args=(stage, self._process, reader, news), daemon=True).start()

    def end(self) -> None:
        """Tell all processes of the command to end."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)

    def wait(self) -> None:
        """Wait for the end; kill whatever is still running after `PATIENCE` seconds."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _read(stage: str, lines: IO[str], news: "Queue[Line | End]") -> None:
    for line in lines:
        news.put(Line(stage, line.rstrip("\n")))


def _wait(
    stage: str, process: "subprocess.Popen[str]", reader: Thread, news: "Queue[Line | End]"
) -> None:
    status, at = process.wait(), monotonic()
    reader.join(DRAIN)
    news.put(End(stage, status, at))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait: their handlers may raise between a start and its record."""
    if current_thread() is not main_thread():  # where no handler runs
        yield
        return
    received = list[int]()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in ours:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])

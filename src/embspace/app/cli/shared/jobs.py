"""Defines the option `--jobs`, and ends a command and its stages when a signal comes."""

import os
import signal
import sys
from contextlib import suppress
from typing import Annotated

import typer

JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        help="How many stages run at once; without it, one a core while memory is free.",
        show_default=False,
    ),
]


def end_on_signals() -> None:
    """Let SIGTERM and Ctrl-C end the command and the running stages."""
    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, _frame: object) -> None:
    with suppress(OSError):  # not by `echo`, which may be at work when the signal comes
        os.write(2, b"ended; what is computed is kept\n")
    sys.exit(128 + number)

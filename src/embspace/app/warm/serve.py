"""Runs each Python that is asked for in a fork of a process that has imported libraries beforehand.

A program of its own, which `embspace.app.warm.python` starts by this file's path: nothing of
embspace is imported before a fork, so that each has the modules of its own tree, as they are then.
"""

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from select import select
from typing import Any, NamedTuple

# What all stages import, and then what all drawings do.
EVERYWHERE: tuple[str, ...] = ("hydra", "pandas", "pydantic", "pyarrow.parquet", "scipy.stats")
EVERYWHERE += ("matplotlib.pyplot", "seaborn")
# What some import: from the first of them on, so that a run that needs no torch waits for none.
ON_DEMAND = (
    "torch",
    "transformers",
    "sklearn.linear_model",
    "umap",
    "openTSNE",
    "ruptures",
)
PR_SET_PDEATHSIG = 1  # of prctl(2)


class Fork(NamedTuple):
    """Holds the module that a fork runs, and where it reports."""

    arguments: list[str]
    """The module, and what follows it."""
    report: int
    """The file to which it writes what it has imported."""


def serve(listener: socket.socket, on_interrupt: Any) -> Fork:
    """Fork for each call, one after the other; return what to be, in the fork alone.

    `on_interrupt` is what a fork does at SIGINT.
    """
    wanted = [*EVERYWHERE]
    while sys.stdin not in _ready([listener, sys.stdin], wanted):
        connection, _ = listener.accept()
        with connection:
            if (call := _read_call(connection)) is None:
                continue
            told, report = os.pipe()
            gc.freeze()  # else a collection writes to the memory that forks share
            child = os.fork()
            if not child:
                return Fork(_become(call, on_interrupt), report)
            for file in (*call["files"], report):
                os.close(file)
            ended = os.pidfd_open(child)
            if connection in _ready([connection, ended], wanted):  # who called has ended
                _terminate(child)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            os.close(ended)
            wanted += [each for each in _read(told) if each not in {*wanted, *sys.modules}]
            with suppress(OSError):
                connection.sendall(str(status if status >= 0 else 128 - status).encode())
    sys.exit()


def _read_call(connection: socket.socket) -> dict[str, Any] | None:
    """Return what a call says of itself, with its files; None if its caller has ended before."""
    files = list[int]()
    with suppress(OSError, ValueError):
        _, files, *_ = socket.recv_fds(connection, 1, 3)
        return {**json.loads(connection.makefile(encoding="utf-8").readline()), "files": files}
    for file in files:
        os.close(file)
    return None


def _ready(watched: list[Any], wanted: list[str]) -> list[Any]:
    """Import what is wanted until something can be read; return what."""
    while not (found := select(watched, [], [], 0)[0]):
        if not wanted:
            return select(watched, [], [])[0]
        with suppress(Exception):  # a stage that needs it says what is wrong
            import_module(wanted.pop(0))
    return found


def _terminate(child: int) -> None:
    """End a fork and what it has started, as all that a terminal or a session has would end."""
    from psutil import NoSuchProcess, Process

    with suppress(NoSuchProcess):
        started = Process(child).children(recursive=True)
        for process in (*started, Process(child)):
            with suppress(NoSuchProcess):
                process.terminate()


def _read(told: int) -> list[str]:
    """Return the names that a fork has told, without waiting for what it has left running."""
    os.set_blocking(told, False)
    with os.fdopen(told, "rb", buffering=0) as lines:
        return (lines.read() or b"").decode().split()


def _become(call: dict[str, Any], on_interrupt: Any) -> list[str]:
    """Take what a call has: its input and outputs, folder, environment; return its arguments."""
    signal.signal(signal.SIGINT, on_interrupt)
    # Else it would go on alone when the process from which it is forked is killed.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    for number, file in enumerate(call["files"]):
        os.dup2(file, number)
        os.close(file)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    paths = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [str(Path.cwd()), *map(os.path.abspath, paths)]  # as `python -m` begins
    return list(call["arguments"])


def main(listener: socket.socket) -> None:
    """Serve; then be what is called, in one fork a call."""
    # Ctrl-C reaches all processes of a terminal; the calls end by it, and then so does this one.
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    (module, *sys.argv[1:]), report = serve(listener, on_interrupt)
    listener.close()
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        os.write(report, " ".join(each for each in ON_DEMAND if each in sys.modules).encode())


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))

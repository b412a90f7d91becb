"""Be each Python that is asked for, in a fork of a process that has imported the libraries.

A program of its own, which `embspace.app.warm.python` starts by this file's path: nothing of
embspace is imported before a fork, so that each has the modules of its own tree, as they are then.
"""

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


class Call(NamedTuple):
    """What a fork is to be."""

    arguments: list[str]
    """The module, and what follows it."""
    report: int
    """The file to which it writes what it has imported, open until it ends."""


def serve(listener: socket.socket) -> Call:
    """Fork for each call, one after the other; return the call, in the fork alone."""
    wanted = [*EVERYWHERE]
    while sys.stdin not in _ready([listener, sys.stdin], wanted):
        connection, _ = listener.accept()
        with connection:
            _, files, *_ = socket.recv_fds(connection, 1, 3)
            call = json.loads(connection.makefile(encoding="utf-8").readline())
            told, report = os.pipe()
            gc.freeze()  # else a collection writes to the memory that forks share
            child = os.fork()
            if not child:
                return Call(_become(call, files), report)
            for file in (*files, report):
                os.close(file)
            if connection in _ready([connection, told], wanted):  # who called has ended
                os.kill(child, signal.SIGTERM)
            with os.fdopen(told, encoding="ascii") as lines:
                imported = lines.read().split()
            wanted += [each for each in imported if each not in {*wanted, *sys.modules}]
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            with suppress(OSError):
                connection.sendall(str(status if status >= 0 else 128 - status).encode())
    sys.exit()


def _ready(watched: list[Any], wanted: list[str]) -> list[Any]:
    """Import what is wanted until something can be read; return what."""
    while not (found := select(watched, [], [], 0)[0]):
        if not wanted:
            return select(watched, [], [])[0]
        with suppress(Exception):  # a stage that needs it says what is wrong
            import_module(wanted.pop(0))
    return found


def _become(call: dict[str, Any], files: list[int]) -> list[str]:
    """Take what a call has: its input and outputs, folder, environment; return its arguments."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(files):
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    (module, *sys.argv[1:]), report = serve(listener)
    listener.close()
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        os.write(report, " ".join(each for each in ON_DEMAND if each in sys.modules).encode())


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))

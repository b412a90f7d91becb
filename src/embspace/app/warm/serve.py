"""Runs Python calls in forks of a process with preloaded libraries.

A separate program, started by `embspace.app.warm.python` by the path of this file: nothing of
embspace is imported before a fork, and a fork has the modules of the caller's tree, as of the call.
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
    """Holds the module that a fork runs, and where it reports its imports."""

    arguments: list[str]
    """The module, and the arguments behind."""
    report: int
    """The file to which the fork writes the names of what it has imported."""


class Call(NamedTuple):
    """Holds a fork that runs, and the connection to its caller."""

    child: int
    """The number of the fork's process."""
    connection: socket.socket | None
    """To the caller; None after the caller's end."""
    ended: int
    """A file, readable after the fork's end."""
    imported: int
    """The file with the names of the fork's imports."""

    def finish(self) -> list[str]:
        """Take the fork's status, report the status to the caller; return the fork's imports."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        imported = _read(self.imported)
        os.close(self.ended)
        if self.connection:
            with suppress(OSError), self.connection:
                self.connection.sendall(str(status if status >= 0 else 128 - status).encode())
        return imported

    def close(self) -> None:
        """Close the files of this call, in the fork of another one."""
        os.close(self.ended)
        os.close(self.imported)
        if self.connection:
            self.connection.close()


def serve(listener: socket.socket, on_interrupt: Any) -> Fork:
    """Fork for every call, while others run; return what the fork is to run, in the fork alone.

    `on_interrupt` is the handler of SIGINT in a fork.
    """
    wanted, calls = [*EVERYWHERE], list[Call]()
    while True:
        files = [file for call in calls for file in (call.connection, call.ended) if file]
        ready = _ready([listener, sys.stdin, *files], wanted)
        if sys.stdin in ready:
            for call in calls:
                _terminate(call.child)
            sys.exit()
        for call in [*calls]:
            if call.ended in ready:
                calls.remove(call)
                wanted += [name for name in call.finish() if name not in {*wanted, *sys.modules}]
            elif call.connection and call.connection in ready:  # who called has ended
                _terminate(call.child)
                call.connection.close()
                calls[calls.index(call)] = call._replace(connection=None)
        if listener in ready and (fork := _answer(listener, calls, on_interrupt)):
            return fork


def _answer(listener: socket.socket, calls: list["Call"], on_interrupt: Any) -> Fork | None:
    """Fork for a call, which joins `calls`; return what the fork is to run, in the fork alone."""
    connection, _ = listener.accept()
    if (call := _read_call(connection)) is None:
        connection.close()
        return None
    imported, report = os.pipe()
    gc.freeze()  # else a collection writes to the memory that forks share
    child = os.fork()
    if not child:
        for other in calls:
            other.close()
        connection.close()
        os.close(imported)
        return Fork(_become(call, on_interrupt), report)
    for file in (*call["files"], report):
        os.close(file)
    calls.append(Call(child, connection, os.pidfd_open(child), imported))
    return None


def _read_call(connection: socket.socket) -> dict[str, Any] | None:
    """Return the content of a call, with its files; None if the caller has ended before."""
    files = list[int]()
    with suppress(OSError, ValueError):
        _, files, *_ = socket.recv_fds(connection, 1, 3)
        return {**json.loads(connection.makefile(encoding="utf-8").readline()), "files": files}
    for file in files:
        os.close(file)
    return None


def _ready(watched: list[Any], wanted: list[str]) -> list[Any]:
    """Import wanted modules until a file is readable; return the readable files."""
    while not (readable := select(watched, [], [], 0)[0]):
        if not wanted:
            return select(watched, [], [])[0]
        with suppress(Exception):  # a stage that needs it says what is wrong
            import_module(wanted.pop(0))
    return readable


def _terminate(child: int) -> None:
    """End a fork and all processes it has started, as the end of a terminal or a session would."""
    from psutil import NoSuchProcess, Process

    with suppress(NoSuchProcess):
        started = Process(child).children(recursive=True)
        for process in (*started, Process(child)):
            with suppress(NoSuchProcess):
                process.terminate()


def _read(imported: int) -> list[str]:
    """Return the names reported by a fork, without waiting for the fork's running children."""
    os.set_blocking(imported, False)
    with os.fdopen(imported, "rb", buffering=0) as lines:
        return (lines.read() or b"").decode().split()


def _become(call: dict[str, Any], on_interrupt: Any) -> list[str]:
    """Take over the input, outputs, folder and environment of a call; return its arguments."""
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
    """Serve; then, in a fork for every call, run the module that was called."""
    # Ctrl-C reaches all processes of a terminal; the calls end by it, and then so does this one.
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    (module, *sys.argv[1:]), report = serve(listener, on_interrupt)
    listener.close()
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        os.write(report, " ".join(name for name in ON_DEMAND if name in sys.modules).encode())


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))

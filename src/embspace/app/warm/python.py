"""A command `python` that starts at once: a call forks a process that has imported already.

Importing torch, umap or matplotlib takes longer than many stages compute.
"""

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

# Set to anything, each stage starts a Python of its own, and imports for itself what it needs.
COLD = "EMBSPACE_COLD"
SERVER = Path(__file__).with_name("serve.py")
# A stage reads no hub, and `embspace.models` says so before it imports these libraries.
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
PATIENCE = 20.0  # seconds in which a stage that was ended has to end

# What stands in the place of `python`. Only `-m` goes to the warm process, which gets the signals
# of a terminal, too; its status is awaited. Without that process Python itself is called, and so by
# what a call calls, for whose end that process would wait. The first lines are of a shell and, to
# Python, a string: a path after `#!` may have no spaces.
CLIENT = """#!/bin/sh
'''exec' {python} -IS "$0" "$@"
' '''
import json, os, signal, socket, sys
cold = [sys.executable, *sys.argv[1:]]
folder, _, rest = os.environ["PATH"].partition(os.pathsep)
environment = {{**os.environ, "PATH": rest}} if folder == {folder!r} else dict(os.environ)
if sys.argv[1:2] != ["-m"]:
    os.execve(cold[0], cold, environment)
with socket.socket(socket.AF_UNIX) as server:
    try:
        server.connect({folder!r} + "/socket")
    except OSError:
        os.execve(cold[0], cold, environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    call = {{"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": environment}}
    try:
        socket.send_fds(server, [b"."], [0, 1, 2])
        server.sendall(json.dumps(call).encode() + b"\\n")
        status = server.recv(16)
    except OSError:
        status = b""
    if not status:
        sys.exit(
            "error: the process that runs the stages was ended from outside, perhaps for want of "
            "memory; with {cold}=1 in the environment, stages run without it"
        )
    sys.exit(int(status))
"""


@contextmanager
def warm_python(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield an environment where `python -m` forks a process with preloaded imports.

    The process first imports the modules of most stages, then, while calls run, the modules of
    earlier calls. Calls run side by side. Ending a call ends the fork and all child processes; if
    this process is killed, all calls end. The environment is unchanged if `EMBSPACE_COLD` is set,
    if no command can lie in the folder for temporary files, and except on Linux, where libraries
    may be forked.
    """
    with ExitStack() as stack:
        given, server = {**environment}, None
        if sys.platform == "linux" and not environment.get(COLD):
            with suppress(OSError):
                folder = stack.enter_context(TemporaryDirectory())
                server = _server_in(Path(folder), environment)
                path = filter(None, [folder, environment.get("PATH")])
                given["PATH"] = os.pathsep.join(path)
        try:
            yield given
        except BaseException:
            _end(server, after_a_call=True)
            raise
        _end(server, after_a_call=False)


def _server_in(folder: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start the process that answers calls of `python` in a folder.

    Raises:
        OSError: if the folder's path is too long for a socket, no file in the folder may be
            executed, or the system's kernel has no way to wait for several events at once.
    """
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise PermissionError(folder)
    os.close(os.pidfd_open(os.getpid()))  # Linux 5.3
    command, python = folder / "python", shlex.quote(sys.executable)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/socket")
        listener.listen()
        text = CLIENT.format(python=python, folder=str(folder), cold=COLD)
        command.write_text(text, encoding="utf-8")
        command.chmod(0o755)
        return subprocess.Popen(
            [sys.executable, "-P", str(SERVER), str(listener.fileno())],
            env={**OFFLINE, **environment, "PYTHONPATH": ""},
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,  # at whose end the process ends, too, and what it runs
            # Libraries may warn when they are imported, and Python of a fork beside threads, of
            # which none is at work.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def _end(server: "subprocess.Popen[bytes] | None", *, after_a_call: bool) -> None:
    """End the process: now, or after a call that should be about to end."""
    if server is None:
        return
    assert server.stdin is not None  # it is a pipe
    server.stdin.close()
    if not after_a_call:
        server.terminate()
    with suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE)

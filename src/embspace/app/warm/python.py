"""A command `python` that starts at once: each call is a fork of a process with all libraries.

To import torch, umap or matplotlib takes longer than many a stage computes.
"""

import os
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

# What stands in the place of `python`. Only `-m` goes to the warm process, which gets the signals
# of a terminal, too; its status is awaited. Without that process Python itself is called.
CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
cold = [{python!r}, *sys.argv[1:]]
if sys.argv[1:2] != ["-m"]:
    os.execv(cold[0], cold)
with socket.socket(socket.AF_UNIX) as server:
    try:
        server.connect({address!r})
    except OSError:
        os.execv(cold[0], cold)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    call = {{"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps(call).encode() + b"\\n")
    status = server.recv(16)
    if not status:
        sys.exit("error: the process that runs the stages was ended from outside")
    sys.exit(int(status))
"""


@contextmanager
def warm_python(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield an environment in which `python -m` is a fork of a process that imports beforehand.

    The process imports at once what most stages need, and, while calls run, what earlier ones
    needed. Calls wait for each other; a call that is ended ends its fork. The environment stays as
    it is where `EMBSPACE_COLD` is set, where no command can lie in the folder for temporary files,
    and elsewhere than on Linux, whose libraries may be forked.
    """
    with ExitStack() as stack:
        server = None
        if sys.platform == "linux" and not environment.get(COLD):
            with suppress(OSError):
                folder = stack.enter_context(TemporaryDirectory())
                server = _server_in(Path(folder), environment)
        path = [*([folder] if server else ()), environment.get("PATH", "")]
        try:
            yield {**environment, "PATH": os.pathsep.join(path)}
        except BaseException:
            _end(server, after_a_call=True)
            raise
        _end(server, after_a_call=False)


def _server_in(folder: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    """Start the process, which answers to `python` in a folder.

    Raises:
        OSError: if the folder's path is too long for a socket, or nothing in it may be executed.
    """
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise PermissionError(folder)
    command, address = folder / "python", f"{folder}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        command.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        command.chmod(0o755)
        return subprocess.Popen(
            [sys.executable, "-P", str(SERVER), str(listener.fileno())],
            env={**environment, **OFFLINE, "PYTHONPATH": ""},
            pass_fds=[listener.fileno()],
            stdin=subprocess.PIPE,  # at whose end the process ends, too, after a running call
        )


def _end(server: "subprocess.Popen[bytes] | None", *, after_a_call: bool) -> None:
    """End the process: now, or after a call that may still run, for which nobody waits."""
    if server is None:
        return
    assert server.stdin is not None  # it is a pipe
    server.stdin.close()
    if not after_a_call:
        server.terminate()
        server.wait()

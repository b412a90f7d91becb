"""A command `python` that starts at once: each call is a fork of a process with all libraries.

To import torch, umap or matplotlib takes longer than most stages of a small model compute.
"""

import gc
import json
import os
import runpy
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import Any

LIBRARIES = ("hydra", "matplotlib.pyplot", "openTSNE", "pandas", "pyarrow.parquet", "ruptures")
LIBRARIES += ("scipy.stats", "seaborn", "sklearn.linear_model", "torch", "transformers", "umap")

# What stands in the place of `python`. Only `-m` goes to the warm process.
CLIENT = """#!{python} -IS
import json, os, socket, sys
if sys.argv[1:2] != ["-m"]:
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    call = {{"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps(call).encode() + b"\\n")
    sys.exit(int(server.recv(16) or b"1"))
"""


@contextmanager
def warm_python(environment: dict[str, str]) -> Iterator[str]:
    """Yield a PATH on which `python -m` is a fork of a process that has imported the libraries.

    Calls wait for each other; who ends a call early does not end its fork. Nothing of embspace is
    imported before: each call has the modules of its own tree, as they are then.
    """
    with TemporaryDirectory() as folder:
        command, address = Path(folder, "python"), f"{folder}/socket"
        command.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        command.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen()
            server = subprocess.Popen(
                [sys.executable, "-P", __file__, str(listener.fileno())],
                env={**environment, "PYTHONPATH": ""},
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,  # at whose end the server ends, too
            )
        with server:
            yield f"{folder}{os.pathsep}{environment['PATH']}"


def serve(listener: socket.socket) -> list[str]:
    """Fork for each call; return its arguments, in the fork alone."""
    while sys.stdin not in select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        with connection:
            _, files, *_ = socket.recv_fds(connection, 1, 3)
            call = json.loads(connection.makefile(encoding="utf-8").readline())
            child = os.fork()
            if not child:
                return _become(call, files)
            for file in files:
                os.close(file)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            connection.sendall(str(status if status >= 0 else 128 - status).encode())
    sys.exit()


def _become(call: dict[str, Any], files: list[int]) -> list[str]:
    """Take what a call has: its input and outputs, folder, environment; return its arguments."""
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
    """Import the libraries; then be what is called, in one fork a call."""
    for library in LIBRARIES:
        import_module(library)
    gc.freeze()
    module, *sys.argv[1:] = serve(listener)
    listener.close()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))

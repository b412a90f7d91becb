"""Runs a command in which `python -m` starts at once: `python -m tests.warm_command make`.

CI's two recomputations start some hundred stages, each of which would import the same libraries.
"""

import subprocess
import sys

from embspace.app.repro import environment
from tests.warm_python import warm_python

if __name__ == "__main__":
    given = environment()  # with the kernels, which libraries read when they are imported
    with warm_python(given) as path:
        sys.exit(subprocess.run(sys.argv[1:], env={**given, "PATH": path}).returncode)

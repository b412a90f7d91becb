"""Runs a command in which `python -m` starts at once: `python -m tests.warm_command make`.

CI's two recomputations start some hundred stages, each of which would import the same libraries. A
library that a stage forgets to import is missed by `.ci/nightly`, whose stages start cold.
"""

import subprocess
import sys

from embspace.app.repro import environment
from tests.warm_python import warm_python

if __name__ == "__main__":
    given = environment()  # with the kernels, which libraries read when they are imported
    # A stage reads no hub, as `embspace.models` sees to before these libraries are imported.
    with warm_python({**given, "HF_HUB_OFFLINE": "1"}) as path:
        sys.exit(subprocess.run(sys.argv[1:], env={**given, "PATH": path}).returncode)

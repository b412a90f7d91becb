"""Runs a command with the warm `python`: `python -m tests.warm_command .ci/layers-and-training`.

What starts many stages one by one would import the same libraries for each.
"""

import subprocess
import sys

from embspace.app.repro.environment import environment
from embspace.app.warm.python import warm_python

if __name__ == "__main__":
    with warm_python(environment()) as given:
        sys.exit(subprocess.run(sys.argv[1:], env=given).returncode)

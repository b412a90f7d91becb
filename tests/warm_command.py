"""Runs a command in which `python -m` starts at once: `python -m tests.warm_command make`.

What starts many stages one by one, as .ci/layers-and-training does, would import the same libraries
for each.
"""

import subprocess
import sys

from embspace.app.repro import environment
from embspace.app.warm.python import warm_python

if __name__ == "__main__":
    with warm_python(environment()) as given:
        sys.exit(subprocess.run(sys.argv[1:], env=given).returncode)

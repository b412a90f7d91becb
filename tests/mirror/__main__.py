"""Print what breaks the mirror of the tree in the current folder."""

import sys
from pathlib import Path

from tests.mirror import problems

sys.exit("\n".join(problems(Path.cwd())) or 0)

"""Print which numbers of the prose do not hold, in the current folder; fill them with `--fill`."""

import sys
from pathlib import Path

from tests.prose import fill, problems

if sys.argv[1:] == ["--fill"]:
    fill(Path.cwd())
sys.exit("\n".join(problems(Path.cwd(), "results")) or 0)

"""Measures how slow the machine is now, beside the one on which stages were timed."""

import subprocess
import sys
from time import monotonic

ROUNDS = 2_000_000
USUAL = 0.30  # seconds of the processor that the loop took on an AMD EPYC of 2 cores
LONGEST = 30.0  # seconds to wait
LOOP = f"""
from time import monotonic
began, x = monotonic(), 0
for number in range({ROUNDS}):
    x += number * number % 7
print(monotonic() - began)
"""


def slowness(jobs: int) -> float:
    """Return how many times the usual time a loop takes, run as often at once as `jobs`.

    So many processes share the cores with each other, and with what else runs, as stages will.
    1 where it cannot be measured.
    """
    loops = [
        subprocess.Popen([sys.executable, "-S", "-c", LOOP], stdout=subprocess.PIPE, text=True)
        for _ in range(jobs)
    ]
    seconds, deadline = [], monotonic() + LONGEST
    for loop in loops:
        try:
            seconds.append(float(loop.communicate(timeout=max(0.1, deadline - monotonic()))[0]))
        except subprocess.TimeoutExpired:
            seconds.append(LONGEST)
        except ValueError:
            pass  # it could not run at all
        loop.kill()
        loop.wait()
    return sum(seconds) / len(seconds) / USUAL if seconds else 1.0

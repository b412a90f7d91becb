"""Measures the present speed of the machine, relative to the machine of the timed stages."""

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
    """Return how many times its usual time a loop takes, while `jobs` such loops run at once.

    The loops share the cores with each other and with whatever else runs, as stages will. The
    result is 1 if nothing can be measured.
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

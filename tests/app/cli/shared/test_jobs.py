import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[3] / "src"
WAITS = """
import signal
import time
from embspace.app.cli.shared.jobs import end_on_signals

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
end_on_signals()
try:
    print("waits", flush=True)
    time.sleep(600)
finally:
    print("cleared up", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_after_it_has_cleared_up(number: signal.Signals):
    with subprocess.Popen(
        [sys.executable, "-c", WAITS],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout and process.stdout.readline() == "waits\n"
        process.send_signal(number)
        said, problems = process.communicate(timeout=60)
    assert (said, problems) == ("cleared up\n", "ended; what is computed is kept\n")
    assert process.returncode == 128 + number

"""How slow the machine is, by a loop of Python."""

import subprocess
import sys

import pytest

from embspace.app.reporting import slowness as module
from embspace.app.reporting.slowness import slowness


def test_a_loop_twice_as_long_is_twice_as_slow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LOOP", "print(0.6)")
    assert slowness(2) == pytest.approx(0.6 / module.USUAL)


def test_the_loop_says_its_own_seconds(monkeypatch: pytest.MonkeyPatch):
    short = module.LOOP.replace(str(module.ROUNDS), "1000")
    monkeypatch.setattr(module, "LOOP", short)
    assert 0 < slowness(1) < 1
    said = subprocess.run([sys.executable, "-c", short], capture_output=True, text=True, check=True)
    assert float(said.stdout) > 0


def test_what_cannot_be_measured_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LOOP", "raise SystemExit")
    assert slowness(2) == 1.0

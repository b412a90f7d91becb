import sys

import numpy as np
import pytest

from benchmarks.__main__ import DADAPY, DADAPY_PYTHON, about_dadapy, contestants, report, run
from benchmarks.contestants import CONTESTANTS, skdim_two_nn, two_nn
from embspace.errors import InputError

SIDE = {"seconds": 1.0, "peak_rss_mib": 100.0, "dimension": 2.0}


def test_without_a_python_of_its_own_dadapy_is_left_out_and_the_foot_says_so(monkeypatch):
    monkeypatch.delenv(DADAPY_PYTHON, raising=False)
    assert set(CONTESTANTS) - set(contestants()) == {DADAPY}
    page = report({"two_nn": SIDE, "skdim_two_nn": SIDE}, about_dadapy())
    assert page.count("TwoNN, graph included") == 1
    assert "DADApy is left out, for `EMBSPACE_BENCH_DADAPY` names no Python that has it." in page
    with pytest.raises(InputError, match="EMBSPACE_BENCH_DADAPY: not set; dadapy_two_nn needs"):
        run(DADAPY)


def test_with_one_it_stands_beside_ours(monkeypatch):
    monkeypatch.setenv(DADAPY_PYTHON, sys.executable)
    assert contestants() == list(CONTESTANTS)
    page = report({"two_nn": SIDE, DADAPY: SIDE}, "")
    assert "| DADApy " in page
    assert "d 2.000 : d 2.000" in page


@pytest.mark.parametrize("python", [sys.executable, "no/such/python"])
def test_a_python_without_dadapy_is_no_contestant(monkeypatch, python):
    monkeypatch.setenv(DADAPY_PYTHON, python)
    with pytest.raises(InputError, match=r"PackageNotFoundError|cannot be run: No such file"):
        about_dadapy()


def test_scikit_dimension_does_the_same_work():
    x = np.random.default_rng(0).normal(size=(700, 24)).astype(np.float32)
    assert two_nn(x) == pytest.approx(skdim_two_nn(x), rel=1e-6)

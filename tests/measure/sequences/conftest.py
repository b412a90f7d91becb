"""One small run that is trained once, for all tests of the chapter."""

import pytest

from tests.measure.sequences.small import Learned, TwoSeeds, learned_run, run_of_two_seeds


@pytest.fixture(scope="session")
def learned() -> Learned:
    return learned_run()


@pytest.fixture(scope="session")
def two_seeds() -> TwoSeeds:
    return run_of_two_seeds()

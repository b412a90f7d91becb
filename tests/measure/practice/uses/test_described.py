import numpy as np
import pytest

from embspace.measure.practice.uses.described import described_uses, placed_uses, uses_of
from tests.measure.practice.uses.planted import planted


def test_the_second_use_is_the_rarer_one_and_rows_sum_up():
    texts = planted()["texts"]
    rows = np.flatnonzero(texts.word == "w0")[:30]
    x = np.random.default_rng(0).normal(size=(30, 6))
    x[:8, 2] += 9
    uses = uses_of("w0", rows, x, 4)
    assert uses.is_second.tolist() == [True] * 8 + [False] * 22
    described = [*described_uses([uses], texts)]
    assert [row["n"] for row in described] == [22, 8]
    assert all("[t8]" in row["examples"] for row in described)
    assert "w0" not in described[0]["words_near"].split()


def test_places_are_principal_coordinates():
    rows = np.arange(10)
    x = np.random.default_rng(0).normal(size=(10, 3))
    placed = placed_uses([uses_of("w0", rows, x, 3)])
    assert placed["occurrence"].tolist() == list(range(1, 11))
    assert placed["first"].sum() == pytest.approx(0)
    assert placed["first"].var() >= placed["second"].var()

import numpy as np
import pytest

from embspace.geometry.practice.shifts import Shifts, mean_shifts

N = 90
IS_FIRST = np.arange(N) < 40


def shifts(values: np.ndarray, document: np.ndarray | None = None, n: int = 99) -> Shifts:
    own = np.arange(len(values)) if document is None else document
    rng = np.random.default_rng(0)
    return mean_shifts(values, IS_FIRST, own, n_permutations=n, rng=rng)


def test_a_planted_shift_is_the_only_one():
    values = np.random.default_rng(1).normal(size=(N, 6))
    values[IS_FIRST, 2] -= 2
    made = shifts(values)
    assert made.p_value[2] == pytest.approx(0.01)
    assert (np.delete(made.p_value, 2) > 0.05).all()
    assert made.second[2] - made.first[2] == pytest.approx(made.effect[2] * values[:, 2].std())


def test_null_values_have_no_shift():
    clean = [
        shifts(np.random.default_rng(seed).normal(size=(N, 6))).p_value.min() > 0.05
        for seed in range(100)
    ]
    assert sum(clean) >= 90


def test_texts_of_one_document_are_one_unit():
    """Values of ten documents, repeated by each of their texts, are no more than ten values."""
    document = np.arange(N) // 10
    clean = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(9, 1))[document] + rng.normal(size=(N, 1)) / 10
        clean.append(shifts(values, document).p_value[0] > 0.05)
    assert sum(clean) >= 35


def test_a_constant_has_no_shift():
    made = shifts(np.ones((N, 1)))
    assert np.isnan(made.effect[0]) and np.isnan(made.p_value[0])

import numpy as np
import pytest

from embspace.geometry.inference.mantel import mantel


def table(seed: int, n: int = 6) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, n))
    return x + x.T


def test_a_table_agrees_with_itself_in_one_order_alone():
    x = table(0)
    agreement = mantel(x, 2 * x + 1)
    assert agreement.correlation == pytest.approx(1)
    assert agreement.p_value == pytest.approx(1 / 720)
    assert len(agreement.null) == 720


def test_the_correlation_is_that_of_the_pairs():
    x, y = table(0), table(1)
    above = np.triu_indices(6, 1)
    assert mantel(x, y).correlation == pytest.approx(np.corrcoef(x[above], y[above])[0, 1])


def test_unrelated_tables_have_small_p_values_seldom():
    p_values = [mantel(table(seed, 5), table(1000 + seed, 5)).p_value for seed in range(200)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.08


def test_what_does_not_vary_has_no_correlation():
    agreement = mantel(table(0), np.ones((6, 6)))
    assert np.isnan(agreement.correlation)
    assert np.isnan(agreement.p_value)
    with pytest.raises(ValueError, match="at most 8 rows, found 9"):
        mantel(table(0, 9), table(1, 9))

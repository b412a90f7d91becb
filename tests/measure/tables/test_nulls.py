import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

from embspace.measure.tables.nulls import central_range, mean_and_range, null_columns, with_q_values

NAN = float("nan")


def q_of(p_values: list[float], family: list[int] | None = None) -> list[float]:
    family = family or [0] * len(p_values)
    table = pd.DataFrame({"layer": family, "p_value_x": p_values})
    return with_q_values(table, ["layer"])["q_value_x"].tolist()


def test_q_values_by_hand():
    # p times 4 over its rank, and no larger than that of a larger p.
    assert q_of([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04] * 4)
    assert q_of([0.5, 0.001, 0.04, 0.9]) == pytest.approx([2 / 3, 0.004, 0.08, 0.9])


def test_q_values_are_those_of_scipy():
    p_values = np.random.default_rng(0).random(50) ** 3
    assert q_of(p_values.tolist()) == pytest.approx(false_discovery_control(p_values).tolist())


def test_what_was_not_tested_does_not_count():
    q_values = q_of([0.01, NAN, 0.02])
    assert q_values[::2] == pytest.approx([0.02, 0.02])
    assert np.isnan(q_values[1])
    assert np.isnan(q_of([NAN, NAN])).all()


def test_families_are_corrected_apart():
    assert q_of([0.01, 0.01, 0.04, 0.04], [0, 1, 0, 1]) == pytest.approx([0.02, 0.02, 0.04, 0.04])
    assert q_of([0.01, 0.04], [0, 1]) == pytest.approx([0.01, 0.04])


def test_a_table_without_p_values_stays_as_it_is():
    table = pd.DataFrame({"layer": [1, 2]})
    pd.testing.assert_frame_equal(with_q_values(table, ["layer"]), table)


def test_columns_of_a_null():
    null = np.column_stack([np.arange(-50.0, 51.0), np.full(101, NAN)])
    columns = null_columns("x", "_y", np.array([49.0, 1.0]), null, level=0.9, two_sided=False)
    assert list(columns) == ["null_x_y", "null_x_y_low", "null_x_y_high", "p_value_y"]
    assert [columns[name][0] for name in columns] == pytest.approx([0, -45, 45, 3 / 102])
    assert all(np.isnan(values[1]) for values in columns.values())


def test_two_sided_p_values_count_both_ends():
    null = np.arange(-50.0, 51.0)[:, None]
    for value in (49.0, -49.0):
        columns = null_columns("x", "", np.array([value]), null, level=0.9, two_sided=True)
        assert columns["p_value"][0] == pytest.approx(5 / 102)


def test_a_draw_that_is_equal_but_for_rounding_is_as_large():
    null = np.array([[0.1 + 0.2 - 1e-16], [0.3 - 1e-16], [0.2]])
    columns = null_columns("x", "", np.array([0.1 + 0.2]), null, level=0.9, two_sided=False)
    assert columns["p_value"][0] == 3 / 4


def test_without_draws_nothing_is_known():
    columns = null_columns("x", "", np.array([1.0]), np.empty((0, 1)), level=0.9, two_sided=True)
    assert np.isnan(list(columns.values())).all()


def test_means_and_ranges_leave_out_what_is_not_defined():
    drawn = np.array([[1.0, NAN], [3.0, NAN], [NAN, NAN]])
    mean, low, high = mean_and_range(drawn, 1 - 1e-12)
    assert (mean[0], low[0], high[0]) == pytest.approx((2, 1, 3))
    assert np.isnan([mean[1], low[1], high[1]]).all()


def test_draws_of_one_value_and_of_tables_have_ranges_too():
    draws = np.random.default_rng(0).normal(size=(50, 3, 2))
    low, high = central_range(draws, 0.9)
    assert low == pytest.approx(np.quantile(draws, 0.05, axis=0))
    assert high[2, 1] == central_range(draws[:, 2, 1], 0.9)[1]

import numpy as np

from embspace.geometry.pairs.safe_ratio import mean_of_defined, ratio

NAN = float("nan")


def test_a_ratio_is_nan_where_it_would_be_infinite_or_none():
    ratios = ratio(np.array([1.0, 1.0, 0.0, NAN]), np.array([2.0, 0.0, 0.0, 1.0]))
    assert ratios[0] == 0.5
    assert np.isnan(ratios[1:]).all()


def test_ratios_are_of_all_pairs_that_broadcasting_makes():
    ratios = ratio(np.array([[1, 2, 3]]), np.array([[2], [0]]))
    assert ratios.shape == (2, 3)
    assert ratios[0].tolist() == [0.5, 1.0, 1.5]
    assert np.isnan(ratios[1]).all()
    assert ratio(np.ones(3), np.float64(4)).tolist() == [0.25] * 3


def test_a_mean_leaves_out_what_is_not_defined():
    values = np.array([[1.0, NAN], [NAN, NAN], [3.0, NAN]])
    assert mean_of_defined(values, axis=0)[0] == 2
    assert np.isnan(mean_of_defined(values, axis=0)[1])
    assert mean_of_defined(values, axis=1)[[0, 2]].tolist() == [1, 3]


def test_the_mean_of_nothing_is_not_defined():
    assert np.isnan(mean_of_defined(np.empty((0, 2)), axis=0)).all()
    assert float(mean_of_defined(np.array([2.0, NAN]), axis=0)) == 2

"""Holds means over documents and their intervals to what is known."""

import numpy as np
import pytest

from embspace.measure.sequences.sequence_intervals import class_means, numbered

OPTIONS = {"n_resamples": 100, "level": 0.95, "seed": 0}


def test_the_mean_is_that_of_all_and_the_interval_holds_it() -> None:
    values = np.random.default_rng(0).normal(3, 1, (40, 2))
    mean, interval = class_means(values, np.arange(40) % 4, **OPTIONS)
    assert mean == pytest.approx(values.mean(axis=0))
    assert (interval.low < mean).all() and (mean < interval.high).all()
    assert (interval.high - interval.low < 4 / np.sqrt(40) * 1.5).all()


def test_what_differs_between_classes_alone_adds_no_width() -> None:
    stratum = np.arange(35) % 5  # of odd size
    mean, interval = class_means(stratum * 10.0, stratum, **OPTIONS)
    assert mean == pytest.approx(20)
    assert interval.low == pytest.approx(20)
    assert interval.high == pytest.approx(20)


def test_a_class_of_one_document_has_no_interval() -> None:
    stratum = np.array([0, 0, 0, 0, 1])
    mean, interval = class_means(np.arange(5.0), stratum, **OPTIONS)
    assert mean == pytest.approx(2)
    assert np.isnan(interval.low) and np.isnan(interval.high)


def test_two_values_have_the_same_halves() -> None:
    values = np.random.default_rng(1).normal(size=30)
    one, other = (
        class_means(signed, np.arange(30) % 3, **OPTIONS)[1] for signed in (values, -values)
    )
    assert one.deviations == pytest.approx(-other.deviations)


def test_classes_are_numbered_without_those_that_take_no_part() -> None:
    assert numbered(np.array([4, 1, 4, 7])).tolist() == [0, 1, 0, 2]

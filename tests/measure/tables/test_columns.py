from dataclasses import asdict

import numpy as np

from embspace.geometry.maps.lines import one_dimensionality
from embspace.measure.tables.columns import LINE, against_nulls_columns
from embspace.measure.tables.table_nulls import against_nulls
from tests.geometry.planted import noise


def test_shared_columns_are_those_that_functions_make():
    x, positions, rng = noise(20, 4), np.arange(20), np.random.default_rng(0)
    line = asdict(one_dimensionality(x, positions, n_shuffles=2, rng=rng))
    assert list(line) == ["n", *LINE]
    nulls = against_nulls(
        x, positions, lambda _: {("a",): 1.0}, ["measure"], n_tables=2, level=0.9, rng=rng
    )
    assert list(nulls) == ["measure", *against_nulls_columns("share")]

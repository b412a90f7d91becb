from dataclasses import asdict

import numpy as np

from embspace.geometry.maps.lines import one_dimensionality
from embspace.measure.tables.columns import LINE, against_nulls_columns, with_bounds
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


def test_bounds_stand_behind_their_column_and_have_its_kind():
    assert with_bounds("cosine", "moment") == dict.fromkeys(
        ["cosine", "cosine_low", "cosine_high"], "moment"
    )
    assert with_bounds("value", "share", "share of texts") == {
        "value": ("share", "share of texts"),
        "value_low": ("share", "share of texts_low"),
        "value_high": ("share", "share of texts_high"),
    }

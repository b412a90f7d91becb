import numpy as np
import pytest

from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.texts.text_cloud_dealt import DIFFERENCE, dealt_row, dealt_table
from embspace.measure.texts.text_cloud_shapes import participation_ratio_of_rows

SETTINGS = {"n_deals": 200, "level": 0.95}


def cloud(x: np.ndarray, first: int = 0) -> GroupedVectors:
    numbers = np.arange(len(x)) + first
    return GroupedVectors.of(x, numbers, numbers)


def test_the_difference_is_that_of_the_participation_ratios():
    rng = np.random.default_rng(0)
    x, y = 5 + rng.normal(size=(30, 8)) * np.arange(1, 9), rng.normal(size=(30, 8))
    row = dealt_row(cloud(x), cloud(y, 30), 30, **SETTINGS, rng=rng)
    expected = participation_ratio_of_rows(x) - participation_ratio_of_rows(y)
    assert row[DIFFERENCE] == pytest.approx(expected)
    assert row[DIFFERENCE] < row[f"null_{DIFFERENCE}_low"]
    assert row[f"{DIFFERENCE}_p_value"] == 1 / 201


def test_the_null_is_about_zero_and_holds_what_is_dealt_anew():
    rng, inside = np.random.default_rng(1), 0
    for _ in range(40):
        x = rng.permutation(rng.normal(size=(60, 8)) * np.arange(1, 9))
        row = dealt_row(cloud(x[:30]), cloud(x[30:], 30), 30, **SETTINGS, rng=rng)
        low, high = row[f"null_{DIFFERENCE}_low"], row[f"null_{DIFFERENCE}_high"]
        assert low < 0 < high
        inside += low <= row[DIFFERENCE] <= high
    assert inside >= 34  # 38 are expected, with a standard error of 1.4


def test_a_row_for_each_corpus_and_other_one_and_no_shape_without_spread():
    clouds = {name: cloud(np.ones((8, 4)), 8 * i) for i, name in enumerate("abc")}
    table = dealt_table(clouds, equal_n=8, **SETTINGS, rng=np.random.default_rng(2))
    assert table["corpus"].tolist() == [*"aabbcc"]
    assert table["other_corpus"].tolist() == [*"bcacab"]
    assert table[[DIFFERENCE, f"{DIFFERENCE}_p_value"]].isna().all(axis=None)

import numpy as np
import pytest

from embspace.geometry.pairs.group_pairs import GroupedVectors, scan_group_pairs
from embspace.measure.texts.text_cloud_alike import SIDES, alike_row, alike_table
from embspace.measure.texts.text_cloud_units import interval_over, units_of

SETTINGS = {"n_half_samples": 100, "level": 0.95}


def cloud(x: np.ndarray, first: int) -> GroupedVectors:
    numbers = np.arange(len(x)) + first
    return GroupedVectors.of(x, numbers, numbers)


def measured(x: np.ndarray, y: np.ndarray, seed: int = 0):
    one, other = cloud(x, 0), cloud(y, len(x))
    pairs = [scan_group_pairs(*clouds, n_bins=50) for clouds in ((one,), (other,), (one, other))]
    rng = np.random.default_rng(seed)
    return alike_row(tuple(pairs), interval_over(units_of(one, other), **SETTINGS, rng=rng))


def test_each_corpus_and_the_smaller_of_both_by_hand():
    row = measured(np.array([[1.0, 0], [2, 0]]), np.array([[1.0, 0], [0, 1]]))
    # Within the first 1, within the second 0, between them 1, 0, 1, 0.
    assert [row[name] for name in SIDES] == pytest.approx([0.5, -0.5, -0.5])


def test_what_hides_in_a_wide_corpus_is_seen():
    """A narrow cloud and a wide one about the same mean: two of the wide are the least alike."""
    rng = np.random.default_rng(0)
    narrow, wide = (1 + spread * rng.normal(size=(30, 20)) for spread in (0.1, 2.0))
    row = measured(narrow, wide)
    assert row[f"{SIDES[0]}_low"] > 0
    assert row[f"{SIDES[2]}_high"] < 0
    assert row[SIDES[2]] == row[SIDES[1]]


def test_a_row_for_each_two_corpora_and_none_for_one():
    rng = np.random.default_rng(2)
    clouds = {name: cloud(rng.normal(size=(8, 4)), 8 * i) for i, name in enumerate("abc")}
    names = [("a", "a"), ("b", "b"), ("c", "c"), ("a", "b"), ("a", "c"), ("b", "c")]
    pairs = {
        (a, b): scan_group_pairs(clouds[a], None if a == b else clouds[b], n_bins=50)
        for a, b in names
    }
    table = alike_table(clouds, pairs, **SETTINGS, rng=rng)
    assert list(zip(table["corpus"], table["other_corpus"], strict=True)) == names[3:]
    assert table[f"smaller_{SIDES[0]}"].equals(table[list(SIDES[:2])].min(axis=1))
    assert alike_table({"a": clouds["a"]}, pairs, **SETTINGS, rng=rng).empty

import numpy as np
import pytest

from embspace.app.practice.lines import line_of_first
from embspace.app.practice.reading import read_corpus
from embspace.measure.practice import first_coordinates as module
from embspace.measure.practice.first_coordinates import (
    MORE,
    NO_MORE,
    NOT_TOLD,
    first_against_random,
    verdict_of_first,
)


def isotropic(seed: int, n: int, dim: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim))


def test_coordinates_sorted_by_variance_are_told_as_well_as_a_matryoshka_model():
    x = isotropic(0, 60, 32) * np.linspace(1, 0.05, 32) ** 2
    table = first_against_random(read_corpus(x).at())
    assert table["size"].tolist() == ["8", "16", "mean"]
    assert table["difference"].to_numpy() == pytest.approx(table["first"] - table["random"])
    assert verdict_of_first(table) == MORE
    assert "or in coordinates sorted by variance" in line_of_first(table)
    reverse = first_against_random(read_corpus(x[:, ::-1].copy()).at())
    assert verdict_of_first(reverse) == NO_MORE and reverse["difference"].max() < 0


def test_a_single_lucky_order_is_no_gain():
    """Few large coordinates that come first by chance, as in one order of many."""
    x = isotropic(1, 80, 16)
    x[:, :2] *= 1.5
    lucky = first_against_random(read_corpus(x).at()).iloc[-1]
    assert lucky["difference"] > 0 > lucky["low"]


def test_no_gain_is_told_only_where_the_interval_excludes_one():
    few = first_against_random(read_corpus(isotropic(2, 40, 16)).at())
    assert few["high"].iloc[-1] > module.GAIN and verdict_of_first(few) == NOT_TOLD
    assert line_of_first(few).startswith("not told whether the first coordinates keep more")
    many = first_against_random(read_corpus(isotropic(2, 600, 64)).at())
    assert many["high"].iloc[-1] < module.GAIN and verdict_of_first(many) == NO_MORE
    assert "keep no more neighbors than random ones (gain < 0.05)" in line_of_first(many)


def test_of_many_texts_some_are_compared(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST", 30)
    assert (first_against_random(read_corpus(isotropic(3, 50, 16)).at())["n"] == 30).all()


def test_too_few_coordinates_have_no_verdict():
    table = first_against_random(read_corpus(isotropic(4, 40, 12)).at())
    assert not len(table) and verdict_of_first(table) == NOT_TOLD
    assert line_of_first(table).startswith("too few coordinates")

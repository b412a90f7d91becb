"""Holds the bench of coverage to counts made by hand, and to the measures that there are."""

import numpy as np
import pandas as pd
import pytest

import benchmarks.coverage as module
from benchmarks.coverage import (
    LARGER,
    bounds_of_texts,
    coverage_table,
    effects_over_null,
    measures_of,
    report,
    texts,
    value_of_texts,
)
from embspace.geometry.inference.null_clouds import NULL_CLOUDS, NULLS_OF_FAMILY
from embspace.geometry.measures.registry import profiled_measures
from embspace.settings.schema import read_yaml


def test_texts_have_an_offset_and_what_text_and_word_add() -> None:
    x, text, word = texts(np.random.default_rng(0), n_texts=2000)
    assert x.shape == (24_000, 12)
    assert np.bincount(text).tolist() == [12] * 2000
    assert (word[:1000] == 0).mean() == pytest.approx(0.15, abs=0.03)
    text_means = x[:, 0].reshape(2000, 12).mean(axis=1)
    word_means = np.bincount(word, x[:, 0]) / np.bincount(word)
    within = x[:, 0] - word_means[word]
    assert text_means.var() > 0.49
    assert word_means.var() > 0.1
    assert within.var() == pytest.approx(1.49, rel=0.05)
    assert x.mean(axis=0)[6:] == pytest.approx(np.full(6, 0.5), abs=0.5)


def test_words_are_the_same_in_all_draws_and_texts_are_not() -> None:
    far = [texts(np.random.default_rng(seed), n_texts=3000) for seed in (1, 2)]
    means = [np.bincount(word, x[:, 0]) / np.bincount(word) for x, _, word in far]
    assert means[0] == pytest.approx(means[1], abs=0.25)
    assert not np.array_equal(far[0][0], far[1][0])


def test_every_measure_is_among_them_and_every_family_against_its_nulls() -> None:
    assert [measure.name for measure in measures_of(None)] == list(profiled_measures())
    for null in NULL_CLOUDS:
        families = {measure.family for measure in measures_of(null)}
        assert families == {name for name, nulls in NULLS_OF_FAMILY.items() if null in nulls}
    assert LARGER.n == 4800


def test_coverage_is_how_often_bounds_hold_the_truth() -> None:
    low, high = np.array([0, 0, 1, 3.0]), np.array([2, 3, 4, 4.0])
    bounds = np.stack([(low + high) / 2, low, high], axis=1)[:, None, :].repeat(3, axis=1)
    bounds[2, 1] = np.nan
    bounds[:, 2] = 5.0
    truth, deviation = np.array([2.0, 2.0, 5.0]), np.array([0.5, 0.5, 0.0])
    table = coverage_table(["a", "b", "c"], bounds, truth, deviation).set_index("measure")
    assert table.loc["a", "coverage"] == 0.75
    assert table.loc["a", "standard_error"] == pytest.approx(np.sqrt(0.75 * 0.25 / 4))
    assert table.loc["a", "width_/_deviation"] == pytest.approx(2.25 / 0.5)
    assert table["met"].tolist() == ["no", "–", "yes"]
    assert table.loc["b"].isna()[["coverage", "width_/_deviation"]].all()
    assert np.isnan(table.loc["c", "width_/_deviation"])
    assert table.loc["c", "coverage"] == 1


def test_a_repeat_follows_from_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_HALVES", 4)
    first = np.array(bounds_of_texts(0))
    assert first.shape == (len(profiled_measures()), 3)
    assert np.array_equal(first, np.array(bounds_of_texts(0)), equal_nan=True)
    assert not np.array_equal(first[0], np.array(bounds_of_texts(1))[0])
    first = first[~np.isnan(first[:, 0])]  # a plateau of Gride may be undefined
    assert len(first) >= len(profiled_measures()) - 1
    assert ((first[:, 1] <= first[:, 0]) & (first[:, 0] <= first[:, 2])).all()
    assert not np.isin(first[:, 0], value_of_texts(0)).all()


def test_the_effect_is_the_value_less_that_of_the_null(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_HALVES", 8)
    measures = [profiled_measures()["stable_rank"], profiled_measures()["effective_rank"]]
    monkeypatch.setattr(module, "measures_of", lambda _: measures)
    effects = np.array([effects_over_null("isotropic_gaussian", repeat) for repeat in range(10)])
    assert np.abs(effects[:, :, 0]).max() < 2  # of ranks near 12
    assert effects[:, :, 0].mean(axis=0) == pytest.approx([0, 0], abs=0.3)
    assert (effects[:, :, 1] < effects[:, :, 0]).all()


def test_the_page_says_what_was_missed() -> None:
    bounds = [[1.0, 0.5, 1.5], [2.0, np.nan, np.nan], [1.0, 0.9, 1.1], [0.0, 0.0, 0.0]]
    names = ["mean_cosine", "top_dimension_share", "hubness", "n_outlier_dimensions"]
    truth, deviation = np.array([1.0, 2.0, 9.0, 0.1]), np.full(4, 0.25)
    table = coverage_table(names, np.array([bounds] * 4), truth, deviation)
    assert isinstance(table, pd.DataFrame)
    page = report(table, {"isotropic_gaussian": table})
    assert "1 of 2 measures meet the target, the lowest coverage is 0.000" in page
    assert "not defined in all repeats: top_dimension_share" in page
    rows = [line.replace(" ", "") for line in page.splitlines()]
    assert rows.count("|`mean_cosine`|1|0|4.000|yes|") == 2
    assert rows.count("|`hubness`|0|0|0.800|no|") == 2
    assert rows.count("|`n_outlier_dimensions`|0|0|0.000|–|") == 2


def test_intervals_are_by_as_many_halves_as_the_stages_take() -> None:
    assert read_yaml(module.DIRECTION)["draws"]["n_half_samples"] == module.N_HALVES == 40

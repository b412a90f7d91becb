"""Holds the figure of estimators to its tables."""

import numpy as np
import pytest

from embspace.draw.toys.estimators import SHOWN, draw_estimators
from embspace.measure.toys.estimators import measure_estimators
from tests.draw.fits import assert_words_fit
from tests.measure.toys.test_estimators import SETTINGS


@pytest.fixture(scope="module")
def results():
    found = measure_estimators(**SETTINGS)
    return {"dimension": found.dimension, "spectrum": found.spectrum}


@pytest.fixture(scope="module")
def drawn(results):
    return draw_estimators(results, "a toy, no model", row_height_mm=70.0, digits=2)


def test_lines_are_the_estimates_in_units_of_the_truth(results, drawn):
    figure, _ = drawn
    for ax, cloud in zip(figure.axes[:3], ("cube", "sphere", "gaussian"), strict=True):
        rows = results["dimension"][results["dimension"]["cloud"] == cloud]
        lines = [line for line in ax.lines if line.get_marker() != "None"]
        for line, (_, of_measure) in zip(lines, rows.groupby("measure", sort=False), strict=True):
            expected = (of_measure["mean"] / of_measure["true_dimension"]).to_numpy()
            assert np.allclose(line.get_ydata(), expected)
            assert line.get_xdata().tolist() == [2, 10]
    spectral = [line for line in figure.axes[3].lines if line.get_marker() != "None"]
    assert len(spectral) == len(SHOWN)
    assert set(SHOWN) < set(results["spectrum"]["measure"])


def test_words_fit_and_every_estimator_is_named(results, drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    (legend,) = figure.legends
    names = {text.get_text() for text in legend.get_texts()}
    assert names == set(results["dimension"]["measure"].str.replace("_", " "))


def test_the_tables_have_a_row_for_each_cloud_and_each_measure(results, drawn):
    _, text = drawn
    assert "| swiss roll |" in text
    assert "| debiased participation ratio |" in text
    assert "n = 4,000" in text

"""Holds the figure of estimators to its tables."""

import numpy as np
import pytest

from embspace.draw.toys.estimators import CLOUDS, SHOWN, draw_estimators
from embspace.measure.toys.estimators import ESTIMATORS, measure_estimators
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.toys.test_estimators import SETTINGS


def draw(results):
    settings = settings_of(draw_estimators)
    return draw_estimators(as_drawn(ESTIMATORS, results), "a toy, no model", **settings)


@pytest.fixture(scope="module")
def results():
    return measure_estimators(**SETTINGS)


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def test_cells_are_the_deviations_from_the_truth(results, drawn):
    rows = results["dimension"]
    rows = rows[rows["cloud"].isin(CLOUDS)]
    deviation = rows["mean"] / rows["true_dimension"] - 1
    cells = drawn[0].axes[0].collections[0].get_array()
    assert sorted(cells.ravel()) == pytest.approx(sorted(deviation))
    words = {text.get_text() for text in drawn[0].axes[0].texts}
    assert f"{100 * deviation.iloc[0]:+.0f}".replace("-", "−").replace("+0", "0") in words
    assert set(CLOUDS.values()) < words


def test_the_spectrum_is_in_units_of_infinitely_many(results, drawn):
    rows = results["spectrum"]
    rows = rows[rows["measure"].isin(SHOWN)]
    cells = drawn[0].axes[1].collections[0].get_array()
    assert sorted(10 ** cells.ravel()) == pytest.approx(sorted(rows["mean"] / rows["limit"]))


def test_the_title_says_the_range_in_the_largest_dimension(results):
    rows = results["dimension"]
    for factor, said in (
        (1.5, "In 10 dimensions, estimators deviate by +50 to +50 %"),
        (0.7, "In 10 dimensions, all estimators of dimension fall short, by up to 30 %"),
    ):
        figure, _ = draw(
            {**results, "dimension": rows.assign(mean=factor * rows["true_dimension"])}
        )
        assert " ".join(figure.get_suptitle().split()).startswith(said)


def test_the_title_names_the_one_measure_of_few_vectors_that_is_right(results):
    spectrum = results["spectrum"]
    is_right = spectrum["measure"] == "debiased_participation_ratio"
    mean = spectrum["limit"] * np.where(is_right, 1.0, 0.5)
    title = draw({**results, "spectrum": spectrum.assign(mean=mean)})[0].get_suptitle()
    said = (
        "; of the spectrum only the debiased participation ratio is right for few vectors, too (b)"
    )
    assert " ".join(title.split()).endswith(said)
    title = draw({**results, "spectrum": spectrum.assign(mean=spectrum["limit"])})[0].get_suptitle()
    assert "few vectors" not in title


def test_words_fit_and_every_estimator_is_named(results, drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    names = {label.get_text() for label in figure.axes[0].get_yticklabels()}
    assert len(names) == results["dimension"]["measure"].nunique()
    assert {"TwoNN", "Gride", "MLE"} <= names
    assert not any("_" in name for name in names)
    assert "600 vectors" in " ".join(text.get_text() for text in figure.texts)


def test_the_tables_have_a_row_for_each_cloud_and_each_measure(results, drawn):
    _, text = drawn
    assert "| swiss roll |" in text
    assert "| debiased participation ratio |" in text
    assert "n = 4,000" in text

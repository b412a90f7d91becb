import numpy as np
import pytest

from embspace.draw.toys.cubes import draw_cubes
from embspace.measure.toys.cubes import CUBES, measure_cubes
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.toys.test_cubes import SETTINGS


@pytest.fixture(scope="module")
def results():
    return as_drawn(CUBES, measure_cubes(**SETTINGS))


@pytest.fixture(scope="module")
def drawn(results):
    return draw_cubes(results, "a toy, no model", **settings_of(draw_cubes, digits=2))


def test_curves_are_those_of_the_table(results, drawn):
    clouds = results["curve"].groupby("cloud", sort=False)
    for line, (_, rows) in zip(drawn[0].axes[0].lines, clouds, strict=True):
        assert np.array_equal(line.get_xdata(), rows["n_components"])
        assert np.array_equal(line.get_ydata(), rows["cumulative_explained_variance"])


def test_bars_are_the_intervals(results, drawn):
    for bars, (_, rows) in zip(
        drawn[0].axes[0].collections, results["curve"].groupby("cloud", sort=False), strict=True
    ):
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert np.array_equal(ends[:, 0], rows["cumulative_explained_variance_low"])
        assert np.array_equal(ends[:, 1], rows["cumulative_explained_variance_high"])


def test_readings_stand_over_a_line_at_the_truth(results, drawn):
    ax = drawn[0].axes[1]
    clouds = results["dimensions"].groupby("cloud", sort=False)
    for (truth, dots), (_, rows) in zip(np.reshape(ax.lines, (4, 2)), clouds, strict=True):
        assert set(truth.get_ydata()) == set(rows["true_dimension"])
        assert np.array_equal(dots.get_ydata(), rows["dimension"])
        assert np.array_equal(np.round(dots.get_xdata()), range(4))
        assert truth.get_color() == dots.get_color()
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert words == ["50 %", "95 %", "100 %", "ratio"]


def test_the_title_says_what_the_threshold_does(results, drawn):
    rows = results["dimensions"].query("cloud == 'all' and share.notna()")
    assert drawn[0].get_suptitle().replace("\n", " ").strip() == (
        f"Thresholds on the variance find as few as {rows['dimension'].min():.0f} of the "
        f"{rows['true_dimension'].max():.0f} dimensions of the cubes together"
    )


def test_the_legend_names_every_cloud(drawn):
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words[:2] == ["shifted, 7 dimensions", "turned, 8 dimensions"]
    assert words[-1] == "all together"


def test_words_and_table(drawn):
    figure, text = drawn
    assert_words_fit(figure)
    assert figure.get_label() == "measure_cubes"
    subtitle = " ".join(label.get_text() for label in figure.texts)
    assert "a toy, no model" in subtitle
    assert "300 points each" in subtitle
    assert sum(line.startswith("| ") for line in text.splitlines()) == 2 + 4 * 4  # two tables
    assert "nan" not in text

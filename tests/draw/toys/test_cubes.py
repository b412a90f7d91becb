import numpy as np
import pytest

from embspace.draw.page.canvas import sign, use_style
from embspace.draw.toys.cubes import draw_cubes
from embspace.measure.toys.cubes import measure_cubes
from tests.draw.fits import assert_words_fit
from tests.measure.toys.test_cubes import SETTINGS


@pytest.fixture(scope="module")
def results():
    found = measure_cubes(**SETTINGS)
    return {"curve": found.curve, "dimensions": found.dimensions}


@pytest.fixture(scope="module")
def drawn(results):
    return draw_cubes(results, "a toy, no model", height_mm=80.0, digits=2)


def test_curves_and_what_is_exact_are_those_of_the_table(results, drawn):
    lines = np.reshape(drawn[0].axes[0].lines, (4, 2))
    for (exact, line), (_, rows) in zip(
        lines, results["curve"].groupby("cloud", sort=False), strict=True
    ):
        assert np.array_equal(line.get_xdata(), rows["n_components"])
        assert np.array_equal(line.get_ydata(), rows["cumulative_explained_variance"])
        assert np.array_equal(exact.get_ydata(), rows["expected_cumulative_explained_variance"])
        assert exact.get_linestyle() == "--"
        assert exact.get_color() == line.get_color()


def test_bars_are_the_intervals(results, drawn):
    for bars, (_, rows) in zip(
        drawn[0].axes[0].collections, results["curve"].groupby("cloud", sort=False), strict=True
    ):
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert np.array_equal(ends[:, 0], rows["cumulative_explained_variance_low"])
        assert np.array_equal(ends[:, 1], rows["cumulative_explained_variance_high"])


def test_dimensions_stand_at_their_definition_beside_the_truth(results, drawn):
    ax = drawn[0].axes[1]
    for (truth, dots, rings), (_, rows) in zip(
        np.reshape(ax.lines, (4, 3)),
        results["dimensions"].groupby("cloud", sort=False),
        strict=True,
    ):
        assert set(truth.get_ydata()) == set(rows["true_dimension"])
        assert np.array_equal(dots.get_ydata(), rows["dimension"])
        assert np.array_equal(rings.get_ydata(), rows["expected_dimension"])
        assert np.array_equal(np.round(dots.get_xdata()), range(4))
        assert rings.get_markerfacecolor() == "none"
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert words == ["50 %", "95 %", "100 %", "ratio"]


def test_the_legend_names_every_cloud(drawn):
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words[:2] == ["shifted, 7 dimensions", "turned, 8 dimensions"]
    assert words[-2:] == ["all together", "exact"]


def test_the_legend_does_not_touch_the_foot(results):
    use_style()
    figure, _ = draw_cubes(results, "a toy, no model", height_mm=80.0, digits=2)
    sign(figure, "draw_toys")
    assert_words_fit(figure)  # which draws it
    (legend,) = figure.legends
    (foot,) = (text for text in figure.texts if text.get_text().endswith("draw_toys"))
    assert legend.get_window_extent().x1 < foot.get_window_extent().x0


def test_words_and_table(drawn):
    figure, text = drawn
    assert_words_fit(figure)
    assert figure.get_supxlabel() == "measure_cubes"
    subtitle = " ".join(each.get_text() for each in figure.texts)
    assert "a toy, no model" in subtitle
    assert "300 points each" in subtitle
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 4 * 4
    assert "nan" not in text

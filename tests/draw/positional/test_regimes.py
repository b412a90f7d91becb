import pytest

from embspace.draw.positional.regimes import draw_regimes
from embspace.measure.positional.regimes import Regimes, measure_regimes
from tests.draw.fits import assert_words_fit
from tests.geometry.planted import planted_table, smooth_table
from tests.measure.positional.test_regimes import SETTINGS


def drawn_of(found: Regimes):
    results = {
        "json": found.scalars,
        "positions": found.positions,
        "summary": found.summary,
        "distributions": found.distributions,
        "histogram": found.histogram,
    }
    return draw_regimes(results, "a model of a long name", height_mm=165.0, digits=3)


@pytest.fixture(scope="module")
def planted():
    return measure_regimes({"positional": planted_table()}, **SETTINGS)


@pytest.fixture(scope="module")
def drawn(planted):
    return drawn_of(planted)


def test_positions_outlying_ones_and_bounds_are_those_of_the_tables(planted, drawn):
    along = drawn[0].axes[0]
    inside, outside = along.lines
    positions = planted.positions
    kept = positions[~positions["outlying"]]
    assert inside.get_xdata().tolist() == kept["position"].tolist()
    assert inside.get_ydata().tolist() == kept["neighbor_cosine"].tolist()
    assert outside.get_xdata().tolist() == [200]
    assert [text.get_text() for text in along.texts] == ["200"]


def test_both_distributions_are_drawn_where_there_is_noise(planted, drawn):
    norm = drawn[0].axes[2]
    histogram = planted.histogram
    for patch, name in zip(norm.patches[1::2], ("all", "without_unstructured"), strict=True):
        rows = histogram[(histogram["positions"] == name) & (histogram["quantity"] == "norm")]
        assert patch.get_data().values.tolist() == rows["density"].tolist()


def test_the_subtitle_says_what_was_found(planted, drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    n = planted.scalars["n_unstructured_positions"]
    for part in ("a model of a long name", "512 positions", "outlying: 1", "changes of regime: 2"):
        assert part in words
    assert f"{n} positions unstructured" in words


def test_the_tables_name_the_outlier_and_the_false_alarms(planted, drawn):
    text = drawn[1]
    assert "|        200 |" in text
    assert f"{100 * planted.scalars['false_alarm_rate']:.1f} % had a change" in text
    assert text.count("| True ") == 1


def test_where_there_is_no_noise_it_says_so():
    figure, _ = drawn_of(measure_regimes({"positional": smooth_table(seed=5)}, **SETTINGS))
    assert "unstructured: none found" in " ".join(text.get_text() for text in figure.texts)
    assert "no unstructured regime" in figure.axes[2].get_title(loc="left")
    assert_words_fit(figure)


def test_a_model_without_positions_is_named():
    figure, text = drawn_of(measure_regimes({}, **SETTINGS))
    assert "has no learned" in figure.axes[0].texts[0].get_text()
    assert "has no learned positional table: its file in conf/model says" in text


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])

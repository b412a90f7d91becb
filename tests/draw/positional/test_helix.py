import numpy as np
import pytest

from embspace.draw.positional.helix import draw_helix
from embspace.measure.positional.helix import Helix, measure_helix
from tests.draw.fits import assert_words_fit
from tests.geometry.planted import helix
from tests.measure.positional.test_helix import SETTINGS
from tests.measure.regimes import regimes_of


def drawn_of(found: Helix):
    results = {
        "json": found.scalars,
        "path": found.path,
        "periods": found.periods,
        "spectrum": found.spectrum,
        "one_dimensionality": found.one_dimensionality,
    }
    return draw_helix(results, "a model of a long name", height_mm=130, longest_period=60, digits=2)


@pytest.fixture(scope="module")
def found():
    return measure_helix({"positional": helix()}, regimes_of(384, outlying=[0]), **SETTINGS)


@pytest.fixture(scope="module")
def drawn(found):
    return drawn_of(found)


def test_path_turns_and_spectrum_are_those_of_the_tables(found, drawn):
    axes = {ax.get_title(): ax for ax in drawn[0].axes if ax.get_title()}
    seen = axes["along its axis"].collections[0].get_offsets()
    assert seen[:, 0].tolist() == found.path["plane_x"].tolist()
    assert axes["turning"].lines[0].get_ydata().tolist() == found.path["turns"].tolist()
    shown = found.spectrum[found.spectrum["frequency"] >= 1 / 60]
    assert axes["spectrum"].lines[0].get_ydata().tolist() == shown["power"].tolist()
    first, second, third = axes["three components"].lines[0].get_data_3d()
    assert list(first) == found.path["component_1"].tolist()
    assert list(third) == found.path["component_3"].tolist()


def test_the_subtitle_says_the_period_and_its_null(found, drawn):
    row = found.periods.set_index("definition").loc["winding_number"]
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert f"a turn in {row['period']:.2f} positions" in words
    assert f"coherence {row['coherence']:.3f} (shuffled {row['null_coherence']:.3f})" in words
    assert "383 structured positions" in words


def test_all_definitions_are_in_the_table(drawn):
    text = drawn[1]
    assert text.count("thesis's text: ") == 1
    assert text.count("notebook: ") == 2
    assert "nan" not in text


def test_a_model_without_positions_is_named():
    figure, text = drawn_of(measure_helix({}, regimes_of(0), **SETTINGS))
    assert "has no learned" in figure.axes[0].texts[0].get_text()
    assert "has no learned positional table: its file in conf/model says" in text


def test_a_model_with_too_few_structured_positions_says_so():
    x = np.ones((7, 16), np.float32)
    figure, text = drawn_of(measure_helix({"positional": x}, regimes_of(7), **SETTINGS))
    assert "fewer than eight" in figure.axes[0].texts[0].get_text()
    assert "Too few structured positions" in text


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])

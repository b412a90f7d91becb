import numpy as np
import pytest

from embspace.draw.page.canvas import use_style
from embspace.draw.page.nulls import NULLS
from embspace.draw.positional.helix import draw_helix
from embspace.measure.positional.helix import HELIX, measure_helix
from tests.analyses import as_drawn, settings_of
from tests.geometry.planted import helix, noise
from tests.measure.positional.test_helix import SETTINGS
from tests.measure.regimes import regimes_of


def drawn_of(tables):
    use_style()
    results = as_drawn(HELIX, tables)
    return draw_helix(results, "a model of a long name", **settings_of(draw_helix, digits=2))


@pytest.fixture(scope="module")
def tables():
    return measure_helix({"positional": helix()}, regimes_of(384, outlying=[0]), **SETTINGS)


@pytest.fixture(scope="module")
def drawn(tables):
    return drawn_of(tables)


def test_the_stretch_is_the_most_even_one_and_advances(tables, drawn):
    ax = drawn[0].axes[0]
    shown = ax.collections[1].get_array()
    assert len(shown) == 60
    assert np.array_equal(shown, np.arange(shown[0], shown[0] + 60))
    curve = ax.collections[0]
    assert curve.get_array().min() == shown[0]
    assert curve.get_clim() == (shown[0], shown[-1])
    assert "60 successive positions" in ax.get_title("left")


def test_unrolled_a_helix_is_a_straight_line(tables, drawn):
    whole, stretch = (line for line in drawn[0].axes[1].lines if len(line.get_xdata()) > 2)
    turns, along = whole.get_xdata(), whole.get_ydata()
    assert np.asarray(turns).tolist() == tables["path"]["turns"].tolist()
    assert abs(np.corrcoef(turns, along)[0, 1]) == pytest.approx(tables["json"]["advance"], 1e-3)
    assert set(stretch.get_ydata()) <= set(along)
    # The axis is the slope of the path, so that no other direction has the larger covariance.
    components = tables["path"][[f"component_{number}" for number in (1, 2, 3)]]
    covariances = np.cov(tables["path"]["position"], components, rowvar=False)[0, 1:]
    assert np.cov(tables["path"]["position"], along)[0, 1] == pytest.approx(
        np.linalg.norm(covariances)
    )


def test_the_local_period_of_an_even_helix_is_that_of_the_whole(tables, drawn):
    whole, local = drawn[0].axes[2].lines
    period = tables["periods"].set_index("definition")["period"]["winding_number"]
    assert set(whole.get_ydata()) == {period}
    assert np.median(local.get_ydata()) == pytest.approx(period, rel=0.02)


def test_the_spectrum_is_that_of_the_table_and_its_peaks_have_their_periods(tables, drawn):
    ax = drawn[0].axes[3]
    period, power = (np.asarray(coordinates) for coordinates in ax.lines[0].get_data())
    table = (
        tables["spectrum"].assign(period=1 / tables["spectrum"]["frequency"]).set_index("period")
    )
    expected = table["power"].loc[period] / table["power"].max()
    assert power == pytest.approx(expected.to_numpy())
    assert power.max() == 1
    assert f"{period[np.argmax(power)]:.2f}" in [text.get_text() for text in ax.texts]


def test_the_title_counts_turns_beside_the_strongest_null_and_a_panel_prints_them(tables, drawn):
    n_turns = abs(tables["periods"].set_index("definition")["n_turns"]["winding_number"])
    nulls = tables["nulls"].query("measure == 'n_turns'").set_index("null")["null_value_high"]
    title = " ".join(drawn[0].get_suptitle().split())
    assert title == (
        f"The position embeddings wind {n_turns:.0f} times, {NULLS[nulls.idxmax()]} "
        f"{nulls.max():.0f} times at most"
    )
    ax = drawn[0].axes[1]
    assert ax.get_title("left") == f"Whole path: {n_turns:.0f} turns"
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"most by chance: {nulls.max():.0f}" in words
    words = " ".join(" ".join(text.get_text() for text in drawn[0].texts).split())
    assert "383 positions like their neighbors, of 1 to 383" in words
    assert "One period: " in drawn[0].axes[3].get_title("left")


def test_of_positions_that_do_not_wind_the_title_says_so():
    figure, _ = drawn_of(measure_helix({"positional": noise(64)}, regimes_of(64), **SETTINGS))
    assert "winds no more than one that encodes nothing" in " ".join(figure.get_suptitle().split())


def test_all_definitions_are_in_the_table(drawn):
    text = drawn[1]
    assert text.count("thesis's text: ") == 1
    assert text.count("notebook: ") == 2
    assert "nan" not in text


def test_a_model_with_too_few_structured_positions_says_so():
    x = np.ones((7, 16), np.float32)
    figure, text = drawn_of(measure_helix({"positional": x}, regimes_of(7), **SETTINGS))
    assert "fewer than eight" in figure.axes[0].texts[0].get_text()
    assert "Too few structured positions" in text

"""The figure of the token tracker draws what its tables say."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from embspace.draw.words.token_tracker import draw_token_tracker
from embspace.files.tables import Tables
from embspace.measure.words.token_tracker import TOKEN_TRACKER
from embspace.measure.words.token_tracker_tables import Halves, tables_of
from tests.analyses import as_drawn, settings_of
from tests.measure.words.test_token_tracker_statistics import DRIFTING, LAYERS, N_UNITS, tracks

STILL = tracks(np.zeros((LAYERS, 4 * N_UNITS)))
NAMES = ["layers", "contrasts", "movement", "summary"]


def draw(tables: Tables) -> tuple[Figure, str]:
    settings = settings_of(draw_token_tracker, digits=3)
    return draw_token_tracker(as_drawn(TOKEN_TRACKER, tables), "BERT", **settings)


@pytest.fixture(scope="module")
def tables() -> Tables:
    halves = Halves(20, 0.9, np.random.default_rng(0))
    return tables_of((DRIFTING, None), (STILL, None), halves, (), n_listed=15, apart=0.75)


def test_lines_are_the_numbers_of_the_tables(tables: Tables):
    figure, page = draw(tables)
    cosine, rank, apart, moved = figure.axes
    assert cosine.lines[0].get_ydata() == pytest.approx(np.linspace(1, 0.4, 7))
    assert list(rank.lines[0].get_ydata()) == [0, 0, 0, 0, 0, 1, 4]
    assert list(rank.lines[2].get_ydata()) == [0, 0, 0, 3, 0, 0, 0]
    assert list(rank.lines[1].get_ydata()) == [0] * 7
    assert list(apart.lines[0].get_ydata()) == [0.5, 0.5, 0.5, 0, 0.5, 1, 1]
    assert moved.lines[0].get_ydata() == pytest.approx(np.full(6, 1 / 6))
    assert "excursion of function words" in page and "none" not in page


def test_ranks_stand_on_the_axis_of_their_logarithms(tables: Tables):
    figure, _ = draw(tables)
    axis = figure.axes[1].yaxis
    figure.draw_without_rendering()
    named = {tick.label1.get_text(): tick.get_loc() for tick in axis.get_major_ticks()}
    assert named["0"] == 0 and named["10"] == pytest.approx(np.log10(11))


def test_the_title_says_how_many_are_near_themselves(tables: Tables):
    figure, _ = draw(tables)
    title = " ".join(figure.get_suptitle().split())
    assert title == (
        "At layer 6, 0 % of content words are still nearest to their own token, and 100 % of "
        "function words; with random weights 100 % and 100 % are"
    )


def test_what_has_no_text_is_said():
    figure, page = draw({name: TOKEN_TRACKER.tables[name].of() for name in NAMES})
    assert "No text with words of both lists" in figure.axes[0].texts[0].get_text()
    assert page.count("None.") == 4

import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from embspace.draw.page.canvas import (
    PALETTE,
    count,
    counted,
    new_figure,
    sign,
    stage_of,
    use_style,
)
from tests.draw.fits import assert_words_fit


def test_a_figure_names_its_stage_and_what_was_measured():
    figure, axes = new_figure(
        2, 3, height_mm=100.0, title="Title", subtitle="tiny · 3 tokens", stage="measure_x"
    )
    assert len(axes) == 6
    assert figure.get_suptitle().strip() == "Title"
    assert "tiny · 3 tokens" in [text.get_text() for text in figure.texts]
    assert figure.get_supxlabel() == stage_of(figure) == "measure_x"
    assert round(figure.get_size_inches()[0] * 25.4) == 170


def test_a_signed_figure_names_the_stage_that_draws_it_once():
    figure, _ = new_figure(1, 1, height_mm=50.0, title="T", subtitle="a toy", stage="measure_x")
    for stage in ("draw_words", "draw_toys"):
        sign(figure, stage)
    assert figure.get_supxlabel() == "measure_x → draw_toys"
    assert stage_of(figure) == "measure_x"


def test_a_long_name_makes_the_subtitle_smaller_and_not_cut():
    figure, _ = new_figure(
        1, 1, height_mm=50.0, title="T", subtitle="a long name " * 20, stage="measure_x"
    )
    assert_words_fit(figure)
    short, _ = new_figure(1, 1, height_mm=50.0, title="T", subtitle="short", stage="measure_x")
    assert short.texts[-2].get_fontsize() == 7.5


def test_the_style_beats_what_was_set_before():
    rcParams["svg.hashsalt"] = None
    rcParams["font.size"] = 30
    rcParams["axes.edgecolor"] = "red"  # seaborn's to set
    rcParams["hatch.color"] = "red"  # neither seaborn's nor ours
    use_style()
    assert rcParams["svg.hashsalt"] == "embspace"
    assert rcParams["font.size"] == 8
    assert rcParams["axes.edgecolor"] == ".15"
    assert rcParams["hatch.color"] != "red"
    assert [to_hex(f"C{number}").upper() for number in range(len(PALETTE))] == PALETTE


def test_counts_have_separators():
    assert count(30522.0) == "30,522"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 pairs"), (1, "1 pair"), (1.0, "1 pair"), (1001, "1,001 pairs")]
)
def test_one_of_a_kind_is_no_plural(number: float, words: str):
    assert counted(number, "pair") == words

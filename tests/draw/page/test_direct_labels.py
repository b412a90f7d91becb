import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from embspace.draw.page.direct_labels import name_ends, name_lines, spread


def test_lines_are_named_at_the_edge_in_their_colors_and_apart():
    ax = Figure().subplots()
    for name, end in (("one", 7.0), ("other", 7.1), ("_hidden", 3.0)):
        ax.plot([0, 1], [5.0, end], label=name)
    name_lines(ax, 0.1)
    named = {text.get_text(): text.get_color() for text in ax.texts}
    assert named == {line.get_label(): line.get_color() for line in ax.lines[:2]}
    low, high = sorted(text.xyann[1] for text in ax.texts)
    assert high - low == pytest.approx(0.1)


def test_leads_run_from_the_ends_to_names_that_are_apart_on_any_scale():
    ax = Figure().subplots()
    ax.set(yscale="log", ylim=(1, 100))
    name_ends(ax, ["ten", "also ten", "one"], [10, 10, 1], "kbr", 0.1, between=(0.5, 0.6))
    assert [text.xy for text in ax.texts] == [(0.5, 10), (0.5, 10), (0.5, 1)]
    assert [text.xyann[0] for text in ax.texts] == [0.6] * 3
    assert [text.xyann[1] for text in ax.texts] == pytest.approx([0.45, 0.55, 0.05])
    assert [text.get_color() for text in ax.texts] == [*"kbr"]


def test_names_do_not_depend_on_what_was_drawn_before_the_limits():
    ax = Figure().subplots()
    ax.plot([0, 1], [50.0, 100.0], label="line")
    name_lines(ax)
    low, high = ax.get_ylim()
    assert ax.texts[0].xyann[1] == pytest.approx((100 - low) / (high - low))


def test_places_that_are_apart_stay():
    assert spread([3.0, 1.0, 2.0], 0.5).tolist() == [3.0, 1.0, 2.0]


def test_places_too_close_move_apart_around_their_mean():
    assert spread([1.0, 1.0], 1.0) == pytest.approx([0.5, 1.5])
    assert spread([1.0, 1.2, 9.0], 1.0) == pytest.approx([0.6, 1.6, 9.0])
    # The third is pushed away by the first two, and pushes back.
    assert spread([0.0, 0.0, 0.6], 1.0) == pytest.approx([-0.8, 0.2, 1.2])


def test_any_places_are_apart_and_in_their_order():
    wanted = np.random.default_rng(0).normal(size=40)
    places = spread(wanted, 0.2)
    assert (np.argsort(places) == np.argsort(wanted)).all()
    assert np.diff(np.sort(places)).min() >= 0.2 - 1e-12
    assert places.mean() == pytest.approx(wanted.mean())


def test_none_is_below_the_lowest_place():
    assert spread([0.1, 0.0, 0.9], 0.2, 0.05) == pytest.approx([0.25, 0.05, 0.9])
    assert spread([0.5], 0.2, 0.05).tolist() == [0.5]


def test_no_labels():
    assert spread([], 1.0).tolist() == []


@pytest.mark.parametrize("height", [0.0, 0.1, 0.5, 1.0])
def test_a_lead_ends_beside_the_middle_of_its_name_however_steep_it_is(height: float):
    ax = Figure().subplots()
    ax.set(ylim=(0, 1))
    name_ends(ax, ["name"], [height], "k", between=(1.0, 1.02))
    [name] = ax.texts
    name.set_position((1.02, 0.5))
    ax.figure.draw_without_rendering()
    box = Text.get_window_extent(name)
    lead = name.arrow_patch
    start, end = lead.get_transform().transform(lead.get_path().vertices)[[0, -1]]
    assert start == pytest.approx([box.x0, (box.y0 + box.y1) / 2], abs=4)  # pixels
    assert end == pytest.approx(ax.transAxes.transform((1.0, height)), abs=1)

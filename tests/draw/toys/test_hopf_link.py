import numpy as np
import pandas as pd
import pytest

from embspace.draw.page.looks import CIRCLES
from embspace.draw.toys.hopf_link import Panel, _ends, _to_eye, draw_hopf_link
from embspace.project.hopf_link import HOPF_LINK, project_hopf_link
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.project.test_hopf_link import SETTINGS

UMAPS = [f"UMAP, 10 neighbors, min_dist {distance}" for distance in (0.1, 0.8)]


def draw(results):
    settings = settings_of(draw_hopf_link)
    return draw_hopf_link(as_drawn(HOPF_LINK, results), "a toy, no model", **settings)


@pytest.fixture(scope="module")
def results():
    return project_hopf_link(**SETTINGS)


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def heading(ax) -> str:
    return (ax.get_title() or ax.get_title("left")).replace("\nmin", " min")


def titled(drawn, title: str):
    (ax,) = (ax for ax in drawn[0].axes if heading(ax) == title)
    return ax


def test_each_method_has_a_column(drawn):
    panels = {heading(ax).partition(";")[0]: ax.get_subplotspec() for ax in drawn[0].axes}
    places = {
        title: (place.rowspan.start, place.colspan.start)
        for title, place in panels.items()
        if title
    }
    assert places == {
        "Linked circles in space": (0, 0),
        "Runs that part them": (1, 0),
        "t-SNE, perplexity 5": (0, 1),
        UMAPS[0]: (0, 2),
        UMAPS[1]: (1, 2),
    }


def test_of_several_settings_the_best_and_the_worst_are_drawn():
    panels = [
        Panel(str(n), pd.DataFrame(), pd.Series({"n_linearly_separable": n})) for n in (1, 5, 0, 3)
    ]
    assert [panel.title for panel in _ends(panels)] == ["5", "0"]


def test_points_and_rings_are_those_of_the_first_run(results, drawn):
    ax = titled(drawn, "t-SNE, perplexity 5")
    rows = results["parquet"].query("link == 'linked' and method == 'tsne' and run == 0")
    for (ring, dots), (_, points) in zip(
        np.reshape(ax.lines, (2, 2)), rows.groupby("circle"), strict=True
    ):
        assert np.array_equal(dots.get_xdata(), points["x"])
        assert np.array_equal(dots.get_ydata(), points["y"])
        assert ring.get_xdata()[0] == ring.get_xdata()[-1]
        assert len(ring.get_xdata()) == len(points) + 1
        assert ring.get_color() == dots.get_color()
    assert ax.lines[0].get_color() != ax.lines[2].get_color()


def test_pieces_in_space_are_those_of_the_circles(results, drawn):
    lines = titled(drawn, "Linked circles in space").lines
    rows = results["parquet"].query("link == 'linked' and method == 'space' and circle == 1")
    pieces = [line for line in lines if line.get_color() == CIRCLES[1].color]
    for axis, values in zip(
        "xyz", zip(*(p.get_data_3d() for p in pieces), strict=True), strict=True
    ):
        assert [start for start, _ in values] == list(rows[axis])


def test_each_circle_is_in_front_of_the_other_once(drawn):
    ax = titled(drawn, "Linked circles in space")
    to_eye = _to_eye(ax)
    sides = np.linalg.svd(to_eye[None])[2][1:]  # the plane that the eye sees
    looks = [look.color for look in CIRCLES]
    pieces = {color: [line for line in ax.lines if line.get_color() == color] for color in looks}
    one, other = (
        np.array([np.mean(line.get_data_3d(), axis=1) for line in pieces[color]]) for color in looks
    )
    gaps = np.linalg.norm((one[:, None] - other) @ sides.T, axis=2)
    gaps_of_one = gaps.min(axis=1)
    is_left = one @ sides[0] < np.median((one @ sides[0])[np.argsort(gaps_of_one)[:6]])
    in_front = []
    for side in (is_left, ~is_left):
        piece = int(np.where(side, gaps_of_one, np.inf).argmin())
        crossed = int(gaps[piece].argmin())
        orders = [pieces[looks[0]][piece].zorder, pieces[looks[1]][crossed].zorder]
        in_front.append(orders[0] > orders[1])
    assert sorted(in_front) == [False, True]


def test_under_each_map_stands_in_how_many_runs_it_parts_the_circles(results, drawn):
    row = results["quality"].query("link == 'linked' and method == 'umap' and min_dist == 0.8")
    row = row.iloc[0]
    words = titled(drawn, UMAPS[1]).get_xlabel()
    assert f"parted in {row['n_linearly_separable']} of 2 runs" in words
    assert f"rings without a gap: {row['n_closed_rings']} of 4" in words


def test_a_bar_a_setting_says_how_many_runs_part_the_circles(results, drawn):
    rows = results["quality"].query("link == 'linked' and method != 'space'")
    (ax,) = (ax for ax in drawn[0].axes if heading(ax).startswith("Runs"))
    shares = rows["n_linearly_separable"] / rows["n_runs"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(list(shares))
    assert ax.texts[0].get_text() == "0 of 1"


@pytest.mark.parametrize(
    ("parted", "said"),
    [
        (("tsne", "umap"), "3 of 3 settings, PCA does not"),
        (("pca", "umap"), "2 of 3 settings, PCA does, too"),
        ((), "0 of 3 settings, PCA does not"),
    ],
)
def test_the_title_says_in_how_many_settings_the_circles_are_parted(results, parted, said):
    quality = results["quality"]
    n = quality["n_runs"].where(quality["method"].isin(parted), 0)
    figure, _ = draw({**results, "quality": quality.assign(n_linearly_separable=n)})
    assert " ".join(figure.get_suptitle().split()).endswith(f"apart in {said}")


def test_the_words_fit_and_say_the_size(drawn):
    assert_words_fit(drawn[0])
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert "40 points a circle" in words
    assert drawn[0].get_label() == "project_hopf_link"


def test_the_table_has_linked_and_unlinked_circles(results, drawn):
    text = drawn[1]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 1 + 1 + 2 + len(results["quality"])  # three tables, two links
    assert sum(line.startswith("| UMAP") for line in rows) == 2 * 2
    assert "nan" not in text
    assert "0.494 of the neighbors" in text

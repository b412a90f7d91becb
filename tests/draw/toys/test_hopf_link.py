import numpy as np
import pytest

from embspace.draw.toys.hopf_link import draw_hopf_link
from embspace.project.hopf_link import HOPF_LINK, project_hopf_link
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.project.test_hopf_link import SETTINGS


def draw(results, **change: int):
    settings = settings_of(draw_hopf_link, **change)
    return draw_hopf_link(as_drawn(HOPF_LINK, results), "a toy, no model", **settings)


@pytest.fixture(scope="module")
def results():
    return project_hopf_link(**SETTINGS)


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def titled(drawn, title: str):
    (ax,) = (ax for ax in drawn[0].axes if ax.get_title(loc="left") == title)
    return ax


def test_each_method_begins_a_row(drawn):
    titles = [ax.get_title(loc="left") for ax in drawn[0].axes if ax.get_title(loc="left")]
    assert titles == [
        "linked: PCA",
        "unlinked: PCA",
        "linked: t-SNE, perplexity 5",
        "linked: UMAP, 10 neighbors,\nminimum distance 0.1",
        "linked: UMAP, 10 neighbors,\nminimum distance 0.8",
        "linked: space",  # which replaces its panel, and so comes last
    ]
    places = {ax.get_title(loc="left"): ax.get_subplotspec().rowspan.start for ax in drawn[0].axes}
    assert [places[title] for title in titles] == [0, 0, 1, 2, 2, 0]


def test_points_and_rings_are_those_of_the_first_run(results, drawn):
    ax = titled(drawn, "linked: t-SNE, perplexity 5")
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


def test_space_has_three_axes(results, drawn):
    lines = titled(drawn, "linked: space").lines
    rows = results["parquet"].query("link == 'linked' and method == 'space' and circle == 1")
    for axis, values in zip("xyz", lines[1].get_data_3d(), strict=True):
        assert np.array_equal(values[:-1], rows[axis])


def test_under_each_map_stands_what_the_runs_keep(results, drawn):
    row = results["quality"].query("link == 'linked' and method == 'umap' and min_dist == 0.8")
    row = row.iloc[0]
    words = titled(drawn, "linked: UMAP, 10 neighbors,\nminimum distance 0.8").get_xlabel()
    shares = f"same circle {row['same_circle_share']:.2f}, recall {row['neighbor_recall']:.2f}"
    assert shares in words
    assert f"{row['n_linearly_separable']}/2 separable" in words
    assert f"{row['n_closed_rings']}/4 closed" in words
    assert "/1 separable," in titled(drawn, "linked: PCA").get_xlabel()


@pytest.mark.parametrize(
    ("n_parted", "said"), [(2, "UMAP in 2 of 2 settings"), (1, "UMAP in 0 of 2 settings")]
)
def test_the_title_says_in_how_many_settings_a_line_parts_the_circles(results, n_parted, said):
    quality = results["quality"]
    parted = quality["n_linearly_separable"].mask(quality["method"] == "umap", n_parted)
    table = {**results, "quality": quality.assign(n_linearly_separable=parted)}
    figure, _ = draw(table)
    assert said in figure.get_suptitle().replace("\n", " ")


def test_the_words_fit_and_say_the_linking_numbers(drawn):
    assert_words_fit(drawn[0])
    words = " ".join(text.get_text() for text in drawn[0].texts)
    assert "linking number: linked −1, unlinked 0" in words
    assert "40 points a circle" in words
    assert drawn[0].get_label() == "project_hopf_link"


def test_the_table_has_linked_and_unlinked_circles(results, drawn):
    text = drawn[1]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 1 + 1 + 2 + len(results["quality"])  # three tables, two links
    assert sum(line.startswith("| unlinked") for line in rows) == 1 + len(results["quality"]) // 2
    assert "nan" not in text
    assert "0.494 of the neighbors" in text


@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_any_number_of_columns_holds_all(results, n_columns: int):
    figure, _ = draw(results, n_columns=n_columns)
    assert sum(bool(ax.get_title(loc="left")) for ax in figure.axes) == 6

import numpy as np
import pandas as pd
import pytest

from embspace.draw.learned.explained_variance import draw_explained_variance
from embspace.measure.learned.explained_variance import (
    EXPLAINED_VARIANCE,
    measure_explained_variance,
)
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import random_matrices

SPACES = ["input", "positional", "joint"]


def results_of(matrices: dict[str, np.ndarray]) -> dict[str, pd.DataFrame]:
    few = {"shares": [0.5, 0.9], "n_null_draws": 3}
    return measure_explained_variance(matrices, **settings_of(measure_explained_variance, **few))


def draw(results: dict[str, pd.DataFrame]):
    results = as_drawn(EXPLAINED_VARIANCE, results)
    settings = settings_of(draw_explained_variance, digits=2)
    return draw_explained_variance(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def results() -> dict[str, pd.DataFrame]:
    return results_of(random_matrices())


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


def test_curves_nulls_and_dots_are_those_of_the_tables(results, drawn):
    (ax,) = drawn[0].axes
    curve, dimensions = results["curve"], results["dimensions"]
    for space, null, line in zip(reversed(SPACES), ax.lines[::2], ax.lines[1::2], strict=True):
        rows = curve[curve["space"] == space]
        assert np.array_equal(line.get_xdata(), rows["n_components"])
        assert np.array_equal(line.get_ydata(), rows["cumulative_explained_variance"])
        assert np.array_equal(null.get_ydata(), rows["null_cumulative_explained_variance"])
        assert null.get_linestyle() == "--"
        if space == "joint":
            assert line.get_marker() == "None"
            continue
        marked = dimensions[dimensions["space"] == space]
        dots = np.flatnonzero(line.get_markevery())
        assert line.get_xdata()[dots].tolist() == marked["n_components"].tolist()
        assert (line.get_ydata()[dots] >= marked["share"]).all()


def test_the_subtitle_says_model_n_and_shares(drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    for part in ("a model of a long name", "120 tokens", "30 positions", "48 dim", "50, 90 %"):
        assert part in words
    assert drawn[0].get_label() == "measure_explained_variance"


def test_the_table_has_a_row_a_space_and_share(results, drawn):
    _, text = drawn
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 6
    first = results["dimensions"].iloc[0]
    assert f"| {first['n_components']} | {first['null_n_components']} |" in " ".join(text.split())


def test_a_model_without_positions_has_one_curve():
    figure, _ = draw(results_of({"input": random_matrices()["input"]}))
    assert len(figure.axes[0].lines) == 2
    assert_words_fit(figure)


def test_equal_vectors_have_no_curve():
    matrices = random_matrices()
    matrices["positional"][:] = 1
    results = results_of(matrices)
    figure, _ = draw(results)
    assert np.isnan(figure.axes[0].lines[3].get_ydata()).all()


def test_the_title_and_the_labels_are_the_numbers_of_the_table(results, drawn):
    n = results["dimensions"].set_index(["space", "share"])["n_components"]
    positions, tokens = n["positional", 0.9], n["input", 0.9]
    title = drawn[0].get_suptitle().replace("\n", " ").strip()
    said = f"90 % of the variance of positions lies in {positions} directions"
    assert title.startswith(f"{said}, of tokens in {tokens}")
    labels = ", ".join(text.get_text() for text in drawn[0].axes[0].texts).split(", ")
    shown = [str(n[space, share]) for space in ("positional", "input") for share in (0.5, 0.9)]
    assert sorted(labels) == sorted(shown)


def test_as_many_directions_as_of_isotropic_vectors_are_said_to_be(results):
    for n, is_said in ((96, True), (60, False)):
        table = results["dimensions"].assign(n_components=n, null_n_components=100)
        title = draw(results | {"dimensions": table})[0].get_suptitle().replace("\n", " ")
        assert ("nearly as many as of isotropic vectors" in title) == is_said

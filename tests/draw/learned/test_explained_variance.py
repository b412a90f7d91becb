import re

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

SPACES = ["input", "positional"]


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
    curve, dimensions = results["curve"], results["dimensions"].set_index(["space", "share"])
    *lines, at_share = ax.lines
    for space, drawn_lines in zip(SPACES, (lines[:4], lines[4:]), strict=True):
        rows, n = curve[curve["space"] == space], dimensions.loc[(space, 0.9)]
        for null, line, dot in zip(("", "null_"), drawn_lines[::2], drawn_lines[1::2], strict=True):
            assert np.array_equal(line.get_xdata(), rows["n_components"])
            assert np.array_equal(line.get_ydata(), rows[f"{null}cumulative_explained_variance"])
            assert list(dot.get_xdata()) == [n[f"{null}n_components"]]
    assert list(at_share.get_ydata()) == [0.9, 0.9]


def test_the_subtitle_says_model_and_n(drawn):
    words = " ".join(text.get_text() for text in drawn[0].texts)
    for part in ("a model of a long name", "120 tokens", "30 positions", "48 dim"):
        assert part in words
    assert drawn[0].get_label() == "measure_explained_variance"


def test_the_table_has_a_row_a_space_and_share(results, drawn):
    _, text = drawn
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 6
    first = results["dimensions"].iloc[0]
    assert f"| {first['n_components']} | {first['null_n_components']} |" in " ".join(text.split())


def test_a_model_without_positions_has_one_curve():
    figure, _ = draw(results_of({"input": random_matrices()["input"]}))
    assert len(figure.axes[0].lines) == 5
    assert "nearer" not in figure.get_suptitle()
    assert_words_fit(figure)


def test_equal_vectors_have_no_curve():
    matrices = random_matrices()
    matrices["positional"][:] = 1
    results = results_of(matrices)
    figure, _ = draw(results)
    assert np.isnan(figure.axes[0].lines[4].get_ydata()).all()
    assert figure.get_suptitle().startswith("90 % of the variance of tokens ")


def test_the_title_and_the_labels_are_the_numbers_of_the_table(results, drawn):
    rows = results["dimensions"].set_index(["space", "share"])
    n, null = rows.loc[("positional", 0.9), ["n_components", "null_n_components"]].astype(int)
    title = drawn[0].get_suptitle().replace("\n", " ").strip()
    said = f"90 % of the variance of positions lies in {n} components, of isotropic vectors in more"
    assert title == f"{said}; tokens are nearer to isotropic ones"
    labels = [text.get_text() for text in drawn[0].axes[0].texts]
    n_tokens = rows["n_components"]["input", 0.9]
    isotropic = f"{rows['n']['positional', 0.9]:,.0f} isotropic: {null}"
    assert {f"positions: {n}", isotropic} <= {*labels}
    assert any(re.match(rf"tokens.*: {n_tokens}\b", label) for label in labels)


def test_as_many_directions_as_of_isotropic_vectors_are_said_to_be(results):
    for n, said in ((96, "as many"), (60, "more"), (40, "far more")):
        table = results["dimensions"].assign(n_components=n, null_n_components=100)
        title = draw(results | {"dimensions": table})[0].get_suptitle().replace("\n", " ")
        assert f"of isotropic vectors in {said}" in title


def test_curves_on_each_other_have_one_name(results):
    for n, said in (
        (100, {"tokens, isotropic: 100", "positions, isotropic: 100"}),
        (96, {"tokens: 96, isotropic: 100", "positions: 96, isotropic: 100"}),
    ):
        table = results["dimensions"].assign(n_components=n, null_n_components=100)
        figure, _ = draw(results | {"dimensions": table})
        labels = {text.get_text() for text in figure.axes[0].texts}
        assert labels - {"", "90 %"} == said

import numpy as np
import pandas as pd
import pytest

from embspace.app.page.nothing import says_nothing
from embspace.draw.learned.similarity import (
    FURTHER_RESULTS,
    HUBS,
    OCCURRENCE,
    _finding,
    draw_similarity,
)
from embspace.measure.learned.nearest_neighbors import measure_nearest_neighbors
from embspace.measure.learned.similarity import SIMILARITY, measure_similarity
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.learned.test_nearest_neighbors import SETTINGS as NEIGHBORS
from tests.measure.regimes import regimes_of
from tests.measure.vectors import random_matrices, vocabulary_of

FEW = {"n_bins": 512, "n_histogram_bins": 20, "n_pairs": 5, "quantiles": [0.01, 0.5, 0.99]}
SETTINGS = settings_of(measure_similarity, **FEW)


def tables_of(similarity, matrices):
    extracted, regimes = vocabulary_of(len(matrices["input"])), regimes_of(30)
    if "positional" not in matrices:
        regimes = regimes_of(0)
    neighbors = measure_nearest_neighbors(matrices, extracted, regimes, **NEIGHBORS)
    further = {HUBS: neighbors["hubs"], OCCURRENCE: neighbors["occurrence"]}
    further |= dict(zip(FURTHER_RESULTS, (matrices, extracted), strict=False))
    return as_drawn(SIMILARITY, similarity | further)


@pytest.fixture(scope="module")
def results():
    similarity = measure_similarity(random_matrices(), vocabulary_of(120), **SETTINGS)
    return tables_of(similarity, random_matrices())


@pytest.fixture(scope="module")
def drawn(results):
    return draw_similarity(results, "a model of a long name", height_mm=75.0, n_pairs=2, digits=3)


def test_the_curves_are_the_cumulative_counts_of_the_table(results, drawn):
    figure, _ = drawn
    histogram = results["histogram"]
    for ax, quantity in zip(figure.axes, ["norm", "cosine"], strict=False):
        rows = histogram[(histogram["quantity"] == quantity) & (histogram["space"] == "input")]
        line, median, *_ = ax.lines
        assert list(line.get_xdata()[1:]) == rows["bin_right"].tolist()
        assert np.allclose(line.get_ydata()[1:], rows["count"].cumsum() / rows["count"].sum())
        summary = results["summary"].set_index(["space", "quantity"])["quantile_0.5"]
        assert median.get_xdata()[0] == summary["input", quantity]
        shown = f"{round(summary['input', quantity], 2) + 0:.2f}".replace("-", "−")
        assert shown in [text.get_text() for text in ax.texts]


def test_each_share_of_the_hubs_counts_the_vectors_from_there_on(results, drawn):
    ax, occurrence = drawn[0].axes[2], results[OCCURRENCE]
    joint = occurrence[occurrence["cloud"] == "joint"]
    (line,) = (line for line in ax.lines if line.get_label() == "tokens and positions")
    assert 0 not in line.get_xdata()  # no place on a logarithm
    for times, share in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert share == joint.loc[joint["k_occurrence"] >= times, "count"].sum() / 150
    (null,) = (line for line in ax.lines if line.get_label() == "random neighbors")
    assert null.get_ydata()[0] == pytest.approx(1 - np.exp(-occurrence["k"].max()))
    first = results[HUBS].iloc[0]
    words = [text.get_text() for text in ax.texts]
    assert any(f"\n{first['k_occurrence']}" in text for text in words)
    most = occurrence.loc[occurrence["cloud"] == "joint_centered", "k_occurrence"].max()
    beside = {"raw vectors", f"centered, unit length\n{most}", "structured\npositions"}
    assert beside | {"random\nneighbors"} <= set(words)


def test_of_positions_the_structured_ones_alone_have_a_curve_of_hubs(drawn):
    names = [line.get_label() for line in drawn[0].axes[2].lines]
    assert "structured positions" in names
    assert "positions" not in names


def test_the_subtitle_says_model_n_and_protocol(drawn):
    texts = " ".join(text.get_text() for text in drawn[0].texts)
    for part in ("a model of a long name", "120 tokens", "30 positions", "all pairs", "raw"):
        assert part in texts
    assert drawn[0].get_label() == "measure_similarity"


def test_the_table_lists_the_first_pairs_of_each_order(results, drawn):
    _, text = drawn
    first = results["pairs"].iloc[0]
    assert f"`{first['token_1']}`" in text
    assert f"{first['cosine']:.3f}" in text
    assert text.count("## ") == 7
    assert text.count("`tok") == 2 * 2 * 6


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])


def test_vectors_of_length_zero_have_no_cosine_and_the_figure_says_so():
    matrices = {"input": np.zeros((40, 6), np.float32)}
    similarity = measure_similarity(matrices, vocabulary_of(40), **SETTINGS)
    figure, text = draw_similarity(
        tables_of(similarity, matrices), "zeros", height_mm=75.0, n_pairs=2, digits=3
    )
    (said,) = figure.axes[1].texts
    assert said.get_text().split() == [
        "cosine:",
        "undefined,",
        "of",
        "vectors",
        "of",
        "length",
        "zero",
    ]
    (row,) = (line for line in text.splitlines() if "| cosine " in line)
    assert set(row.replace(" ", "").split("|")[3:-1]) == {"0", "–"}


@pytest.mark.parametrize(
    ("factor", "said"), [(0.1, "longer than"), (10.0, "shorter than"), (1.0, "as long as")]
)
def test_the_title_says_which_are_longer(factor: float, said: str):
    matrices = random_matrices()
    for matrix in matrices.values():
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrices["positional"] *= factor
    similarity = measure_similarity(matrices, vocabulary_of(120), **SETTINGS)
    figure, _ = draw_similarity(
        tables_of(similarity, matrices), "tiny", height_mm=75.0, n_pairs=2, digits=3
    )
    assert "; centered, at unit length, a vector is among the nearest of at most " in " ".join(
        figure.get_suptitle().split()
    )
    said = f"Token embeddings are {said} position embeddings"
    assert _finding(similarity["summary"], pd.DataFrame(), pd.DataFrame()) == said


def test_the_shortest_vector_is_named_where_it_is_the_most_frequent_neighbor():
    matrices = random_matrices()
    matrices["positional"][4] *= 0.01
    similarity = measure_similarity(matrices, vocabulary_of(120), **SETTINGS)
    tables = tables_of(similarity, matrices)
    figure, _ = draw_similarity(tables, "tiny", height_mm=75.0, n_pairs=2, digits=3)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith("The shortest vector, position 4 (a), is among the ")
    length = np.linalg.norm(matrices["positional"][4].astype(np.float64))
    left, _ = figure.axes[0].get_xlim()
    words = [text.get_text() for text in figure.axes[0].texts]
    assert left < length and f"position 4\n{length:.2f}" in words
    hubs = tables[HUBS]
    assert "shortest" not in _finding(similarity["summary"], hubs, tables[OCCURRENCE], 2 * length)


@pytest.mark.parametrize(("most", "is_chance"), [(27, True), (60, False)])
def test_centered_hubs_as_by_chance_have_the_same_words_beside_a_vector_of_length_zero(
    most: int, is_chance: bool
):
    matrices = random_matrices()
    similarity = measure_similarity(matrices, vocabulary_of(120), **SETTINGS)
    hubs = tables_of(similarity, matrices)[HUBS].assign(cloud="joint", k_occurrence=29266)
    counts = {"cloud": "joint_centered", "k": 10, "k_occurrence": [10, most], "count": [31033, 1]}
    titles = [_finding(similarity["summary"], hubs, pd.DataFrame(counts), x) for x in (0.0, 1e3)]
    assert " has length zero (a), so that it is among the 10 nearest of 29,266 vectors" in titles[0]
    assert titles[1].startswith("Of raw vectors, ")
    said = f"; centered, at unit length, a vector is among the nearest of at most {most}"
    for title in titles:
        assert title.endswith(f"{said}, as by chance" if is_chance else said)
    assert not says_nothing(titles[1])

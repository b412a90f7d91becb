import numpy as np
import pytest

from embspace.draw.learned.similarity import FURTHER_RESULTS, draw_similarity
from embspace.measure.learned.similarity import SIMILARITY, measure_similarity
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import random_matrices, vocabulary_of

FEW = {"n_bins": 512, "n_histogram_bins": 20, "n_pairs": 5, "quantiles": [0.01, 0.5, 0.99]}
SETTINGS = settings_of(measure_similarity, **FEW)


def tables_of(found, matrices):
    extracted = vocabulary_of(len(matrices["input"]))
    further = dict(zip(FURTHER_RESULTS, (matrices, extracted), strict=True))
    return as_drawn(SIMILARITY, found | further)


@pytest.fixture(scope="module")
def results():
    found = measure_similarity(random_matrices(), vocabulary_of(120), **SETTINGS)
    return tables_of(found, random_matrices())


@pytest.fixture(scope="module")
def drawn(results):
    return draw_similarity(results, "a model of a long name", height_mm=120.0, n_pairs=2, digits=3)


def test_the_curves_are_the_densities_of_the_table(results, drawn):
    figure, _ = drawn
    histogram = results["histogram"]
    for ax, quantity in zip(
        figure.axes, ["norm", "euclidean_distance", "dot_product", "cosine"], strict=True
    ):
        rows = histogram[(histogram["quantity"] == quantity) & (histogram["space"] == "input")]
        values, edges, _ = ax.patches[1].get_data()
        assert np.array_equal(values, rows["density"] / rows["density"].max())
        assert np.array_equal(edges[:-1], rows["bin_left"])


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
    found = measure_similarity(matrices, vocabulary_of(40), **SETTINGS)
    figure, text = draw_similarity(
        tables_of(found, matrices), "zeros", height_mm=120.0, n_pairs=2, digits=3
    )
    (said,) = figure.axes[3].texts
    assert said.get_text() == "cosine: undefined, of vectors of length zero"
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
    found = measure_similarity(matrices, vocabulary_of(120), **SETTINGS)
    figure, _ = draw_similarity(
        tables_of(found, matrices), "tiny", height_mm=120.0, n_pairs=2, digits=3
    )
    assert f"Token embeddings are {said} position embeddings" in figure.get_suptitle()


def test_a_vector_that_the_axis_leaves_out_is_named():
    matrices = random_matrices()
    matrices["positional"][4] *= 100
    found = measure_similarity(matrices, vocabulary_of(120), **SETTINGS)
    low = {"quantile_0.99": found["summary"]["quantile_0.5"]}
    tables = tables_of(found | {"summary": found["summary"].assign(**low)}, matrices)
    figure, _ = draw_similarity(tables, "tiny", height_mm=120.0, n_pairs=2, digits=3)
    length = np.linalg.norm(matrices["positional"][4].astype(np.float64))
    words = [text.get_text() for text in figure.axes[0].texts]
    assert f"position 4: {length:.2f} →" in words

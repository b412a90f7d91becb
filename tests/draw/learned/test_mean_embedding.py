import numpy as np
import pytest

from embspace.draw.learned.mean_embedding import FURTHER_RESULTS, draw_mean_embedding
from embspace.measure.learned.mean_embedding import MEAN_EMBEDDING, measure_mean_embedding
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import random_matrices, vocabulary_of

(EXTRACTED,) = FURTHER_RESULTS


@pytest.fixture(scope="module")
def results():
    few = {"n_histogram_bins": 20, "n_tokens": 3, "quantiles": [0.5]}
    settings = settings_of(measure_mean_embedding, **few)
    found = measure_mean_embedding(random_matrices(), vocabulary_of(120), None, **settings)
    return as_drawn(MEAN_EMBEDDING, found | {EXTRACTED: vocabulary_of(120)})


@pytest.fixture(scope="module")
def drawn(results):
    return draw_mean_embedding(
        results, "a model of a long name", height_mm=120.0, n_tokens=1, fewest=5, digits=3
    )


def test_counts_and_means_are_those_of_the_tables(results, drawn):
    figure, _ = drawn
    quantities = ["euclidean_distance", "dot_product", "cosine", "norm"]
    for ax, quantity in zip(figure.axes, quantities, strict=True):
        rows = results["histogram"][results["histogram"]["quantity"] == quantity]
        # The kinds lie on one another, so that the last one ends where the counts do.
        words, numbers, special = (stairs.get_data() for stairs in ax.patches)
        assert np.array_equal(numbers.baseline, words.values)
        assert np.array_equal(special.values, rows["count"])
        mean = results["summary"].set_index("quantity")["mean"][quantity]
        assert ax.lines[0].get_xdata()[0] == mean
        assert ax.get_title("right") == f"mean {mean:.3g}"


def test_the_title_compares_the_kind_that_differs_with_words(results, drawn):
    assert drawn[0].get_suptitle().startswith("Median cosine with the mean: numbers ")
    settings = {"height_mm": 120.0, "n_tokens": 1, "digits": 3}
    figure, _ = draw_mean_embedding(results, "tiny", fewest=1000, **settings)
    assert figure.get_suptitle().startswith("The median cosine of a token with the mean is ")


def test_one_token_an_extreme_is_listed(results, drawn):
    _, text = drawn
    assert text.count("`tok") == 12
    assert f"`{results['tokens']['token'][0]}`" in text


def test_the_words_fit(drawn):
    assert_words_fit(drawn[0])

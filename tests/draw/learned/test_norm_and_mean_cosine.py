import numpy as np
import pandas as pd
import pytest

from embspace.draw.learned.norm_and_mean_cosine import draw_norm_and_mean_cosine
from embspace.measure.learned.mean_embedding import mean_quantities
from tests.draw.fits import assert_words_fit
from tests.measure.vectors import random_matrices, vocabulary_of

SETTINGS = {"height_mm": 95.0, "digits": 3}


def results_of(n_special: int = 2):
    vocabulary = vocabulary_of(120, n_special=n_special)
    quantities = mean_quantities(random_matrices()["input"])
    return {
        "data/measured/mean_embedding.parquet": pd.concat([vocabulary, quantities], axis=1),
        "data/extracted/embeddings.parquet": vocabulary,
    }


@pytest.fixture(scope="module")
def drawn():
    return draw_norm_and_mean_cosine(results_of(), "a model of a long name", fewest=5, **SETTINGS)


def test_hexagons_hold_all_tokens_their_kinds_and_ids(drawn):
    counts, kinds, ids = (ax.collections[0].get_array() for ax in drawn[0].axes[:3])
    assert counts.sum() == 120
    assert set(np.unique(kinds)) <= {0, 1, 2}
    assert ids.min() >= 0
    assert ids.max() <= 119
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["words", "numbers", "special tokens"]


def test_the_title_compares_the_kind_that_differs_with_words(drawn):
    assert drawn[0].get_suptitle().startswith("Numbers have median norm ")
    assert "120 tokens" in " ".join(text.get_text() for text in drawn[0].texts)
    figure, _ = draw_norm_and_mean_cosine(results_of(), "tiny", fewest=1000, **SETTINGS)
    assert figure.get_suptitle().startswith("The median token has norm ")


def test_the_table_has_a_row_a_kind_and_the_words_fit(drawn):
    figure, text = drawn
    assert_words_fit(figure)
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 3

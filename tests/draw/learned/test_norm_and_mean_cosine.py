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
    correlation = quantities.corrwith(quantities["norm"], method="spearman")
    return {
        "mean_embedding/summary": correlation.rename("norm_correlation")
        .rename_axis("quantity")
        .reset_index(),
        "data/measured/mean_embedding.parquet": pd.concat([vocabulary, quantities], axis=1),
        "data/extracted/embeddings.parquet": vocabulary,
    }


@pytest.fixture(scope="module")
def drawn():
    return draw_norm_and_mean_cosine(results_of(), "a model of a long name", **SETTINGS)


def test_hexagons_hold_all_tokens_and_large_kinds_have_names(drawn):
    counts, kinds = (ax.collections[0].get_array() for ax in drawn[0].axes[:2])
    assert counts.sum() == 120
    assert set(np.unique(kinds)) <= {0, 1, 2}
    names = [text.get_text() for text in drawn[0].axes[1].texts]
    assert names == ["words", "numbers"]  # two special tokens are no area
    legend = drawn[0].axes[1].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["special tokens"]


def test_the_subtitle_says_how_many_there_are(drawn):
    assert "120 tokens" in " ".join(text.get_text() for text in drawn[0].texts)


def test_the_subtitle_names_what_has_no_cosine():
    results = results_of()
    tokens = results["data/measured/mean_embedding.parquet"]
    for n, said in (
        (1, f"119 tokens, special and unused included; {tokens['token'][0]}, of"),
        (2, "118 tokens, special and unused included; 2 others, of"),
    ):
        tokens.loc[: n - 1, "cosine"] = np.nan
        figure, _ = draw_norm_and_mean_cosine(results, "tiny", **SETTINGS)
        words = " ".join(" ".join(text.get_text() for text in figure.texts).split())
        assert f"{said} length zero, left out" in words


@pytest.mark.parametrize(
    ("sign", "said"),
    [
        (-1, "The shorter a token embedding, the larger its cosine with the mean: rank "),
        (1, "The longer a token embedding, the larger its cosine with the mean: rank "),
        (0, "The norm of a token embedding says little of its cosine with the mean"),
    ],
)
def test_the_title_says_how_the_cosine_goes_with_the_norm(sign: int, said: str):
    results = results_of()
    results["mean_embedding/summary"]["norm_correlation"] = float(sign)
    figure, _ = draw_norm_and_mean_cosine(results, "tiny", **SETTINGS)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(said)
    if sign:
        assert title.endswith(said := f"rank correlation {'−' if sign < 0 else ''}1.00")
        assert figure.axes[0].get_title("left").endswith(said)


def test_the_table_has_a_row_a_kind_and_the_words_fit(drawn):
    figure, text = drawn
    assert_words_fit(figure)
    assert sum(line.startswith("| ") for line in text.splitlines()) == 1 + 3

import pandas as pd
import pytest

from embspace.draw.sentences.sentence_similarity import draw_sentence_similarity
from tests.draw.fits import assert_words_fit

SETTINGS = {"row_height_mm": 50.0, "n_listed": 1, "digits": 2}


def table(n_pairs: int) -> pd.DataFrame:
    rows = [
        (corpus, pooling, layer, 15, rank, "a", f"b{rank}", 1 / (rank + layer), 1.0, 1.0)
        for corpus in ("one", "two")
        for pooling in ("cls", "mean", "max")
        for layer in range(3)
        for rank in range(1, n_pairs + 1)
    ]
    columns = ["corpus", "pooling", "layer", "n_pairs", "rank", "first", "second", "cosine"]
    columns += ["euclidean_distance", "unit_manhattan_distance"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(("n_pairs", "named"), [(2, True), (5, False)])
def test_a_line_a_pair_named_while_they_are_few(n_pairs: int, named: bool):
    figure, _ = draw_sentence_similarity(
        {"csv": table(n_pairs)}, "a model of a long name", n_named=4, **SETTINGS
    )
    assert_words_fit(figure)
    assert len(figure.axes) == 6
    for ax in figure.axes:
        assert len(ax.lines) == n_pairs
    assert list(figure.axes[0].lines[0].get_ydata()) == [1, 1 / 2, 1 / 3]
    assert (figure.axes[0].get_legend() is not None) == named


def test_a_result_without_any_pair_says_so():
    figure, _ = draw_sentence_similarity(
        {"csv": table(0)}, "a model of a long name", n_named=4, **SETTINGS
    )
    assert {ax.get_title() for ax in figure.axes} == {"no corpus with two texts"}


def test_the_table_has_the_last_layer_of_each_corpus():
    _, text = draw_sentence_similarity(
        {"csv": table(2)}, "a model of a long name", n_named=4, **SETTINGS
    )
    assert "## Corpus one" in text
    assert "0.33" in text
    assert "0.50" not in text

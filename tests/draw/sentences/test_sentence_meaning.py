from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.sentence_meaning import (
    _order_words,
    draw_sentence_meaning,
    meaning_or_wording,
)
from tests.analyses import settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.sentences.test_differences import measure, results_of
from tests.draw.sentences.test_synonyms import results as synonyms
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, OFFSETS


def given(differences: dict[str, Any]) -> dict[str, pd.DataFrame]:
    names = ("categories", "examples")
    tables = {f"differences/{name}": differences[name] for name in names}
    return tables | {"synonyms/contrasts": synonyms()["contrasts"]}


def draw(results: dict[str, pd.DataFrame]) -> tuple[Figure, str]:
    use_style()
    settings = settings_of(draw_sentence_meaning)
    return draw_sentence_meaning(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, pd.DataFrame]:
    differences = measure(planted(OFFSETS, 8, n_layers=3))
    return given(results_of(differences, tmp_path_factory.mktemp("results")))


@pytest.fixture(scope="module")
def drawn(results) -> tuple[Figure, str]:
    return draw(results)


def mean_pooled(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["pooling"] == "mean") & (table["layer"] == 2)]


def test_the_numbers_of_the_title_are_printed_at_their_marks(results, drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    kinds = mean_pooled(results["synonyms/contrasts"]).set_index("kind")["cosine"]
    numbers = [f"{kinds[name]:.2f}" for name in ("paraphrase", "negation")]
    assert all(f"({number})" in figure.get_suptitle() for number in numbers)
    printed = [text.get_text() for text in figure.axes[0].texts]
    assert printed[1:3] == numbers


@pytest.mark.parametrize(
    ("low", "high", "words", "said"),
    [
        (-0.5, -0.3, -0.7, "less like its paraphrase (0.10) than like its negation (0.50); by "),
        (0.3, 0.5, -0.7, "more like its paraphrase (0.10) than like its negation (0.50); by "),
        (-0.5, 0.1, -0.7, "not surely more or less like its paraphrase (0.10) than like its "),
        (-0.5, -0.3, -0.7, "the gap is wider"),
        (-0.5, -0.3, -0.1, "the gap is less"),
        (-0.5, -0.3, 0.1, "the other way round"),
    ],
)
def test_the_title_says_whether_a_paraphrase_or_a_negation_is_surely_nearer(
    low: float, high: float, words: float, said: str
):
    contrasts = synonyms()["contrasts"].query("layer == 2 or pooling == 'bag_of_words'")
    difference = "paraphrase_minus_kind_cosine"
    given = contrasts.assign(
        cosine=np.where(contrasts["kind"] == "paraphrase", 0.1, 0.5),
        **{f"{difference}_low": low, f"{difference}_high": high},
        **{difference: np.where(contrasts["pooling"] == "bag_of_words", words, -0.4)},
    )
    assert said in meaning_or_wording(given)


def test_pairs_are_the_table_beside_random_weights_and_words(results, drawn):
    ax = drawn[0].axes[0]
    rows = mean_pooled(results["synonyms/contrasts"]).set_index("kind")
    rows = rows.loc[["unrelated", "paraphrase", "negation"]]
    drawn_as = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert drawn_as["mean pooling"] == rows["cosine"].tolist()
    look = POOLINGS["mean"]
    [random] = [
        line
        for line in ax.lines
        if line.get_label() == "hollow: random weights, same shape"
        and line.get_marker() == look.marker
    ]
    assert list(random.get_xdata()) == rows["random_weights_cosine"].tolist()
    assert random.get_markerfacecolor() == "none"
    assert len(drawn_as["counts of words"]) == 3
    assert ax.get_yticklabels()[1].get_text() == "Paraphrases (16)"


def test_categories_stand_by_consistency_beside_their_null_and_an_example(results, drawn):
    ax, beside = drawn[0].axes[1:3]
    rows = mean_pooled(results["differences/categories"]).set_index("category")
    names = [label.get_text() for label in ax.get_yticklabels()]
    rows = rows.loc[names]
    assert rows["consistency"].is_monotonic_decreasing and len(rows) == len(OFFSETS)
    null, interval = (np.array(lines.get_segments())[:, :, 0] for lines in ax.collections)
    assert np.allclose(null, rows.filter(regex="sign_flips_(low|high)$"))
    assert np.allclose(interval, rows[["consistency_low", "consistency_high"]])
    assert len(beside.texts) == len(rows)
    assert all(" → " in text.get_text() for text in beside.texts)


def test_many_categories_have_no_examples(tmp_path):
    offsets = {f"c{number}-d": AXES[number] for number in range(14)}
    figure, _ = draw(given(results_of(measure(planted(offsets, 3)), tmp_path)))
    assert not figure.axes[2].texts


def test_a_model_that_reads_nothing_says_so(results):
    figure, text = draw({name: table[:0] for name, table in results.items()})
    assert_words_fit(figure)
    assert figure.get_suptitle().startswith("The model reads no sentence")
    assert "None." in text


def test_a_decoder_has_marks_of_its_last_token_in_the_place_of_the_first(results):
    contrasts = results["synonyms/contrasts"]
    last = contrasts[contrasts["pooling"] == "cls"].assign(pooling="last")
    figure, _ = draw(results | {"synonyms/contrasts": pd.concat([contrasts, last])})
    [legend] = figure.legends
    names = [entry.get_text() for entry in legend.get_texts()]
    assert "last token" in names and "first token" not in names


@pytest.mark.parametrize(("shift", "said"), [(0.1, "; all"), (-0.1, "; no")])
def test_the_title_says_how_many_categories_have_parallel_differences(results, shift, said):
    table = results["differences/categories"]
    moved = table.assign(consistency_low=table["null_consistency_sign_flips_high"] + shift)
    figure, _ = draw(results | {"differences/categories": moved})
    title = " ".join(figure.get_suptitle().split())
    assert title.endswith(f"{said} categories have parallel differences (b)")
    heading = figure.axes[1].get_title("left")
    n = len(OFFSETS)
    assert heading.endswith(f"beyond flipped signs in {n if shift > 0 else 0} of {n} categories")


def test_without_paraphrases_no_order_is_said():
    contrasts = pd.DataFrame(
        {
            "pooling": "mean",
            "kind": ["paraphrase", "negation"],
            "cosine": [0.9, 0.8],
            "random_weights_cosine": [0.7, 0.6],
        }
    )
    assert _order_words(contrasts).endswith("the same order")
    assert _order_words(contrasts[1:]) == ""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.page.canvas import use_style
from embspace.draw.page.looks import POOLINGS
from embspace.draw.sentences.sentence_meaning import draw_sentence_meaning
from tests.analyses import settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.sentences.test_differences import measure, results_of
from tests.draw.sentences.test_synonyms import results as synonyms
from tests.measure.planted_sentences import planted
from tests.measure.sentences.test_differences import AXES, OFFSETS


def given(differences: dict[str, Any]) -> dict[str, pd.DataFrame]:
    names = ("categories", "cosines", "examples")
    tables = {f"differences/{name}": differences[name] for name in names}
    return tables | {"synonyms/contrasts": synonyms()["contrasts"]}


def draw(results: dict[str, pd.DataFrame]) -> tuple[Figure, str]:
    use_style()
    settings = settings_of(draw_sentence_meaning)
    return draw_sentence_meaning(results, "a model of a long name", **settings)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, pd.DataFrame]:
    found = measure(planted(OFFSETS, 8, n_layers=3))
    return given(results_of(found, tmp_path_factory.mktemp("results")))


@pytest.fixture(scope="module")
def drawn(results) -> tuple[Figure, str]:
    return draw(results)


def of_mean(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["pooling"] == "mean") & (table["layer"] == 2)]


def test_the_numbers_of_the_title_are_printed_at_their_marks(results, drawn):
    figure, _ = drawn
    assert_words_fit(figure)
    kinds = of_mean(results["synonyms/contrasts"]).set_index("kind")["cosine"]
    numbers = [f"{kinds[name]:.2f}" for name in ("paraphrase", "negation")]
    assert all(f"({number})" in figure.get_suptitle() for number in numbers)
    printed = [text.get_text() for text in figure.axes[0].texts]
    assert printed[1:3] == numbers


def test_pairs_are_the_table_beside_random_weights_and_words(results, drawn):
    ax = drawn[0].axes[0]
    rows = of_mean(results["synonyms/contrasts"]).set_index("kind")
    rows = rows.loc[["unrelated", "paraphrase", "negation", "swapped_roles"]]
    drawn_as = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert drawn_as["mean pooling"] == rows["cosine"].tolist()
    look = POOLINGS["mean"]
    [random] = [
        line
        for line in ax.lines
        if line.get_label() == "hollow: random weights" and line.get_marker() == look.marker
    ]
    assert list(random.get_xdata()) == rows["random_weights_cosine"].tolist()
    assert random.get_markerfacecolor() == "none"
    assert len(drawn_as["counts of words"]) == 4
    assert ax.get_yticklabels()[1].get_text() == "Paraphrases (16)"


def test_categories_stand_by_consistency_beside_their_null_and_an_example(results, drawn):
    ax, beside = drawn[0].axes[1:3]
    rows = of_mean(results["differences/categories"]).set_index("category")
    names = [label.get_text() for label in ax.get_yticklabels()]
    rows = rows.loc[names]
    assert rows["consistency"].is_monotonic_decreasing and len(rows) == len(OFFSETS)
    null, interval = (np.array(lines.get_segments())[:, :, 0] for lines in ax.collections)
    assert np.allclose(null, rows.filter(regex="sign_flips_(low|high)$"))
    assert np.allclose(interval, rows[["consistency_low", "consistency_high"]])
    assert len(beside.texts) == len(rows)
    assert all(" → " in text.get_text() for text in beside.texts)


def test_the_matrix_is_a_triangle_in_which_the_null_is_gray(results, drawn):
    ax = drawn[0].axes[-1]
    gray, colored = (int((~np.ma.getmaskarray(mesh.get_array())).sum()) for mesh in ax.collections)
    rows = of_mean(results["differences/cosines"])
    is_null = rows["cosine"].between(rows["null_cosine_low"], rows["null_cosine_high"])
    assert (gray, colored) == (is_null.sum(), (~is_null).sum())
    assert colored > 0
    printed = {text.get_text().replace("−", "-") for text in ax.texts}
    assert printed == {f"{value:z.2f}" for value in rows["cosine"]}


def test_many_categories_have_neither_examples_nor_numbers(tmp_path):
    offsets = {f"c{number}-d": AXES[number] for number in range(14)}
    figure, _ = draw(given(results_of(measure(planted(offsets, 3)), tmp_path)))
    assert not figure.axes[2].texts
    assert not figure.axes[-1].texts


def test_one_category_has_no_matrix(tmp_path):
    figure, _ = draw(given(results_of(measure(planted({"a-b": AXES[0]}, 3)), tmp_path)))
    assert_words_fit(figure)
    assert figure.axes[-1].texts[0].get_text() == "one category alone"


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

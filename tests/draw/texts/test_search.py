import numpy as np
import pandas as pd

from embspace.draw.page.looks import POOLINGS
from embspace.draw.texts.search import draw_search
from embspace.measure.texts.search import SEARCH
from embspace.prepare.sentences import FEWEST
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit

SETTINGS = settings_of(draw_search)


def drawn(table: pd.DataFrame):
    return draw_search(as_drawn(SEARCH, {"csv": table}), "a model of a long name", **SETTINGS)


def table(*corpora: str) -> pd.DataFrame:
    rows = []
    for corpus in corpora:
        keys = [("tf_idf", None, "as_is"), ("bm25", None, "as_is")]
        keys += [
            (pooling, layer, preparation)
            for pooling in ("cls", "mean", "max")
            for layer in range(3)
            for preparation in ("as_is", "centered")
        ]
        for embedding, layer, preparation in keys:
            value = 0.2 if layer is None else 0.1 + 0.3 * layer
            rows.append(
                [
                    corpus,
                    embedding,
                    layer,
                    preparation,
                    20,
                    20,
                    *[value] * 9,
                    0.18,
                    0.05,
                    0.5,
                    *[0.1] * 6,
                ]
            )
    return pd.DataFrame(rows, columns=[*SEARCH.tables["csv"].columns])


def test_a_line_a_pooling_and_a_level_for_words_and_chance():
    figure, _ = drawn(table("one", "two"))
    assert_words_fit(figure)
    assert len(figure.axes) == 4
    for ax in figure.axes:
        assert len(ax.lines) == 3 + 2 + 1
        assert list(ax.lines[0].get_ydata()) == [0.1, 0.4, 0.7]


def test_the_title_says_what_both_find_and_the_subtitle_n():
    for corpus in ("articles", "notes_of_mine"):
        figure, _ = drawn(table(corpus))
        title = " ".join(figure.get_suptitle().split())
        name = corpus.replace("_", " ")
        said = f"half of {name} at a mean reciprocal rank of 0.70, TF-IDF at 0.20"
        assert said in title
        words = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
        assert f"{name}: 20 texts" in words


def test_lines_are_named_at_the_edge_in_their_colors():
    figure, _ = drawn(table("one"))
    ax = figure.axes[1]
    named = {text.get_text(): text.get_color() for text in ax.texts}
    assert named == {line.get_label(): line.get_color() for line in ax.lines}
    assert named["mean pooling"] == POOLINGS["mean"].color
    places = sorted(text.xyann[1] for text in ax.texts)
    assert min(np.diff(places)) > 0.05


def test_the_table_names_the_best_layer_of_each_embedding():
    _, text = drawn(table("one"))
    lines = [line for line in text.splitlines() if line.startswith("| mean")]
    assert len(lines) == 1
    assert "0.70" in lines[0]
    assert FEWEST == 4
    assert "20 texts of four sentences or more, cut in two" in text


def test_without_halves_it_says_so():
    figure, _ = drawn(table())
    assert_words_fit(figure)
    assert "halves: true" in figure.axes[0].texts[0].get_text()

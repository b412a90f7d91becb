import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from embspace.compare.alignment import ALIGNMENT
from embspace.draw.compare.layers_alike import draw_alike, equally_deep
from tests.draw.compare.test_alignment import table


def drawn() -> Axes:
    ax = Figure().subplots()
    draw_alike("one", ax, equally_deep(table()))
    return ax


def test_layers_of_equal_depth_of_the_first_corpus_with_words_alone_are_drawn():
    texts, words, chance = drawn().lines
    assert [list(line.get_xdata()) for line in (texts, words)] == [[0, 1, 2]] * 2
    assert list(texts.get_ydata()) == pytest.approx([0.9, 0.78, 0.66])
    assert (texts.get_ls(), words.get_ls()) == ("-", "--")
    assert list(chance.get_ydata()) == pytest.approx([0.02] * 2)


def test_each_line_has_its_name_at_its_end():
    ax = drawn()
    names = ["articles, texts", "articles, words", "by chance"]
    assert [name.get_text() for name in ax.texts] == names
    assert [name.xy[1] for name in ax.texts] == [line.get_ydata()[-1] for line in ax.lines]


def test_without_common_texts_there_is_no_row():
    assert equally_deep(ALIGNMENT.tables["csv"].of()).empty

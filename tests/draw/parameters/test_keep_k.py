"""Holds the figure of what k tokens keep to its tables."""

from typing import Any

from embspace.draw.parameters.keep_k import draw_keep_k
from embspace.measure.parameters.keep_k import KEEP_K
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.parameters.results import of_keep_k


def drawn(results: dict[str, Any], label: str = "MiniLM") -> tuple[Any, str]:
    settings = settings_of(draw_keep_k)
    return draw_keep_k(as_drawn(KEEP_K, results), label, **settings)


def test_the_title_says_which_inverse_keeps_more():
    results = of_keep_k()
    figure, tables = drawn(results)
    title = " ".join(figure.get_suptitle().split())
    assert "choose the transpose: in up to 500 words it keeps more than the pseudo-inverse" in title
    assert "cosines 0.80 and 0.10" in title
    assert "with 10 words the cosine of values' inner products is 0.80 (0.79 to 0.81)" in title
    assert_words_fit(figure)
    for words in ("k = 1,000", "n = 150", "hidden states", "0.83"):
        assert words in tables
    results["json"] = results["json"] | {"advantage_low": -0.1}
    figure, _ = drawn(results)
    assert "is not told apart from" in " ".join(figure.get_suptitle().split())


def test_curves_are_those_of_their_inverse_and_number():
    figure, _ = drawn(of_keep_k())
    first, second, third = figure.axes
    assert {tuple(line.get_ydata()) for line in first.lines[:-1]} == {(0.8,) * 3}
    assert {tuple(line.get_ydata()) for line in second.lines[:-1]} == {(0.1,) * 3}
    assert list(third.lines[0].get_xdata()) == [75, 150]


def test_an_architecture_that_is_not_known_is_said():
    figure, tables = drawn(of_keep_k(known=False), "Funnel")
    assert "Funnel: the parameters of its architecture are not known here" in tables
    assert_words_fit(figure)

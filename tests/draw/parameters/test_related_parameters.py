"""Holds the figure of related vectors to its tables."""

from typing import Any

from embspace.draw.parameters.related_parameters import draw_related_parameters
from embspace.measure.parameters.related_parameters import RELATED_PARAMETERS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.parameters.results import of_related


def drawn(results: dict[str, Any], label: str = "MiniLM") -> tuple[Any, str]:
    settings = settings_of(draw_related_parameters)
    return draw_related_parameters(as_drawn(RELATED_PARAMETERS, results), label, **settings)


def words_of(figure: Any) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_the_title_says_how_many_units_read_what_they_write():
    figure, tables = drawn(of_related())
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(
        "6 % of the units of MiniLM write 15 % or more of the words that they read, 1 % with "
        "partners dealt anew"
    )
    assert "most in layer 1: 6 %" in title
    assert_words_fit(figure)
    for words in ("states of other texts", "With the final state", "Pairs that are related"):
        assert words in tables


def test_panels_are_of_both_definitions_and_both_states():
    figure, _ = drawn(of_related())
    assert [len(ax.lines) for ax in figure.axes] == [6] * 4
    assert {tuple(line.get_ydata()) for line in figure.axes[2].lines} == {(0.06,) * 3, (0.02,) * 3}


def test_without_texts_there_are_pairs_alone():
    figure, tables = drawn(of_related(has_texts=False))
    assert words_of(figure).count("No text was read") == 2
    assert "None." in tables


def test_an_architecture_that_is_not_known_is_said():
    figure, tables = drawn(of_related(known=False), "Funnel")
    reason = "Funnel: the parameters of its architecture are not known here"
    assert reason in tables
    assert reason in words_of(figure)
    assert_words_fit(figure)

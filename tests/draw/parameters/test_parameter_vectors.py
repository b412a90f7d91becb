"""Holds the figure of vectors in words to its tables."""

from typing import Any

from embspace.draw.parameters.parameter_vectors import draw_parameter_vectors
from embspace.measure.parameters.parameter_vectors import PARAMETER_VECTORS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.parameters.results import of_vectors


def drawn(results: dict[str, Any], label: str = "MiniLM") -> tuple[Any, str]:
    settings = settings_of(draw_parameter_vectors, most_layers=2, most_tokens=2)
    return draw_parameter_vectors(as_drawn(PARAMETER_VECTORS, results), label, **settings)


def test_the_title_counts_groups_above_shuffled_ones():
    results = of_vectors()
    figure, tables = drawn(results)
    title = " ".join(figure.get_suptitle().split())
    assert title.startswith(
        "In 9 of 9 layers and kinds of vectors of MiniLM the words of one are more"
    )
    assert "MLP keys of layer 3: cosine 0.33, 0.10 shuffled" in title
    assert_words_fit(figure)
    for words in ("read by", "most coherent", r"fourth \| six", "pseudo-inverse of"):
        assert words in tables
    results["csv"] = results["csv"].assign(value=0.15)
    figure, _ = drawn(results)
    assert "In 0 of 9 layers" in " ".join(figure.get_suptitle().split())


def test_cards_have_as_many_layers_and_words_as_asked_for():
    figure, _ = drawn(of_vectors())
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    cards = [each for each in words if "\n" in each]
    assert len(cards) == 2 * 3
    assert cards[0] == "first U+306B\n  (7)"
    assert cards[2].endswith("(7, head 2)")


def test_an_architecture_that_is_not_known_is_said():
    figure, tables = drawn(of_vectors(known=False), "Funnel")
    reason = "Funnel: the parameters of its architecture are not known here"
    assert reason in tables
    assert reason in [text.get_text() for ax in figure.axes for text in ax.texts]
    assert_words_fit(figure)

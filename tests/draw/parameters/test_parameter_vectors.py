"""Holds the figure of vectors in words to its tables."""

from typing import Any

from embspace.draw.parameters.parameter_vectors import (
    RELATED,
    RELATED_WITH,
    draw_parameter_vectors,
)
from embspace.measure.parameters.parameter_vectors import PARAMETER_VECTORS
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.draw.parameters.results import related_results, vector_results


def results(*, known: bool = True) -> dict[str, Any]:
    related = related_results(known=known)["pairs"]
    beside = {RELATED: related, RELATED_WITH: {"related_from": 0.15}}
    return vector_results(known=known) | beside


def drawn(given: dict[str, Any], label: str = "MiniLM") -> tuple[Any, str]:
    settings = settings_of(draw_parameter_vectors, most_layers=2, most_tokens=2)
    return draw_parameter_vectors(as_drawn(PARAMETER_VECTORS, given), label, **settings)


def test_the_title_holds_the_most_alike_words_against_shuffled_vectors():
    given = results()
    figure, tables = drawn(given)
    assert " ".join(figure.get_suptitle().split()) == (
        "Words nearest to MLP keys of layer 3 are most alike: mean cosine 0.33 over all vectors, "
        "of shuffled ones 0.15 at most; units share words most often in layer 1"
    )
    assert_words_fit(figure)
    for words in ("read by", "most coherent", r"fourth \| six", "pseudo-inverse of"):
        assert words in tables
    given["csv"] = given["csv"].assign(value=0.15)
    figure, _ = drawn(given)
    assert "no more alike than by chance" in " ".join(figure.get_suptitle().split())


def test_panels_are_of_two_analyses_and_a_list():
    figure, _ = drawn(results())
    assert [ax.get_title("left") or ax.get_title() for ax in figure.axes] == [
        "How alike a vector's words are",
        "Units whose key and value share words",
        "Of each layer the vector whose words are most alike; right: one at random",
    ]


def test_the_list_has_as_many_layers_and_words_as_asked_for():
    figure, _ = drawn(results())
    words = [text.get_text() for text in figure.axes[-1].texts]
    assert words.count("first U+306B") == 2 * 4  # with vectors at random
    assert "MLP values, at random" in words


def test_an_architecture_that_is_not_known_is_said():
    figure, tables = drawn(results(known=False), "Funnel")
    reason = "Funnel: the parameters of its architecture are not known here"
    assert reason in tables
    assert reason in [text.get_text() for ax in figure.axes for text in ax.texts]
    assert_words_fit(figure)

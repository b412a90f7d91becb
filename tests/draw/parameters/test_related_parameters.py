"""Holds the sentence and the tables of related vectors to their rows."""

from typing import Any

from matplotlib.figure import Figure

from embspace.draw.parameters.related_parameters import draw_related, draw_related_parameters
from embspace.measure.parameters.related_parameters import RELATED_PARAMETERS
from tests.analyses import as_drawn
from tests.draw.parameters.results import related_results


def drawn(results: dict[str, Any], label: str = "MiniLM") -> tuple[str, str]:
    return draw_related_parameters(as_drawn(RELATED_PARAMETERS, results), label, digits=2)


def test_the_finding_says_how_many_units_read_what_they_write():
    finding, tables = drawn(related_results())
    assert finding.startswith(
        "6 % of the units of MiniLM write 15 % or more of the words that they read, 1 % with "
        "partners dealt anew"
    )
    assert "most in layer 1: 6 %" in finding
    for words in ("With the final state", "Pairs that are related", "160 tokens of 40 documents"):
        assert words in tables


def test_without_a_related_unit_nothing_is_counted():
    given = related_results()
    given["pairs"] = given["pairs"].assign(value=0.0)
    said = "No unit of MiniLM writes 15 % or more of the words that it reads"
    assert drawn(given)[0] == f"{said}, 1 % do with partners dealt anew"
    given["whole"] = given["whole"].assign(shuffled=0.0)
    assert drawn(given)[0] == f"{said}, as with partners dealt anew"


def test_the_line_is_the_share_of_related_units_beside_others():
    ax = Figure().subplots()
    draw_related(ax, related_results()["pairs"])
    assert [list(line.get_ydata()) for line in ax.lines] == [[0.01] * 3, [0.06] * 3]


def test_without_texts_there_are_pairs_alone():
    _, tables = drawn(related_results(has_texts=False))
    assert "No text was read." in tables
    assert "None." in tables


def test_an_architecture_that_is_not_known_is_said():
    finding, tables = drawn(related_results(known=False), "Funnel")
    assert "not known here" in finding
    assert "Funnel: the parameters of its architecture are not known here" in tables

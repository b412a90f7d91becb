import pytest

from embspace.draw.toys.grammar import draw_grammar
from embspace.measure.toys.grammar import GRAMMAR, measure_grammar
from tests.analyses import as_drawn, settings_of
from tests.grammar.languages import language
from tests.measure.toys.test_grammar import SETTINGS


def draw(results):
    settings = settings_of(draw_grammar)
    return draw_grammar(as_drawn(GRAMMAR, results), "a toy, no model", **settings)


@pytest.fixture(scope="module")
def results():
    return measure_grammar(language(), **SETTINGS)


@pytest.fixture(scope="module")
def drawn(results):
    return draw(results)


@pytest.mark.parametrize(("measured", "said"), [(None, "between"), (99.0, "outside")])
def test_the_finding_says_whether_the_entropy_is_between_its_bounds(results, measured, said):
    summary = results["summary"]
    bounds = summary.set_index("quantity")["exact"]
    middle = (bounds["entropy_lower_bound"] + bounds["entropy_upper_bound"]) / 2
    is_it = summary["quantity"] == "entropy"
    values = summary["measured"].mask(is_it, middle if measured is None else measured)
    finding, _ = draw(results | {"summary": summary.assign(measured=values)})
    assert f"nats per word, {said} the exact bounds" in finding


def test_the_table_has_every_quantity(results, drawn):
    text = drawn[1]
    for quantity in results["summary"]["quantity"]:
        assert f"| {quantity.replace('_', ' ')} " in text
    assert "nan" not in text

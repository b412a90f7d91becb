import numpy as np
import pytest

from embspace.draw.toys.grammar import draw_grammar
from embspace.measure.toys.grammar import GRAMMAR, measure_grammar
from tests.analyses import as_drawn, settings_of
from tests.draw.fits import assert_words_fit
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


def test_entropies_are_those_of_the_table(results, drawn):
    quantities = results["summary"].set_index("quantity")
    measured, single = drawn[0].axes[0].lines
    assert measured.get_ydata() == [quantities["measured"]["entropy"]]
    assert single.get_ydata() == [quantities["exact"]["entropy_of_single_words"]]
    (band,) = drawn[0].axes[0].patches
    bounds = quantities["exact"][["entropy_lower_bound", "entropy_upper_bound"]]
    assert [band.get_y(), band.get_y() + band.get_height()] == pytest.approx(bounds.tolist())


@pytest.mark.parametrize(("measured", "said"), [(None, "between"), (99.0, "outside")])
def test_the_title_says_whether_the_entropy_is_between_its_bounds(results, measured, said):
    summary = results["summary"]
    bounds = summary.set_index("quantity")["exact"]
    middle = (bounds["entropy_lower_bound"] + bounds["entropy_upper_bound"]) / 2
    is_it = summary["quantity"] == "entropy"
    values = summary["measured"].mask(is_it, middle if measured is None else measured)
    figure, _ = draw(results | {"summary": summary.assign(measured=values)})
    assert f"nats per word, {said} the exact bounds" in figure.get_suptitle().replace("\n", " ")


def test_distributions_are_those_of_the_table_with_two_standard_errors(results, drawn):
    agreement = results["agreement"][results["agreement"]["exact"] >= 0.001]
    for ax, quantity in zip(drawn[0].axes[1:], ("distance", "attractors"), strict=True):
        rows = agreement[agreement["quantity"] == quantity]
        exact, measured = ax.lines
        for line, column in ((exact, "exact"), (measured, "measured")):
            assert np.array_equal(line.get_xdata(), rows["count"])
            assert np.array_equal(line.get_ydata(), rows[column])
        (bars,) = ax.collections
        lengths = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
        assert lengths == pytest.approx((4 * rows["standard_error"]).tolist())


def test_words_fit_and_the_table_has_every_quantity(results, drawn):
    figure, text = drawn
    assert_words_fit(figure)
    assert figure.get_label() == "measure_grammar"
    for quantity in results["summary"]["quantity"]:
        assert f"| {quantity.replace('_', ' ')} " in text
    assert "nan" not in text

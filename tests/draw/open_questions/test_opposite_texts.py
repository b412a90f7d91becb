from typing import Any

import pytest
from matplotlib.figure import Figure

from embspace.analysis import Outcome
from embspace.draw.open_questions.opposite_texts import draw_opposite_texts
from embspace.measure.open_questions.opposite_texts import OPPOSITE_TEXTS
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_opposite_texts import Judge, measured

CONF = "conf/measure/open_questions/opposite_texts.yaml"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured()


def drawn(given: Outcome) -> tuple[Figure, Any]:
    results = as_drawn(OPPOSITE_TEXTS, given, **{CONF: read_yaml(ROOT / CONF)})
    return draw_opposite_texts(results, "a model", **settings_of(draw_opposite_texts))


def test_lines_are_the_steps_and_dots_the_least_alike_sentence(outcome: Outcome):
    figure, _ = drawn(outcome)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    rows = outcome["csv"].query("search == 'free'")
    assert lines["any word"].get_ydata() == pytest.approx(rows["cosine"].to_numpy())
    dotted = lines["least alike sentence"].get_ydata()
    assert list(dotted) == [outcome["json"]["corpus_cosine"]] * 2
    assert_words_fit(figure)


def test_title_says_what_is_not_checkable(outcome: Outcome):
    title = " ".join(drawn(outcome)[0].get_suptitle().split())
    assert title.startswith("No opposites: 2 changed words lower the cosine to")
    assert title.endswith("whether texts are fluent is not checkable here")


def test_title_has_the_cosine_of_fluent_texts():
    heard = measured(Judge(), quantile=0.9)
    smallest = heard["searches"].set_index("search").loc["judged", "smallest"]
    title = " ".join(drawn(heard)[0].get_suptitle().split())
    assert title.endswith(f"with fluent texts to {smallest:.2f}".replace("-", "−"))
    table = heard["searches"].assign(finds_opposites="yes")
    assert drawn({**heard, "searches": table})[0].get_suptitle().startswith("Opposites are found")

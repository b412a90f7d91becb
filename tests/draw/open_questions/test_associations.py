import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.app.page.nothing import says_nothing
from embspace.draw.open_questions.associations import (
    DODGE,
    _finding,
    _is_control,
    draw_associations,
)
from embspace.measure.open_questions.associations import ASSOCIATIONS
from embspace.settings.schema import read_yaml
from tests.analyses import ROOT, as_drawn, settings_of
from tests.draw.fits import assert_words_fit
from tests.measure.open_questions.test_associations import measured, planted

CONF = "conf/measure/open_questions/associations.yaml"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> tuple[Figure, pd.DataFrame]:
    outcome = measured(planted(8.0), monkeypatch)
    results = as_drawn(ASSOCIATIONS, outcome, **{CONF: read_yaml(ROOT / CONF)})
    figure, _ = draw_associations(results, "a model", **settings_of(draw_associations))
    return figure, outcome["csv"]


def test_title_says_at_which_layers_an_association_is_present(
    drawn: tuple[Figure, pd.DataFrame],
):
    figure, _ = drawn
    assert (
        figure.get_suptitle().strip()
        == "Associations are present, in words or sentences, at all layers: planted"
    )
    assert_words_fit(figure)


def test_title_counts_an_association_that_only_sentences_have(
    drawn: tuple[Figure, pd.DataFrame],
):
    _, table = drawn
    presence = (table["vectors"] == "sentence").map({True: "yes", False: "no"})
    assert set(presence) == {"yes", "no"}
    assert _finding(table.assign(is_present=presence)).endswith("at some: planted")
    none = _finding(table.assign(is_present="no", test="one_other"))
    assert none == "No association is present at any layer: one-other"
    assert says_nothing(none)


@pytest.mark.parametrize(("is_present", "is_filled"), [("yes", True), ("no", False)])
def test_the_key_has_filled_marks_where_an_association_is_present(
    is_present: str, is_filled: bool, monkeypatch: pytest.MonkeyPatch
):
    outcome = measured(planted(8.0), monkeypatch)
    given = {name: outcome[name].assign(test="one_other") for name in ("csv", "words")} | {
        "csv": outcome["csv"].assign(test="one_other", is_present=is_present)
    }
    results = as_drawn(ASSOCIATIONS, {**outcome, **given}, **{CONF: read_yaml(ROOT / CONF)})
    figure, text = draw_associations(results, "a model", **settings_of(draw_associations))
    keys = [line for line in figure.axes[0].lines if line.get_label() in ("words (WEAT)",)]
    assert [line.get_markerfacecolor() != "white" for line in keys] == [is_filled]
    assert "one-other" in text and "one_other" not in text


def test_words_of_one_kind_are_a_control():
    assert _is_control("trees_trees") and not _is_control("flowers_insects")


def test_lines_are_the_effects_with_the_embedding_in_front(drawn: tuple[Figure, pd.DataFrame]):
    figure, table = drawn
    lines = [
        line for line in figure.axes[0].lines if list(line.get_xdata()) == [-1 - DODGE, -DODGE]
    ]
    rows = table[table["vectors"] != "sentence"]
    assert lines[0].get_ydata() == pytest.approx(rows["effect"].to_numpy())

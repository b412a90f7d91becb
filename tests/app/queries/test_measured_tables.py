import pytest

from embspace.app.api import Spaces
from embspace.errors import InputError
from tests.app.queries.measured_study import TEXTS, s, study
from tests.loaded.folders import tree

__all__ = ["s", "study", "tree"]


def test_the_figure_shows_these_results_under_the_name_of_the_model(s: Spaces):
    from matplotlib import rcParams

    size = rcParams["font.size"]
    tables = s.measure("search")
    figure = tables.plot()
    assert figure.axes
    assert "tiny" in " ".join(text.get_text() for text in figure.texts)
    assert rcParams["font.size"] == size  # the style is not left behind
    with pytest.raises(InputError, match=r"search\.yaml: key 'heigth_mm'"):
        tables.plot(heigth_mm=3)


def test_a_figure_is_brought_what_it_shows_of_other_analyses(s: Spaces):
    labels = [ax.get_ylabel() for ax in s.measure("regimes").plot().axes]
    assert any(labels)


def test_sentences_speak_of_these_texts_and_settings(s: Spaces):
    usual = s.measure("explained_variance").cite()
    other = s.measure("explained_variance", shares=[0.25]).cite()
    assert "tiny" in usual.text
    assert "25 %" in other.text and "25 %" not in usual.text
    assert f"{len(TEXTS)} texts" in s.measure("search").cite().text

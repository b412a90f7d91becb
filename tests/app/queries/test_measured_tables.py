import pickle
from pathlib import Path

import pytest

import embspace
from embspace.app.api import Spaces
from embspace.app.queries.shown import ShownTables
from embspace.errors import InputError
from tests.app.queries.measured_study import TEXTS, s, study
from tests.lazy import transformers
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
    with pytest.raises(InputError, match=r"tasks\.yaml: key 'heigth_mm'"):
        tables.plot(heigth_mm=3)


def test_a_figure_is_brought_what_it_shows_of_other_analyses(s: Spaces):
    tables = s.measure("regimes", unstructured_positions=[0, 3])
    figure = tables.plot()  # that of the positions, whose strip has the regimes
    assert figure.get_label() == "measure_positions"
    words = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    assert all(f"{norm:.3f}" in words for norm in tables["summary"]["mean_norm"])


def test_sentences_speak_of_these_texts_and_settings(s: Spaces):
    usual = s.measure("explained_variance").cite()
    other = s.measure("explained_variance", shares=[0.25]).cite()
    assert "tiny" in usual.text
    assert "25 %" in other.text and "25 %" not in usual.text
    assert f"{len(TEXTS)} texts" in s.measure("search").cite().text


def test_what_few_texts_do_not_say_is_told(study: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(study)
    tables = embspace.spaces("tiny", ["the cat sat", "a dog"]).measure("search")
    with pytest.raises(InputError, match="no value; the texts are too few") as raised:
        tables.cite()
    assert "dvc repro" not in str(raised.value)


def test_a_result_that_is_not_there_is_told(s: Spaces, monkeypatch: pytest.MonkeyPatch):
    tables = s.measure("explained_variance", shares=[0.125])
    for file in (tables._inputs.folder / "results/explained_variance").rglob("*.*"):
        file.unlink()
    with pytest.raises(InputError, match=r"results/explained_variance/.*no result of this process"):
        tables.cite()


def test_a_model_in_memory_is_called_one_and_its_folder_is_not_named(
    study: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(study)
    place = str(study / "models/tiny")
    model = transformers.AutoModel.from_pretrained(place)
    tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    tables = embspace.spaces(model, TEXTS, tokenizer=tokenizer).measure("explained_variance")
    said = tables.cite()
    assert "tiny was a model in memory (BertModel, float32)." in said.text
    assert str(study) not in said.text + " ".join(said.notes)
    drawn = " ".join(text.get_text() for text in tables.plot().texts)
    assert "tiny" in drawn and str(study) not in drawn


def test_tables_are_pickled_and_shown_elsewhere(s: Spaces):
    tables = s.measure("explained_variance")
    elsewhere = pickle.loads(pickle.dumps(tables))
    assert type(elsewhere) is ShownTables and elsewhere.keys() == tables.keys()
    assert all(elsewhere[name].equals(tables[name]) for name in tables)

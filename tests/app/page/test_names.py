import shutil
from pathlib import Path

import pytest

from embspace.app.page.names import Named, called_in, listed_names, names_of, unknown
from tests.app.page.trees import write_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path)


def test_each_name_has_its_kind(tree: Path):
    kinds = {name: known.kind for name, known in names_of(tree).items()}
    assert kinds == {"a": "model", "b": "model", "r": "run", "t": "corpus", "a--b": "pair"}


def test_a_model_keeps_a_name_that_it_shares(tree: Path):
    shutil.copy(tree / "conf/corpus/t.yaml", tree / "conf/corpus/a.yaml")
    assert names_of(tree)["a"].kind == "model"


def test_models_of_one_label_are_called_by_their_names(tree: Path):
    assert names_of(tree)["a--b"].label == "A and B"
    shutil.copy(tree / "conf/model/a.yaml", tree / "conf/model/b.yaml")
    assert names_of(tree)["a--b"].label == "a and b"


def test_a_file_whose_name_would_lead_out_of_reports_is_none(tree: Path):
    shutil.copy(tree / "conf/corpus/t.yaml", tree / "conf/corpus/...yaml")
    shutil.copy(tree / "conf/corpus/t.yaml", tree / "conf/corpus/<b>.yaml")
    assert [*names_of(tree)] == ["a", "b", "r", "t", "a--b"]


def test_all_are_those_of_params_and_those_with_results(tree: Path):
    assert [name.name for name in listed_names(tree)] == ["a", "r", "a--b", "t"]
    (tree / "params.yaml").write_text("models: [b]\ncorpora: []\ncompared: {}\ntrained: []\n")
    assert [name.name for name in listed_names(tree)] == ["a", "b", "r", "a--b"]


def test_what_computes_a_name_can_be_typed():
    assert Named("model", "a", "A").command == "embspace report a"
    said = "embspace run  # with `r` under `trained` in params.yaml"
    assert Named("run", "r", "R").command == said
    assert (
        "`a--b: {model: a, other_model: b}` under `compared`" in Named("pair", "a--b", "").command
    )


def test_an_unknown_name_is_told_what_is_allowed(tree: Path):
    said = unknown("tt", tree)
    assert "did you mean 't'?" in said
    assert said.splitlines()[2:] == ["  runs: r", "  pairs: a--b", "  corpora: t"]


def test_what_a_user_brought_is_called_as_their_folder_or_file(tree: Path):
    own = "label: my_model\nlicense: unknown\nlanguage: unknown\n"
    (tree / "conf/model/my_model-01234567.yaml").write_text(own)
    (tree / "conf/corpus/texts_of_my.yaml").write_text(own.replace("my_model", "my.csv"))
    assert called_in(tree, "model", "my_model-01234567") == "my_model"
    assert called_in(tree, "corpus", "texts_of_my") == "my.csv"
    assert called_in(tree, "model", "a") == "a" and called_in(tree, "corpus", "t") == "t"
    assert called_in(tree, "model", "nothing") == "nothing"

import shutil
from pathlib import Path
from typing import Any

import pytest
from jinja2 import StrictUndefined, UndefinedError

from embspace.cite.command import marked_text
from embspace.cite.facts import Facts, NoResults, described_corpus
from embspace.cite.methods import Methods, all_methods, load_methods
from embspace.errors import InputError
from tests.cite.tree import edit, make_tree
from tests.verify.tree import put

CSV = "results/things/<model>.csv"
JSON = "results/things/<model>.json"
TABLE = "corpus,layer,n,name\narticles,0,12,a\nposts,1,30522,b\nposts,2,30522,\n"


@pytest.mark.parametrize("noun", all_methods())
def test_every_fact_of_a_template_has_a_value_in_the_results(
    noun: str, root: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = Facts.rows

    def rows_that_are_there(facts: Facts, *cell: str, **where: Any) -> Any:
        result = rows(facts, *cell, **where)
        assert not isinstance(result, StrictUndefined), (cell, where)
        return result

    monkeypatch.chdir(root)
    monkeypatch.setattr(Facts, "rows", rows_that_are_there)
    methods = load_methods(noun)
    assert marked_text(methods, Facts(methods, "minilm"))


@pytest.fixture
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_tree(root, tmp_path)
    put(str(tmp_path / "results/things/minilm.csv"), TABLE)
    put(str(tmp_path / "results/things/minilm.json"), '{"minilm": {"n": 7}, "none": null}')
    put(str(tmp_path / "conf/measure/things.yaml"), "level: 0.95\n")
    edit(tmp_path / "params.yaml", "corpora", ["articles", "posts"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts_of(model: str = "minilm") -> Facts:
    return Facts(Methods("measure_things", "{{ model }}"), model)


def test_cells_by_row_and_column(tree: Path):
    facts = facts_of()
    assert facts.value(CSV, "n", layer=0) == 12
    assert facts.value(CSV, "n", corpus=["posts", "other"]) == 30522
    assert facts.values(CSV, "layer") == [0, 1, 2]
    assert facts.values(CSV, "n") == [12, 30522]
    assert facts.value(CSV, "name", corpus="posts") == "b"
    assert facts.value(JSON, "<model>.n") == 7
    assert facts.rows(CSV, "n", "corpus") == [(12, "articles"), (30522, "posts")]


def test_rows_about_corpora_that_are_not_listed_do_not_count(tree: Path):
    edit(tree / "params.yaml", "corpora", ["articles"])
    assert facts_of().values(CSV, "layer") == [0]


def test_a_corpus_in_words(tree: Path):
    assert described_corpus("articles") == "articles (distributed with embspace; CC0-1.0)"


def test_a_setting_that_is_null_is_undefined(tree: Path):
    put(str(tree / "conf/measure/things.yaml"), "level: null\n")
    with pytest.raises(UndefinedError, match="things.yaml: key 'level' is null"):
        str(facts_of().conf("measure", "things")["level"])


def test_where_a_row_was_looked_for_is_said_in_words(tree: Path):
    with pytest.raises(UndefinedError, match="no value where corpus is a or b and layer is 9"):
        str(facts_of().value(CSV, "n", corpus=["a", "b"], layer=9))


def test_outside_of_a_tree_the_file_that_is_not_there_is_named(tree: Path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(outside)
        message = "params.yaml: not found in .*; run in a study, which `embspace init` makes"
        with pytest.raises(InputError, match=message):
            facts_of()
    shutil.rmtree(tree / "conf/model")
    with pytest.raises(InputError, match="conf/model: describes no model; expected files"):
        facts_of()


@pytest.mark.parametrize(
    ("file", "columns", "where"),
    [
        (CSV, ["n"], {"layer": 9}),
        (CSV, ["name"], {"layer": 2}),
        (CSV, ["n", "name"], {"layer": 2}),
        (JSON, ["none"], {}),
        (JSON, ["other"], {}),
    ],
)
def test_what_the_results_do_not_have_is_undefined(
    tree: Path, file: str, columns: list[str], where: dict[str, Any]
):
    with pytest.raises(UndefinedError, match=f"results/things/minilm.*, column '{columns[0]}'"):
        list(facts_of().rows(file, *columns, **where))


@pytest.mark.parametrize(
    ("model", "cell", "message"),
    [
        ("minilm", (CSV, "n"), "minilm.csv, column 'n': 2 different values"),
        ("minilm", (CSV, "m"), "minilm.csv: no column 'm'"),
        ("minilm", ("results/no/<model>.csv", "n"), "no/minilm.csv: not found; `dvc repro` makes"),
        ("minilm_random", (CSV, "n"), "list 'minilm_random' under `models` in params.yaml"),
        ("minlm", (CSV, "n"), "model: found 'minlm'; did you mean 'minilm'"),
    ],
)
def test_what_is_wrong_is_told(tree: Path, model: str, cell: tuple[str, str], message: str):
    with pytest.raises(InputError, match=message):
        facts_of(model).value(*cell)


def test_results_that_are_not_there_are_told_from_other_mistakes(tree: Path):
    with pytest.raises(NoResults):
        facts_of().value("results/no/<model>.csv", "n")
    with pytest.raises(InputError) as raised:
        facts_of().conf("measure", "nothing")["level"]  # which is not found, too
    assert not isinstance(raised.value, NoResults)


def test_a_column_that_rows_are_chosen_by_is_there(tree: Path):
    with pytest.raises(InputError, match="minilm.csv: no column 'kind'"):
        facts_of().value(CSV, "n", kind="x")


def test_settings_are_those_of_conf_with_params_filled_in(tree: Path):
    edit(tree / "params.yaml", "seed", 17)
    facts = facts_of()
    settings = facts.conf("measure", "things")
    assert (settings["level"], settings["seed"]) == (0.95, 17)
    with pytest.raises(InputError, match="things.yaml: key 'width' is missing"):
        settings["width"]
    with pytest.raises(InputError, match="conf/measure/nothing.yaml: not found"):
        facts.conf("measure", "nothing")["width"]


def test_a_window_is_of_so_many_tokens_as_the_model_reads_at_once(tree: Path):
    """At most those of the setting, 512, which share 64."""

    def window() -> tuple[int, int]:
        facts = facts_of()
        return facts.window_length(), facts.window_overlap()

    assert window() == (512, 64)  # nothing was measured that says otherwise
    put(str(tree / "results/architecture/minilm.json"), '{"minilm": {"n_positions": 258}}')
    assert window() == (258, 32)
    put(str(tree / "results/regimes/minilm.json"), '{"n_positions": 256}')  # without RoBERTa's two
    assert window() == (256, 32)
    put(str(tree / "results/regimes/minilm.json"), '{"n_positions": 0}')
    put(str(tree / "results/architecture/minilm.json"), '{"minilm": {"n_positions": 2048}}')
    assert window() == (512, 64)
    edit_window = tree / "conf/model/minilm.yaml"
    edit_window.write_text(f"{edit_window.read_text()}window: 128\n")
    assert window() == (128, 16)


def test_a_toy_has_no_model(tree: Path):
    facts = Facts(Methods("measure_toys", "No model."), "whatever")
    assert facts.model is None
    assert "model" not in facts.variables()

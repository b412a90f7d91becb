import shutil
from pathlib import Path
from typing import Any

import pytest

from embspace.cite.facts import Facts
from embspace.cite.methods import Methods, load_methods, nouns
from embspace.cite.wording import Absent, placeholders, worded
from embspace.errors import InputError
from embspace.settings.schema import validate
from tests.cite.tree import edit, make_tree
from tests.verify.tree import put

CSV = "results/things/{model}.csv"
TABLE = "corpus,layer,n,name\narticles,0,12,a\nposts,1,30522,b\nposts,2,30522,\n"


@pytest.mark.parametrize("noun", nouns())
def test_every_placeholder_has_a_value_in_the_results(
    noun: str, root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    methods = load_methods(noun)
    facts = Facts(methods, "minilm")
    for name in placeholders(methods.template):
        assert worded(facts.value(name), "count" if "numer" in name else "")


@pytest.fixture
def tree(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_tree(root, tmp_path)
    (tmp_path / "results").unlink()
    put(str(tmp_path / "results/things/minilm.csv"), TABLE)
    put(str(tmp_path / "results/things/minilm.json"), '{"minilm": {"n": 7}, "none": null}')
    put(str(tmp_path / "conf/measure/things.yaml"), "level: 0.95\nseed: ${seed}\n")
    edit(tmp_path / "params.yaml", "corpora", ["articles", "posts"])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts_of(model: str = "minilm", **number: Any) -> Facts:
    kind = "lists" if "item" in number else "numbers"
    content = {
        "noun": "things",
        "verb": "measure",
        kind: {"it": {"file": CSV, **number}},
        "sentences": ["{it}"],
    }
    return Facts(validate(Methods, content, "things.yaml"), model)


def value(model: str = "minilm", **number: Any) -> Any:
    return facts_of(model, **number).value("it")


def test_numbers_by_row_and_by_what_is_taken_of_them(tree: Path):
    assert value(column="n", where={"layer": 0}) == 12
    assert value(column="n", where={"corpus": ["posts", "other"]}) == 30522
    assert value(column="layer", take="largest") == 2
    assert value(column="n", take="distinct") == 2
    assert value(column="name", having="name", where={"corpus": "posts"}) == "b"
    assert value(file="results/things/{model}.json", column="{model}.n") == 7


def test_rows_about_corpora_that_are_not_listed_do_not_count(tree: Path):
    edit(tree / "params.yaml", "corpora", ["articles"])
    assert value(column="layer", take="largest") == 0


def test_a_list_has_a_phrase_for_each_row_and_none_twice(tree: Path):
    assert value(item="{n} of {corpus}") == "12 of articles and 30,522 of posts"
    assert value(item="{texts}", where={"layer": 0}) == (
        "articles (distributed with embspace; CC0-1.0)"
    )


def test_a_list_may_name_its_corpora_in_another_column(tree: Path):
    put(str(tree / "results/things/minilm.csv"), "tokens,n\nposts,7\narticles,8\n")
    named = "7 of posts (distributed with embspace; CC0-1.0)"
    assert value(item="{n} of {texts}", corpus="tokens").startswith(f"{named} and 8 of articles")
    edit(tree / "params.yaml", "corpora", ["posts"])
    assert value(item="{n} of {texts}", corpus="tokens") == named


def test_a_setting_that_is_null_is_absent(tree: Path):
    put(str(tree / "conf/measure/things.yaml"), "level: null\n")
    with pytest.raises(Absent, match="things.yaml: key 'level' is null"):
        facts_of(column="n").value("settings.level")


def test_where_a_row_was_looked_for_is_said_in_words(tree: Path):
    with pytest.raises(Absent, match="no value where corpus is a or b and layer is 9"):
        value(column="n", where={"corpus": ["a", "b"], "layer": 9})


def test_outside_of_a_tree_the_file_that_is_not_there_is_named(tree: Path, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(outside)
        message = "params.yaml: not found in .*; run from the root of an embspace tree"
        with pytest.raises(InputError, match=message):
            facts_of(column="n")
    shutil.rmtree(tree / "conf/model")
    with pytest.raises(InputError, match="conf/model: describes no model; expected files"):
        facts_of(column="n")


@pytest.mark.parametrize(
    "number",
    [
        {"column": "n", "where": {"layer": 9}},
        {"column": "other"},
        {"column": "none", "file": "results/things/{model}.json"},
        {"item": "{n}", "where": {"layer": 9}},
    ],
)
def test_what_the_results_do_not_have_is_absent(tree: Path, number: dict[str, Any]):
    with pytest.raises(Absent, match="results/things/minilm"):
        value(**number)


@pytest.mark.parametrize(
    ("model", "number", "message"),
    [
        ("minilm", {"column": "n"}, "minilm.csv, column 'n': 2 different values"),
        ("minilm", {"item": "{m}"}, "no column 'm'"),
        ("minilm", {"column": "n", "file": "results/no/{model}.csv"}, "`dvc repro` makes it"),
        ("minilm_random", {"column": "n"}, "list 'minilm_random' under `models` in params.yaml"),
        ("minlm", {"column": "n"}, "--model: found 'minlm', allowed: .*did you mean 'minilm'"),
    ],
)
def test_what_is_wrong_is_told(tree: Path, model: str, number: dict[str, Any], message: str):
    with pytest.raises(InputError, match=message):
        value(model, **number)


def test_settings_are_those_of_conf_with_params_filled_in(tree: Path):
    edit(tree / "params.yaml", "seed", 17)
    facts = facts_of(column="n")
    assert facts.value("settings.level") == 0.95
    assert facts.value("settings.seed") == 17
    assert facts.value("extract.hidden_states.window_length") == 512
    with pytest.raises(InputError, match="things.yaml: key 'width' is missing"):
        facts.value("settings.width")
    with pytest.raises(InputError, match="conf/measure/nothing.yaml: not found"):
        facts.value("measure.nothing.width")


def test_a_toy_has_no_model(tree: Path):
    content = {"noun": "t", "verb": "measure", "toy": True, "sentences": ["No model."]}
    assert Facts(validate(Methods, content, "t.yaml"), "whatever").model is None

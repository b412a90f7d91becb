import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.cite.methods import Methods, all_papers, load_methods, nouns, papers_of
from embspace.errors import InputError
from embspace.settings.schema import validate
from embspace.settings.stage import FROM_PARAMS, settings_path

VERBS = ("measure", "project", "compare")
GOOD: dict[str, Any] = {
    "noun": "things",
    "verb": "measure",
    "numbers": {"n": {"file": "results/things/{model}.csv", "column": "n"}},
    "sentences": ["{n} things of {model} at {settings.level}."],
}


def drawn(root: Path) -> list[str]:
    """The nouns that have a figure, whichever stage draws it."""
    found = []
    for path in sorted((root / "src/embspace/draw").glob("*.py")):
        module = ast.parse(path.read_text())
        names = {each.name for each in module.body if isinstance(each, ast.FunctionDef)}
        if f"draw_{path.stem}" in names:
            found.append(path.stem)
    return found


# Measured of the models of a run, which `embspace cite` does not know: it is asked about models.
OF_RUNS = ["checkpoints", "dynamics", "training", "training_claims"]
# Measured for other stages alone, which say it with their own.
INNER = ["random_weights"]


def test_every_figure_has_its_sentences(root: Path):
    assert len(drawn(root)) > 20
    assert sorted(set(drawn(root)) - set(nouns())) == OF_RUNS


def test_every_analysis_has_its_sentences_and_no_other(root: Path):
    settings = {path.stem: v for v in VERBS for path in (root / "conf" / v).rglob("*.yaml")}
    expected = {noun: verb for noun, verb in settings.items() if noun not in [*OF_RUNS, *INNER]}
    assert {noun: load_methods(noun).verb for noun in nouns()} == expected


@pytest.mark.parametrize("noun", nouns())
def test_every_setting_is_said_or_named_as_not_said(noun: str, root: Path):
    methods = load_methods(noun)
    settings = yaml.safe_load(settings_path(methods.verb, noun, root).read_text())
    assert {*methods.settings_said, *methods.not_said} - set(FROM_PARAMS) == set(settings)


@pytest.mark.parametrize("noun", nouns())
def test_two_to_five_sentences(noun: str):
    assert 2 <= len(load_methods(noun).sentences) <= 5


def test_what_is_right_is_taken():
    methods = validate(Methods, GOOD, "things.yaml")
    assert (methods.stage, methods.settings_said) == ("measure_things", {"level"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentences": ["{m} things of {n}."]}, "no number or list is named m"),
        ({"sentences": ["Things of {model}."]}, "no sentence has n"),
        ({"not_said": ["level"]}, "`not_said`, but said: level"),
        ({"sentences": []}, "key 'sentences'"),
        ({"verb": "draw"}, "key 'verb'"),
        ({"sentence": ["{n}"]}, "key 'sentence' is unknown"),
        ({"toy": True}, "no number or list is named model"),
        ({"toy": True, "sentences": ["{n}"]}, "`file` is named toy, found results/things/"),
        ({"numbers": {"n": {"file": "data/{model}.csv", "column": "n"}}}, "key 'numbers.n.file'"),
        ({"numbers": {"n": {"file": "results/minilm.csv", "column": "n"}}}, "is named {model}"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, Any], message: str):
    with pytest.raises(InputError, match="things.yaml") as caught:
        validate(Methods, GOOD | change, "things.yaml")
    assert message in str(caught.value)


def test_an_unknown_noun_is_told_which_it_may_be():
    with pytest.raises(InputError, match="found 'similarty', allowed: .*mean 'similarity'"):
        load_methods("similarty")


def test_papers_of_models():
    assert papers_of("sentence-transformers/all-MiniLM-L6-v2") == ["wang2020", "reimers2019"]
    assert papers_of("nobody/nothing") == papers_of(None) == []
    assert {"wang2020", "devlin2019"} <= set(all_papers())

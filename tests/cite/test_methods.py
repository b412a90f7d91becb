import ast
import re
from pathlib import Path

import pytest
import yaml

from embspace.cite.methods import Methods, all_methods, all_papers, load_methods, papers_of
from embspace.errors import InputError
from embspace.settings.params import TOY
from embspace.settings.stage import FROM_PARAMS
from tests.cite.tree import settings_of, settings_said

VERBS = ("measure", "project", "compare")
NOT_SAID = re.compile(r"{# Not said: ([\w, ]+)\.")


def drawn(root: Path) -> list[str]:
    """The nouns that have a figure, whichever stage draws it."""
    nouns = []
    for path in sorted((root / "src/embspace/draw").rglob("*.py")):
        module = ast.parse(path.read_text())
        names = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
        if f"draw_{path.stem}" in names:
            nouns.append(path.stem)
    return nouns


# Measured of the models of a run, which `embspace cite` does not know: it is asked about models.
OF_RUNS = ["attribution", "checkpoints", "class_flow", "dynamics", "head_dynamics"]
OF_RUNS += ["parameter_alignment", "run_head_pairs", "sequence_attention", "stitching", "training"]
OF_RUNS += ["training_claims", "tuning_words"]
# Measured for other stages alone, which say it with their own.
INNER = ["random_weights"]


def test_every_figure_has_its_sentences(root: Path):
    assert len(drawn(root)) > 20
    measured = {path.stem for verb in VERBS for path in (root / "conf" / verb).rglob("*.yaml")}
    nouns = measured & set(drawn(root))  # a further figure is of another's results
    assert sorted(nouns - set(all_methods())) == OF_RUNS


def test_every_analysis_has_its_sentences_and_no_other(root: Path):
    settings = {path.stem: v for v in VERBS for path in (root / "conf" / v).rglob("*.yaml")}
    expected = {noun: verb for noun, verb in settings.items() if noun not in [*OF_RUNS, *INNER]}
    assert {noun: methods.verb for noun, methods in all_methods().items()} == expected


@pytest.mark.parametrize("noun", all_methods())
def test_every_setting_is_said_or_named_as_not_said(
    noun: str, root: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(root)
    methods = load_methods(noun)
    said, not_said = settings_said(methods.template), NOT_SAID.findall(methods.template)
    named = [*said, *", ".join(not_said).split(", ")] if not_said else [*said]
    settings = yaml.safe_load(settings_of(methods).read_text())
    assert sorted(set(named) - set(FROM_PARAMS)) == sorted(settings)


@pytest.mark.parametrize("noun", all_methods())
def test_two_to_five_sentences(noun: str):
    ends = re.findall(r"\.(?:{% endif %})?$", load_methods(noun).template, re.MULTILINE)
    assert 2 <= len(ends) <= 5


@pytest.mark.parametrize("noun", all_methods())
def test_results_are_those_of_the_model_or_of_a_toy(noun: str):
    methods = load_methods(noun)
    stem = "<model>" if methods.names_model else TOY
    files = re.findall(r'"(results/.*?)"', methods.template)
    assert {Path(file).stem for file in files} <= {stem}


def test_verb_and_noun_are_read_from_the_name_of_the_file():
    methods = Methods("measure_random_things", '{{ value("<model>.csv", "n") }} of {{ model }}')
    assert (methods.verb, methods.noun) == ("measure", "random_things")
    assert methods.names_model
    assert not Methods("measure_toys", '{{ value("model.csv", "n") }} of no model').names_model


def test_an_unknown_noun_is_told_which_it_may_be():
    expected = r"found 'similarty'; did you mean 'similarity'\? allowed: alignment, "
    with pytest.raises(InputError, match=expected):
        load_methods("similarty")


def test_papers_of_models():
    assert papers_of("sentence-transformers/all-MiniLM-L6-v2") == ["wang2020", "reimers2019"]
    assert papers_of("nobody/nothing") == papers_of(None) == []
    assert {"wang2020", "devlin2019"} <= set(all_papers())

import re
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import InputError
from embspace.settings.run import (
    CausalLanguageModeling,
    MaskedLanguageModeling,
    SequenceClassification,
    describe_run,
    run_file,
)
from embspace.settings.schema import read_yaml
from tests.conftest import ROOT
from tests.train.runs import CAUSAL, CLASSIFIED, GPT, MASKED, PAIRED, content

BASE = {"base": "minilm", "architecture": None, "matrices": None}
ENCODER = {"pretraining": MASKED, "classification": CLASSIFIED}


def refused(given: dict[str, Any]) -> str:
    with pytest.raises(InputError) as raised:
        describe_run("mine", given)
    message = str(raised.value)
    assert message.startswith("conf/train/mine.yaml: ")
    return message


def without(key: str, given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != key}


@pytest.mark.parametrize("file", sorted((ROOT / "conf/train").glob("*.yaml")), ids=lambda f: f.stem)
def test_the_runs_of_the_project_are_runs(file: Path):
    run = describe_run(file.stem, read_yaml(file))
    assert (ROOT / f"conf/corpus/{run.corpus}.yaml").is_file()
    assert run.base is None or (ROOT / f"conf/model/{run.base}.yaml").is_file()


def test_a_run_says_what_its_file_says():
    run = (
        describe_run("mine", content({**ENCODER, "again": CLASSIFIED}, seeds=[3, 1]))
        if 0
        else (describe_run("mine", content(ENCODER, seeds=[3, 1])))
    )
    assert run_file("mine") == "conf/train/mine.yaml"
    assert list(run.phases) == ["pretraining", "classification"]
    assert run.seeds == [3, 1]
    assert run.phases["pretraining"].learning_rate == MASKED["learning_rate"]
    assert run.precision == "float32"


def test_an_architecture_may_have_a_norm_at_its_end():
    assert describe_run("mine", content({"a": CAUSAL}, final_norm="ln_f")).final_norm == "ln_f"
    assert describe_run("mine", content({"a": CAUSAL})).final_norm is None


def test_each_objective_has_its_own_keys():
    phases = {"a": PAIRED, "b": CAUSAL, "c": without("trainable_layers", CLASSIFIED)}
    described = describe_run("mine", content(phases)).phases
    assert isinstance(described["a"], MaskedLanguageModeling)
    assert described["a"].next_sentence_after == "."
    assert isinstance(described["b"], CausalLanguageModeling)
    assert isinstance(described["c"], SequenceClassification)
    assert described["c"].trainable_layers is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (content(ENCODER, **{**BASE, "base": None}), "expected either 'base', .* 'architecture'"),
        (content(ENCODER, base="minilm"), "expected either 'base', .* or 'architecture'"),
        (content(ENCODER, matrices=None), "key 'matrices': belongs to 'architecture'"),
        (
            content({"c": CLASSIFIED}, **without("matrices", BASE)),
            "key 'matrices': belongs to 'architecture', a base has its own",
        ),
        (
            content({"c": CLASSIFIED}, **BASE, final_norm="ln_f"),
            "key 'final_norm': belongs to 'architecture', a base has its own",
        ),
        (
            content(ENCODER, seeds=[0, 1, 0]),
            r"key 'seeds': one stands there twice, found \[0, 1, 0\]",
        ),
        (content(ENCODER, label_column=None), "key 'label_column': belongs to the objective seq"),
        (
            content({"a": MASKED}, label_column="label"),
            "key 'label_column': belongs to the objective sequence_classification",
        ),
        (
            content({"a": MASKED, "b": CLASSIFIED, "c": MASKED}),
            "key 'phases': sequence_classification can only be the last",
        ),
        (
            content({"b": CLASSIFIED}),
            "a new architecture has to learn its language before it classifies",
        ),
        (
            content({"a": {**MASKED, "n_checkpoints": 14}}),
            r"key 'phases\.a.*': 12 steps cannot have 14 checkpoints",
        ),
        (
            content({"a": {**MASKED, "n_warmup_steps": 12}}),
            r"key 'phases\.a.*': n_warmup_steps is not below n_steps",
        ),
        (content(ENCODER, architecture={"n_embd": 3}), r"'architecture\.model_type': found None"),
        (content(ENCODER, architecture={"model_type": 3}), r"'architecture\.model_type': found 3"),
    ],
)
def test_what_does_not_go_together_is_named(given: dict[str, Any], message: str):
    assert re.search(message, refused(given))


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("test_share", 0.0, "greater than 0"),
        ("test_share", 1.0, "less than 1"),
        ("window", 3, "greater than or equal to 4"),
        ("window", 16.5, "valid integer"),
        ("seeds", [], "at least 1 item"),
        ("seeds", 0, "valid list"),
        ("split_seed", -1, "greater than or equal to 0"),
        ("label_column", "subject", "'label' or 'domain'"),
        ("precision", "float16", "'float32' or 'bfloat16'"),
        ("phases", {}, "names and what is done"),
        ("corpus", 3, "valid string"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(key: str, value: object, allowed: str):
    message = refused({**content(ENCODER), key: value})
    assert f"key '{key}': " in message
    assert allowed in message
    assert f"found {value!r}" in message


def test_a_seed_that_no_library_takes_is_named():
    assert "key 'seeds.1': Input should be less than or equal to 4294967295" in refused(
        content(ENCODER, seeds=[0, 2**32])
    )


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("n_steps", 0, "greater than or equal to 1"),
        ("n_steps", "many", "valid integer"),
        ("n_checkpoints", 1, "greater than or equal to 2"),
        ("batch_size", 0, "greater than or equal to 1"),
        ("learning_rate", 0.0, "greater than 0"),
        ("n_warmup_steps", -1, "greater than or equal to 0"),
        ("weight_decay", -0.1, "greater than or equal to 0"),
        ("max_gradient_norm", 0.0, "greater than 0"),
        ("masked_share", 1.0, "less than 1"),
        ("next_sentence_after", 3, "valid string"),
    ],
)
def test_a_wrong_value_of_a_phase_is_named_by_the_keys_of_the_file(
    key: str, value: object, allowed: str
):
    message = refused(content({"first": {**MASKED, key: value}}))
    assert message.startswith(f"conf/train/mine.yaml: key 'phases.first.{key}': ")
    assert allowed in message
    assert f"found {value!r}" in message


def test_layers_cannot_be_less_than_none():
    phases = {"first": MASKED, "last": {**CLASSIFIED, "trainable_layers": -1}}
    message = refused(content(phases))
    assert "key 'phases.last.trainable_layers': Input should be greater than or equal to 0" in (
        message
    )


@pytest.mark.parametrize(("key", "closest"), [("lable", "label"), ("phase", "phases")])
def test_an_unknown_key_of_a_run_is_named_with_those_that_are_known(key: str, closest: str):
    message = refused({**content(ENCODER), key: "x"})
    assert f"key '{key}' is unknown; allowed: architecture, base, corpus, final_norm" in message
    assert f"did you mean '{closest}'?" in message


def test_an_unknown_key_of_a_phase_is_named_with_those_of_its_objective():
    message = refused(content({"first": {**CAUSAL, "masked_share": 0.1}}, architecture=GPT))
    keys = "batch_size, learning_rate, max_gradient_norm, n_checkpoints, n_steps, n_warmup_steps"
    assert message.startswith(
        "conf/train/mine.yaml: key 'phases.first.masked_share' is unknown; allowed: "
        f"{keys}, objective, weight_decay"
    )


@pytest.mark.parametrize("key", ["label", "license", "corpus", "window", "seeds", "phases"])
def test_a_missing_key_of_a_run_is_named(key: str):
    assert f"key '{key}' is missing" in refused(without(key, content(ENCODER)))


@pytest.mark.parametrize("key", ["n_steps", "n_checkpoints", "masked_share", "weight_decay"])
def test_a_missing_key_of_a_phase_is_named_by_the_keys_of_the_file(key: str):
    message = refused(content({"first": without(key, MASKED)}))
    assert message == f"conf/train/mine.yaml: key 'phases.first.{key}' is missing"


@pytest.mark.parametrize("phase", [{**MASKED, "objective": "mlm"}, without("objective", MASKED)])
def test_an_objective_that_is_none_is_named(phase: dict[str, Any]):
    given = content(ENCODER)
    message = refused({**given, "phases": {"first": phase}, "label_column": None})
    assert "key 'phases.first" in message
    assert "objective" in message


def test_the_objectives_that_there_are_are_named():
    given = {**content({"first": MASKED}), "phases": {"first": {**MASKED, "objective": "mlm"}}}
    objectives = ("masked_language_modeling", "causal_language_modeling", "sequence_classif")
    assert all(objective in refused(given) for objective in objectives)


@pytest.mark.parametrize("name", ["First", "1st", "first-one", "../first", ""])
def test_a_phase_has_a_name_that_a_folder_may_have(name: str):
    given = {**content({"first": MASKED}), "phases": {name: MASKED}}
    assert "String should match pattern" in refused(given)


def test_phases_are_not_written_as_a_list():
    # A hint that would be wrong: they are keys and values.
    assert "write it as a list" not in refused({**content(ENCODER), "phases": {}})

"""Encoders and decoders, told apart by what they learned to guess."""

import pytest

from embspace.measure.layers.model_kinds import (
    first_phase_rows,
    kind_of_class,
    kind_of_run,
    last_checkpoint,
)
from tests.measure.dynamics_tables import STEPS, dynamics
from tests.train.runs import CAUSAL, CLASSIFIED, MASKED, small_run


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("BertModel", "encoder"),
        ("RobertaModel", "encoder"),
        ("ModernBertModel", "encoder"),
        ("GPT2Model", "decoder"),
        ("GPTNeoXModel", "decoder"),
        ("LlamaModel", "decoder"),
    ],
)
def test_what_guesses_hidden_tokens_is_an_encoder(name: str, kind: str) -> None:
    assert kind_of_class(name) == kind


def test_a_run_is_what_its_first_phase_makes_it() -> None:
    run = small_run({"first": MASKED, "second": CLASSIFIED})
    assert kind_of_run(run) == "encoder"
    assert kind_of_run(small_run({"first": CAUSAL})) == "decoder"
    only = run.model_copy(update={"phases": {"one": run.phases["second"]}})
    assert kind_of_run(only) == ""


def test_the_last_checkpoint_of_the_first_phase_of_vectors_as_they_are() -> None:
    table = last_checkpoint(first_phase_rows(dynamics(lambda n, _: n, lambda n, _: n)))
    assert set(table["phase"]) == {"first"} and set(table["change"]) == {"as_is"}
    assert set(table["step"]) == {STEPS[-1]} and set(table["value"]) == {len(STEPS) - 1}


def test_no_checkpoint_has_no_rows() -> None:
    none = dynamics(lambda n, _: n, lambda n, _: n)[:0]
    assert last_checkpoint(first_phase_rows(none)).empty

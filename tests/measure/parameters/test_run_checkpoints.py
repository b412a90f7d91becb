"""Holds the parameters of a run's checkpoints to the files of the checkpoints."""

from pathlib import Path

import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.measure.parameters.run_checkpoints import (
    checkpoint_parameters,
    trained_checkpoints,
)
from embspace.train.checkpoints import save_checkpoint
from tests.train.runs import CLASSIFIED, MASKED, small_run, some_module, some_tokenizer

SHORT = {"n_steps": 4, "n_checkpoints": 3}
RUN = small_run({"first": {**MASKED, **SHORT}, "last": {**CLASSIFIED, **SHORT}})


@pytest.fixture(scope="module")
def root_of_run(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of which one checkpoint is there, untrained."""
    root = str(tmp_path_factory.mktemp("trained") / "small")
    folder = trained_checkpoints(root, RUN)[0].folder
    module, tokenizer = some_module(MASKED), some_tokenizer()
    save_checkpoint(folder, module, tokenizer, {}, fingerprint="", step=0, losses=[])
    return root


def test_each_seed_has_its_models_before_training_and_after_each_phase(root_of_run: str) -> None:
    steps = [
        (checkpoint.phase, checkpoint.step) for checkpoint in trained_checkpoints(root_of_run, RUN)
    ]
    assert steps == [("first", 0), ("first", 4), ("last", 4)]


def test_seeds_of_a_base_are_the_same_before_training() -> None:
    run = small_run(
        {"last": {**CLASSIFIED, **SHORT}}, base="minilm", architecture=None, matrices=None
    )
    assert [(checkpoint.phase, checkpoint.step) for checkpoint in trained_checkpoints("", run)] == [
        ("last", 4)
    ]


def test_parameters_are_those_of_the_file(root_of_run: str) -> None:
    first = trained_checkpoints(root_of_run, RUN)[0]
    parameters = checkpoint_parameters(RUN, first, None)
    stored = load_file(first.folder / "model.safetensors")
    values = stored["bert.encoder.layer.1.output.dense.weight"].T
    assert parameters.layers[1].ff_values == pytest.approx(values)
    assert parameters.output_embedding == pytest.approx(
        stored["bert.embeddings.word_embeddings.weight"]
    )


def test_a_changed_file_is_refused(root_of_run: str) -> None:
    first = trained_checkpoints(root_of_run, RUN)[0]
    file = Path(first.folder, "config.json")
    content = file.read_text()
    file.write_text(f"{content} ")
    with pytest.raises(InputError, match="is not what training wrote"):
        checkpoint_parameters(RUN, first, None)
    file.write_text(content)

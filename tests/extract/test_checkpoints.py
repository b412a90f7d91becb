"""Holds the matrices of checkpoints to their files, and a checkpoint to any model in a folder."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.extract.checkpoints import checkpoint_model, extract_checkpoints, form_of
from embspace.models.weights import load_model
from embspace.train.checkpoints import all_checkpoints
from embspace.train.model import train_model
from tests.train.runs import CAUSAL, CLASSIFIED, small_run, some_texts

RUN = small_run({"pretraining": CAUSAL}, seeds=[0, 1])


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = str(tmp_path_factory.mktemp("trained") / "small")
    train_model("small", RUN, some_texts(), folder, "cpu")
    return folder


def test_every_checkpoint_gives_its_matrices(root: str) -> None:
    checkpoints = all_checkpoints(root, RUN)
    tensors, vocabulary = extract_checkpoints("small", RUN, form_of("small", RUN), checkpoints)
    assert len(tensors) == 2 * len(checkpoints)  # input and positional
    for checkpoint in checkpoints:
        weights = load_file(checkpoint.folder / "model.safetensors")
        expected = weights["transformer.wte.weight"]
        assert np.array_equal(tensors[f"{checkpoint.key}.input"], expected)
        assert len(vocabulary) == len(expected)
    first, last = (tensors[f"seed_0.pretraining.{step}.input"] for step in (0, 12))
    assert not np.array_equal(first, last)
    assert vocabulary["token"][:4].tolist() == ["[PAD]", "[UNK]", "[BOS]", "[EOS]"]
    assert (vocabulary["kind"] == "special").sum() == 4


def test_a_checkpoint_is_a_model_like_any_other(root: str) -> None:
    checkpoint = all_checkpoints(root, RUN)[-1]
    model = checkpoint_model(RUN, form_of("small", RUN), checkpoint)
    assert model.source == "path"
    module = load_model("small", model)
    assert module.config.num_hidden_layers == 2


def test_the_norm_at_the_end_is_the_one_that_the_run_names() -> None:
    named = small_run({"pretraining": CAUSAL}, final_norm="ln_f")
    assert form_of("small", named)["final_norm"] == "ln_f"
    assert form_of("small", RUN)["final_norm"] is None


def test_a_flipped_byte_is_noticed(root: str, tmp_path: Path) -> None:
    import shutil

    copy = shutil.copytree(root, tmp_path / "copy")
    checkpoints = all_checkpoints(str(copy), RUN)
    config = checkpoints[1].folder / "config.json"
    config.write_bytes(config.read_bytes().replace(b"gpt2", b"gpt3"))
    with pytest.raises(InputError, match=r"config\.json: is not what training wrote"):
        extract_checkpoints("small", RUN, form_of("small", RUN), checkpoints)


def test_rows_that_are_no_position_of_the_base_are_none_of_its_checkpoints(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Path("conf/model/roberta_base.yaml").read_text()
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/roberta_base.yaml").write_text(source)
    monkeypatch.chdir(tmp_path)
    phases = {"classification": CLASSIFIED}
    run = small_run(phases, base="roberta_base", architecture=None, matrices=None)
    form = form_of("small", run)
    assert form["position_offset"] == 2
    model = checkpoint_model(run, form, all_checkpoints(root, RUN)[0])
    assert model.position_offset == 2

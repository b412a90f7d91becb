"""Layers that do not fit are refused; what they make is held against torch in test_vectors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import RefusedModel
from embspace.models.sentence.dense import read_dense
from tests.models.sentence.folders import Module, dense, pooling, write_modules
from tests.tiny import DIM

ACTIVATION = "torch.nn.modules.activation."
TANH = ACTIVATION + "Tanh"
IDENTITY = "torch.nn.modules.linear.Identity"


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (dense(16, 8, activation_function=TANH), "for vectors of 32 dimensions"),
        (dense(DIM, 8, activation_function="my.Swish"), "allowed: one of torch"),
        (dense(DIM, 8, activation_function="torch.nn.Linear"), "torch.nn.Linear"),
        (dense(DIM, 8, activation_function=ACTIVATION + "GLU"), "leaves the number of dimensions"),
        (dense(DIM, 8, activation_function=ACTIVATION + "PReLU"), "one without weights"),
        (dense(DIM, 8, activation_function=ACTIVATION + "Softmax2d"), "Softmax2d: "),
        (dense(DIM, 8, activation_function=ACTIVATION + "MultiheadAttention"), "Attention: "),
        (dense(DIM, 8, activation_function=None), "found None, allowed: one of torch"),
        (dense(DIM, 8, activation_function=7), "found 7, allowed: one of torch"),
        (dense(DIM, 8, activation_function=TANH, use_residual="no"), "key 'use_residual'"),
        (
            dense(DIM, 8, activation_function=TANH, module_input_name="tokens"),
            "key 'module_input_name': found 'tokens'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, layer: Module, message: str):
    write_modules(tmp_path, [pooling("mean"), layer])
    with pytest.raises(RefusedModel, match=message):
        read_dense(tmp_path / "2_Dense", DIM)


def test_weights_that_only_a_pickle_holds_are_refused(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), dense(DIM, 8, activation_function=TANH)])
    (tmp_path / "2_Dense/model.safetensors").rename(tmp_path / "2_Dense/pytorch_model.bin")
    with pytest.raises(RefusedModel, match="2_Dense: no model.safetensors; a pickle"):
        read_dense(tmp_path / "2_Dense", DIM)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected keys and values, found \\[\\]"),
        ("{", "is no JSON"),
        ("{}", "key 'in_features': found None, allowed: a whole number"),
        ('{"in_features": 32, "out_features": "8"}', "key 'out_features': found '8'"),
        ('{"in_features": 32, "out_features": 9}', "expected {'linear.weight': \\(9, 32\\)"),
    ],
)
def test_a_config_that_does_not_fit_is_refused(tmp_path: Path, content: str, message: str):
    write_modules(tmp_path, [pooling("mean"), dense(DIM, 8)])
    (tmp_path / "2_Dense/config.json").write_text(content)
    with pytest.raises(RefusedModel, match=message):
        read_dense(tmp_path / "2_Dense", DIM)


def test_a_file_that_is_cut_is_refused(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), dense(DIM, 8)])
    file = tmp_path / "2_Dense/model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(RefusedModel, match=r"2_Dense/model\.safetensors: cannot be read"):
        read_dense(tmp_path / "2_Dense", DIM)


def saved_as(folder: Path, change: Any) -> Path:
    """A layer whose weights are changed."""
    from safetensors.torch import load_file, save_file

    write_modules(folder, [pooling("mean"), dense(DIM, 8, activation_function=IDENTITY)])
    file = folder / "2_Dense/model.safetensors"
    save_file({name: change(tensor) for name, tensor in load_file(file).items()}, file)
    return folder / "2_Dense"


def test_weights_that_are_no_finite_numbers_are_refused(tmp_path: Path):
    folder = saved_as(tmp_path, lambda tensor: tensor / 0)
    with pytest.raises(RefusedModel, match=r"'linear\.bias' hold 8 NaN or infinities|weight' hold"):
        read_dense(folder, DIM)


def test_whole_numbers_are_no_weights(tmp_path: Path):
    folder = saved_as(tmp_path, lambda tensor: tensor.int())
    with pytest.raises(RefusedModel, match=r"holds torch\.int32, allowed: numbers of 16, 32"):
        read_dense(folder, DIM)


@pytest.mark.parametrize("kind", ["bfloat16", "half", "double"])
def test_weights_of_other_floating_points_are_read(tmp_path: Path, kind: str):
    import torch
    from safetensors.torch import load_file

    folder = saved_as(tmp_path, lambda tensor: getattr(tensor, kind)())
    stored = load_file(folder / "model.safetensors")
    x = torch.linspace(-1, 1, DIM)
    expected = stored["linear.weight"].float() @ x + stored["linear.bias"].float()
    assert np.allclose(read_dense(folder, DIM)(x.numpy()), expected.numpy(), atol=1e-5)


def test_an_activation_is_as_after_training(tmp_path: Path):
    """RReLU draws slopes at random in training; after it, the slope is the mean, 11 / 48."""
    layer = dense(DIM, 8, activation_function=ACTIVATION + "RReLU")
    write_modules(tmp_path, [pooling("mean"), layer])
    read = read_dense(tmp_path / "2_Dense", DIM)
    x = np.linspace(-1, 1, DIM, dtype=np.float32)
    assert read.bias is not None
    plain = read.weight @ x + read.bias
    assert (plain < 0).any()
    assert np.allclose(read(x), np.where(plain < 0, plain * 11 / 48, plain), atol=1e-5)


@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
def test_softmax_is_over_the_dimensions(tmp_path: Path):
    write_modules(
        tmp_path, [pooling("mean"), dense(DIM, 8, activation_function=ACTIVATION + "Softmin")]
    )
    made = read_dense(tmp_path / "2_Dense", DIM)(np.ones(DIM, dtype=np.float32))
    assert made.shape == (8,)
    assert made.sum() == pytest.approx(1, abs=1e-5)


def test_the_numbers_of_dimensions_are_those_of_the_config(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), dense(DIM, 8)])
    file = tmp_path / "2_Dense/config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"in_features": 16}))
    with pytest.raises(RefusedModel, match=r"expected {'linear\.weight': \(8, 16\)"):
        read_dense(tmp_path / "2_Dense", DIM)

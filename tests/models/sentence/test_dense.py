"""Layers that do not fit are refused; what they make is held against torch in test_vectors."""

from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.sentence.dense import read_dense
from tests.models.sentence.folders import Module, dense, pooling, write_modules
from tests.tiny import DIM

TANH = "torch.nn.modules.activation.Tanh"


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (dense(16, 8, activation_function=TANH), "for vectors of 32 dimensions"),
        (dense(DIM, 8, activation_function="my.Swish"), "allowed: one of torch"),
        (dense(DIM, 8, activation_function="torch.nn.Linear"), "torch.nn.Linear"),
        (
            dense(DIM, 8, activation_function=TANH, module_input_name="tokens"),
            "key 'module_input_name': found 'tokens'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, layer: Module, message: str):
    write_modules(tmp_path, [pooling("mean"), layer])
    with pytest.raises(InputError, match=message):
        read_dense(tmp_path / "2_Dense", DIM)


def test_weights_that_only_a_pickle_holds_are_refused(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), dense(DIM, 8, activation_function=TANH)])
    (tmp_path / "2_Dense/model.safetensors").rename(tmp_path / "2_Dense/pytorch_model.bin")
    with pytest.raises(InputError, match="2_Dense: no model.safetensors; a pickle"):
        read_dense(tmp_path / "2_Dense", DIM)

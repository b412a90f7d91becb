from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.checkpoint import checkpoint_shapes, checkpoint_tensors
from embspace.settings.model import RandomModel, describe_model
from tests.lazy import safetensors_torch, torch
from tests.models.parameters.tiny import describe


def write(folder: Path, **tensors: torch.Tensor) -> Path:
    folder.mkdir(exist_ok=True)
    safetensors_torch.save_file(
        {name.replace("__", "."): tensor for name, tensor in tensors.items()}, folder / "x"
    )
    (folder / "x").rename(folder / "model.safetensors")
    return folder


def test_tensors_are_float32_and_those_that_are_optional_may_be_missing(tmp_path: Path):
    half = torch.arange(6, dtype=torch.float16).reshape(2, 3)
    folder = write(tmp_path, head__weight=half)
    tensors = checkpoint_tensors("m", describe(folder), ["head.weight"], ["head.bias"])
    assert list(tensors) == ["head.weight"]
    assert tensors["head.weight"].dtype == np.float32
    assert tensors["head.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_shapes_are_told_of_every_tensor(tmp_path: Path):
    folder = write(tmp_path, head__weight=torch.zeros(2, 3), head__bias=torch.zeros(2))
    assert checkpoint_shapes("m", describe(folder)) == {"head.weight": (2, 3), "head.bias": (2,)}


def test_old_names_of_norms_are_read(tmp_path: Path):
    folder = write(tmp_path, norm__gamma=torch.ones(2), norm__beta=torch.zeros(2))
    tensors = checkpoint_tensors("m", describe(folder), ["norm.weight"], ["norm.bias"])
    assert tensors["norm.weight"].tolist() == [1, 1]
    assert tensors["norm.bias"].tolist() == [0, 0]


def test_a_name_that_the_checkpoint_lacks_is_told_with_the_most_alike(tmp_path: Path):
    folder = write(tmp_path, lm_head__weight=torch.ones(2))
    with pytest.raises(InputError, match=r"has no 'lm_haed.weight'; did you mean 'lm_head.weight'"):
        checkpoint_tensors("m", describe(folder), ["lm_haed.weight"])


def test_infinity_is_refused(tmp_path: Path):
    folder = write(tmp_path, head__weight=torch.tensor([1.0, torch.inf]))
    with pytest.raises(InputError, match=r"'head.weight' holds NaN or infinity"):
        checkpoint_tensors("m", describe(folder), ["head.weight"])


def test_random_weights_have_no_checkpoint():
    matrices = {"input": "a", "positional": None, "segment": None}
    described = {"label": "r", "license": "l", "language": "n", "matrices": matrices}
    model = describe_model("r", described | {"source": "random", "seed": 0, "config": {}})
    assert isinstance(model, RandomModel)
    with pytest.raises(InputError, match=r"r\.yaml: .*random weights have none"):
        checkpoint_tensors("r", model, ["head.weight"])

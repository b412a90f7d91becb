from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.checks.model_heads import check_head
from embspace.settings.model import describe_model
from tests.lazy import safetensors_torch, torch
from tests.tiny import DIM, POSITIONS, VOCABULARY, tiny_description

HEAD = {"dense": "cls.dense", "norm": "cls.LayerNorm"}
N = len(VOCABULARY)


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    """A model whose checkpoint has an output matrix and a head, the norm's by its old name."""
    added = {
        "out.weight": torch.zeros(N, DIM),
        "cls.dense.weight": torch.zeros(DIM, DIM),
        "cls.LayerNorm.gamma": torch.ones(DIM),
        "cls.bias": torch.zeros(N),
    }
    tensors = safetensors_torch.load_file(tiny_folder / "model.safetensors") | added
    safetensors_torch.save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    return tmp_path


def check(folder: Path, output: str | None = None, **change: object) -> None:
    described = tiny_description(folder) | change
    described["matrices"] = {**described["matrices"], "output": output}  # type: ignore[dict-item]
    check_head("tiny", describe_model("tiny", described), folder)


def test_a_head_that_is_there_passes(folder: Path):
    check(folder)
    check(folder, "out.weight", masked_head={**HEAD, "bias": "cls.bias"})
    check(folder, masked_head=HEAD)


@pytest.mark.parametrize(
    ("output", "shape"),
    [
        ("embeddings.position_embeddings.weight", f"({POSITIONS}, {DIM})"),
        ("embeddings.LayerNorm.weight", f"({DIM},)"),
        ("cls.bias", f"({N},)"),
    ],
)
def test_an_output_matrix_of_other_rows_than_tokens_is_told(folder: Path, output: str, shape: str):
    with pytest.raises(InputError) as refused:
        check(folder, output)
    assert str(refused.value) == (
        f"conf/model/tiny.yaml: key 'matrices.output': found '{output}' of the shape {shape}, "
        f"allowed: a matrix of {N} rows, one a token"
    )


def test_padding_rows_may_be_there_or_not(folder: Path):
    check(folder, "out.weight", padding_rows=3)
    with pytest.raises(InputError, match=f"allowed: a matrix of {N - 3} or {N} rows"):
        check(folder, "embeddings.position_embeddings.weight", padding_rows=3)


@pytest.mark.parametrize(
    ("key", "head"),
    [
        ("dense", HEAD | {"dense": "cls.denze"}),
        ("norm", HEAD | {"norm": "cls.Norm"}),
        ("bias", HEAD | {"bias": "cls.biaz"}),
    ],
)
def test_what_the_weights_lack_is_named_by_its_key(folder: Path, key: str, head: dict[str, str]):
    with pytest.raises(InputError, match=rf"key 'masked_head\.{key}': the weights have no 'cls\."):
        check(folder, masked_head=head)


def test_a_bias_is_of_a_number_a_token(folder: Path):
    with pytest.raises(InputError, match=rf"shape \({DIM},\), allowed: a vector of {N} rows"):
        check(folder, masked_head=HEAD | {"bias": "cls.LayerNorm.gamma"})


def test_vectors_and_random_weights_have_no_checkpoint(tmp_path: Path):
    about = {"label": "v", "license": "x", "language": "x", "path": "x", "source": "vectors"}
    check_head("v", describe_model("v", about), tmp_path)
    about = tiny_description(tmp_path) | {"source": "random", "seed": 0, "config": {}}
    del about["path"]
    check_head("r", describe_model("r", about), tmp_path)

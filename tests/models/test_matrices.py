from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError
from embspace.models.matrices import learned_matrices
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.tiny import POSITIONS, tiny_description
from tests.tiny_architectures import build_tiny


def matrices(folder: Path, **change: object) -> dict[str, np.ndarray]:
    model = describe_model("tiny", tiny_description(folder) | change)
    return learned_matrices("tiny", model, load_model("tiny", model))


def test_matrices_are_the_raw_parameters_of_the_file(tiny_folder: Path):
    stored = load_file(tiny_folder / "model.safetensors")
    tables = matrices(tiny_folder)
    assert np.array_equal(tables["input"], stored["embeddings.word_embeddings.weight"])
    assert np.array_equal(tables["positional"], stored["embeddings.position_embeddings.weight"])
    assert np.array_equal(tables["segment"], stored["embeddings.token_type_embeddings.weight"])


def test_rows_before_position_0_are_no_positions(tiny_folder: Path):
    whole, shifted = matrices(tiny_folder), matrices(tiny_folder, position_offset=2)
    assert np.array_equal(shifted["positional"], whole["positional"][2:])


def test_a_space_that_a_model_does_not_have_is_left_out(tiny_folder: Path):
    names = {"input": "embeddings.word_embeddings.weight", "positional": None, "segment": None}
    assert list(matrices(tiny_folder, matrices=names)) == ["input"]


def test_a_wrong_parameter_name_lists_those_that_there_are(tiny_folder: Path):
    names = {"input": "wte.weight", "positional": None, "segment": None}
    with pytest.raises(InputError, match="no 'wte.weight'; it has .*word_embeddings.weight"):
        matrices(tiny_folder, matrices=names)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("project", "no linear layer 'project'; there is pooler.dense"),
        ("embeddings.LayerNorm", "no linear layer 'embeddings.LayerNorm'"),
        ("encoder.layer.0.output.dense", "takes 64 dimensions, 'input' has 32"),
    ],
)
def test_a_mapping_that_is_none_is_told(tiny_folder: Path, mapping: str, message: str):
    names = {"input": "embeddings.word_embeddings.weight", "positional": None, "segment": None}
    with pytest.raises(InputError, match=rf"tiny\.yaml: key 'matrices\.mapping': .*{message}"):
        matrices(tiny_folder, matrices=names | {"mapping": mapping})


@pytest.mark.parametrize("offset", [POSITIONS, 9999])
def test_an_offset_that_leaves_no_position_is_told(tiny_folder: Path, offset: int):
    message = (
        rf"conf/model/tiny\.yaml: key 'position_offset': found {offset}, allowed: under the 40"
    )
    with pytest.raises(InputError, match=message):
        matrices(tiny_folder, position_offset=offset)


def test_a_mapping_that_reads_neighbors_reads_a_token_between_none(tmp_path: Path):
    folder = build_tiny("mobilebert", tmp_path / "mine", embedding_size=8)
    names = {"input": "embeddings.word_embeddings.weight", "positional": None, "segment": None}
    mapping = "embeddings.embedding_transformation"
    tables = matrices(folder, matrices=names | {"mapping": mapping})
    stored = load_file(folder / "model.safetensors")
    weight, bias = stored[f"{mapping}.weight"], stored[f"{mapping}.bias"]
    assert weight.shape == (16, 24)
    expected = tables["input"] @ weight[:, 8:16].T + bias
    assert np.allclose(tables["input_mapped"], expected, atol=1e-5)

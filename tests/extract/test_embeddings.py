from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.extract.embeddings import extract_embeddings
from embspace.settings.model import describe_model
from tests.tiny import DIM, POSITIONS, VOCABULARY, tiny_description


def test_each_row_of_the_input_matrix_has_its_row_in_the_vocabulary(tiny_folder: Path):
    matrices, vocabulary = extract_embeddings(
        "tiny", describe_model("tiny", tiny_description(tiny_folder))
    )
    shapes = {space: matrix.shape for space, matrix in matrices.items()}
    assert shapes == {
        "input": (len(VOCABULARY), DIM),
        "positional": (POSITIONS, DIM),
        "segment": (2, DIM),
    }
    assert vocabulary["token"].tolist() == VOCABULARY


def test_a_tokenizer_that_is_too_large_for_the_matrix_is_refused(tiny_folder: Path):
    model = describe_model("tiny", tiny_description(tiny_folder) | {"padding_rows": 2})
    with pytest.raises(InputError, match="conf/model/tiny.yaml: the tokenizer has"):
        extract_embeddings("tiny", model)


def test_a_random_model_from_a_config_alone_has_numbered_tokens():
    config = {"model_type": "bert", "vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 1}
    config |= {"num_attention_heads": 2, "intermediate_size": 16}
    description = tiny_description(Path()) | {"source": "random", "seed": 0, "config": config}
    del description["path"]
    matrices, vocabulary = extract_embeddings("random", describe_model("random", description))
    assert matrices["input"].shape == (50, 8)
    assert vocabulary["token"].tolist()[-1] == "<49>"


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_vectors_whose_squares_leave_float32_are_refused(tmp_path: Path, scale: float):
    x = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    for name, rows in {"x": x, "p": x * np.float32(scale), "zeros": 0 * x}.items():
        np.save(tmp_path / f"{name}.npy", rows)
    described = {"source": "vectors", "label": "V", "license": "L", "language": "none"}
    described |= {"path": str(tmp_path / "x.npy"), "segment": str(tmp_path / "zeros.npy")}
    extract_embeddings("v", describe_model("v", described))
    model = describe_model("v", described | {"positional": str(tmp_path / "p.npy")})
    message = r"conf/model/v\.yaml: the matrix 'positional': expected norms of .*, found 6 of 6"
    with pytest.raises(InputError, match=message):
        extract_embeddings("v", model)


def test_minilm_is_the_model_that_its_makers_published(root: Path):
    from embspace.settings.schema import read_yaml

    description = read_yaml(root / "conf/model/minilm.yaml")
    matrices, vocabulary = extract_embeddings("minilm", describe_model("minilm", description))
    assert matrices["input"].shape == (30522, 384)
    assert matrices["positional"].shape == (512, 384)
    assert matrices["segment"].shape == (2, 384)
    # Ids of the BERT vocabulary for English, uncased.
    tokens = vocabulary["token"]
    assert [tokens[number] for number in (0, 100, 101, 102, 103)] == [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
    ]
    assert (vocabulary["kind"] == "unused").sum() == 994
    assert (vocabulary["kind"] == "special").sum() == 5

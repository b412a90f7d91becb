"""The vectors of sentence models are those that their makers' modules give."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from embspace.errors import RefusedModel
from embspace.models.sentence.vectors import (
    check_sentences,
    sentence_modules,
    sentence_vectors,
)
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.models.sentence.folders import (
    Module,
    dense,
    encode_by_torch,
    pooling,
    write_modules,
)
from tests.tiny import DIM, POSITIONS, tiny_description

TEXTS = ["the cat sat on the mat .", "rain", "in the sun it was light , and a bell"]
LONG = "the cat sat on the mat . " * 20
GELU, TANH = "torch.nn.modules.activation.GELU", "torch.nn.modules.activation.Tanh"
IDENTITY = "torch.nn.modules.linear.Identity"
UNIT: Module = ("Normalize", {})
ALL = ["mean", "cls", "lasttoken", "max", "weightedmean", "mean_sqrt_len_tokens"]


def vectors(folder: Path, texts: list[str]) -> np.ndarray:
    model = describe_model("tiny", tiny_description(folder))
    module, tokenizer = load_model("tiny", model), load_tokenizer("tiny", model)
    modules = sentence_modules("tiny", model, module)
    assert modules is not None
    return sentence_vectors("tiny", model, module, modules, tokenizer, texts)


@pytest.fixture
def folder(tiny_folder: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_folder, tmp_path / "sentences")


@pytest.mark.parametrize(
    "modules",
    [
        *([pooling(mode)] for mode in ALL),
        [pooling(*ALL), UNIT],
        [pooling("mean"), dense(DIM, 8, activation_function=TANH), UNIT],
        [
            pooling("cls", "max"),
            dense(2 * DIM, 24, activation_function=GELU),
            dense(24, 8, activation_function=IDENTITY, bias=False),
        ],
        [pooling("mean"), dense(DIM, DIM, activation_function=IDENTITY, use_residual=True)],
        [pooling("mean"), dense(DIM, 8, activation_function=TANH, use_residual=True)],
    ],
)
def test_they_are_those_of_the_published_definitions(folder: Path, modules: list[Module]):
    write_modules(folder, modules)
    expected = [encode_by_torch(folder, text, modules) for text in TEXTS]
    assert np.allclose(vectors(folder, TEXTS), expected, atol=1e-5)


@pytest.mark.parametrize("is_included", [True, False])
def test_the_default_prompt_is_before_every_text(folder: Path, is_included: bool):
    modules = [pooling(*ALL, include_prompt=is_included)]
    prompts = {"prompts": {"query": "the dog ", "other": "x"}, "default_prompt_name": "query"}
    write_modules(folder, modules, prompts=prompts)
    expected = [encode_by_torch(folder, text, modules, prompt="the dog ") for text in TEXTS]
    assert np.allclose(vectors(folder, TEXTS), expected, atol=1e-5)


def test_prompts_without_a_default_are_left_to_who_asks(folder: Path):
    modules = [pooling("mean")]
    write_modules(folder, modules, prompts={"prompts": {"query": "dog "}})
    expected = [encode_by_torch(folder, text, modules) for text in TEXTS]
    assert np.allclose(vectors(folder, TEXTS), expected, atol=1e-5)


def test_keys_of_older_releases_are_read(folder: Path):
    flags = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}
    config = {"word_embedding_dimension": DIM, "pooling_mode_max_tokens": False, **flags}
    write_modules(folder, [("Pooling", config), UNIT])
    modules = [pooling("cls", "mean"), UNIT]
    expected = [encode_by_torch(folder, text, modules) for text in TEXTS]
    assert np.allclose(vectors(folder, TEXTS), expected, atol=1e-5)


def test_a_text_in_several_windows_has_their_mean(folder: Path):
    modules = [pooling("mean"), UNIT]
    write_modules(folder, modules, reading={"max_seq_length": 12})
    word_by_word = LONG.split()
    windows = [" ".join(word_by_word[at : at + 10]) for at in range(0, len(word_by_word), 10)]
    expected = np.mean([encode_by_torch(folder, text, modules) for text in windows], axis=0)
    assert np.allclose(vectors(folder, [LONG])[0], expected, atol=1e-5)
    short = encode_by_torch(folder, TEXTS[0], modules, longest=12)
    assert np.allclose(vectors(folder, TEXTS[:1])[0], short, atol=1e-5)


def test_the_length_that_the_tokenizer_names_bounds_a_window(folder: Path):
    """As sentence-transformers 6 writes max_seq_length."""
    write_modules(folder, [pooling("cls")])
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": 12}))
    bounded = vectors(folder, [LONG])
    write_modules_again = {"max_seq_length": 12, "do_lower_case": False}
    (folder / "sentence_bert_config.json").write_text(json.dumps(write_modules_again))
    assert np.array_equal(vectors(folder, [LONG]), bounded)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": POSITIONS}))
    (folder / "sentence_bert_config.json").write_text("{}")
    assert not np.allclose(vectors(folder, [LONG]), bounded, atol=1e-3)


@pytest.mark.parametrize(
    ("length", "longest", "key"),
    [(2, POSITIONS, "'max_seq_length' of the sentence model"), (None, 2, "'model_max_length'")],
)
def test_no_room_for_a_text_is_refused_by_the_key_that_leaves_none(
    folder: Path, length: int | None, longest: int, key: str
):
    reading = {} if length is None else {"max_seq_length": length}
    write_modules(folder, [pooling("mean")], reading=reading)
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": longest}))
    message = f"key {key}: found 2, allowed: more than the 2 special tokens of each window"
    with pytest.raises(RefusedModel, match=message):
        vectors(folder, TEXTS)
    model = describe_model("tiny", tiny_description(folder))
    module, tokenizer = load_model("tiny", model), load_tokenizer("tiny", model)
    with pytest.raises(RefusedModel, match=message):
        check_sentences("tiny", model, module, tokenizer)


def test_a_transformer_in_a_folder_of_its_own_is_found(tiny_folder: Path, tmp_path: Path):
    root = tmp_path / "old"
    shutil.copytree(tiny_folder, root / "0_Transformer")
    write_modules(root, [pooling("max")], transformer="0_Transformer")
    expected = [encode_by_torch(root / "0_Transformer", text, [pooling("max")]) for text in TEXTS]
    assert np.allclose(vectors(root, TEXTS), expected, atol=1e-5)


def test_a_model_without_modules_has_no_such_vectors(folder: Path):
    model = describe_model("tiny", tiny_description(folder))
    assert sentence_modules("tiny", model, load_model("tiny", model)) is None


def test_the_first_dimensions_are_left_behind_all_modules(folder: Path):
    modules = [pooling("mean"), UNIT]
    write_modules(folder, modules, prompts={"truncate_dim": 5})
    expected = np.array([encode_by_torch(folder, text, modules)[:5] for text in TEXTS])
    assert np.allclose(vectors(folder, TEXTS), expected, atol=1e-5)
    assert np.linalg.norm(expected, axis=1).max() < 0.9  # not made one again


def test_more_dimensions_than_there_are_leave_all(folder: Path):
    write_modules(folder, [pooling("mean")], prompts={"truncate_dim": 2 * DIM})
    assert vectors(folder, TEXTS).shape == (len(TEXTS), DIM)


def test_vectors_that_are_not_finite_are_refused(folder: Path):
    from safetensors.torch import load_file, save_file

    write_modules(folder, [pooling("mean"), dense(DIM, 8, activation_function=IDENTITY)])
    file = folder / "2_Dense/model.safetensors"
    save_file({name: tensor.sign() * 3e38 for name, tensor in load_file(file).items()}, file)
    with pytest.raises(RefusedModel, match="the sentence vector of text 1 holds NaN or infinities"):
        vectors(folder, TEXTS)


def test_another_model_beside_the_transformer_is_not_taken(tiny_folder: Path, tmp_path: Path):
    root = shutil.copytree(tiny_folder, tmp_path / "old")
    shutil.copytree(tiny_folder, root / "0_Transformer")
    write_modules(root, [pooling("max")], transformer="0_Transformer")
    expected = [encode_by_torch(root / "0_Transformer", text, [pooling("max")]) for text in TEXTS]
    config = json.loads((root / "config.json").read_text())
    (root / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 1}))
    assert np.allclose(vectors(root, TEXTS), expected, atol=1e-5)

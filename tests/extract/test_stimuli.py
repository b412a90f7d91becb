from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.errors import InputError, RefusedModel
from embspace.extract.hidden_states import extract_hidden_states, save_hidden_states
from embspace.extract.stimuli import extract_stimuli, save_stimuli, within_a_text
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.tiny import DIM, LAYERS, tiny_description
from tests.tiny_architectures import build_tiny
from tests.trained_tokenizers import KINDS
from tests.zoo import build_animal, describe_animal

SETTINGS: dict[str, Any] = {
    "tokens_per_batch": 60,
    "largest_unknown_share": 0.2,
    "device": "cpu",
    "seed": 5,
}
TABLE = pd.DataFrame({"id": ["a", "b", "c"], "text": ["the cat", "rain on the boat", "a dog sat"]})


@pytest.fixture(scope="module")
def model(tiny_folder: Path):
    description = describe_model("tiny", tiny_description(tiny_folder))
    return description, load_model("tiny", description), load_tokenizer("tiny", description)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stimuli") / "x"
    save_stimuli(extract_stimuli(*model, {"x": TABLE}, **SETTINGS)["x"], str(path))
    return path


def test_states_are_those_of_the_same_texts_in_a_corpus(model, saved: Path, tmp_path: Path):
    settings = {"window_length": 512, "overlap": 0} | SETTINGS
    settings.pop("seed")
    states = extract_hidden_states(*model, TABLE, True, **settings)
    save_hidden_states(states, str(tmp_path / "y"))
    corpus, stimuli = load_file(f"{tmp_path}/y.safetensors"), load_file(f"{saved}.safetensors")
    for name, tensor in corpus.items():
        assert np.array_equal(stimuli[name], tensor)
    pd.testing.assert_frame_equal(
        pd.read_parquet(f"{tmp_path}/y.tokens.parquet"), pd.read_parquet(f"{saved}.tokens.parquet")
    )


def test_random_weights_have_other_states_which_the_seed_decides(model, saved: Path, tmp_path):
    tensors = load_file(f"{saved}.safetensors")
    assert tensors["random_mean"].shape == tensors["mean"].shape == (LAYERS + 1, 3, DIM)
    assert tensors["random_token"].shape == tensors["token"].shape
    assert not np.allclose(tensors["random_mean"], tensors["mean"])
    for seed, equal in ((5, True), (6, False)):
        states = extract_stimuli(*model, {"x": TABLE}, **{**SETTINGS, "seed": seed})["x"]
        save_stimuli(states, f"{tmp_path}/{seed}")
        again = load_file(f"{tmp_path}/{seed}.safetensors")
        assert np.array_equal(again["random_cls"], tensors["random_cls"]) == equal
        assert np.array_equal(again["cls"], tensors["cls"])


def test_windows_that_would_change_each_other_are_refused(tmp_path: Path):
    described = tiny_description(build_tiny("fnet", tmp_path / "fnet")) | {
        "matrices": {"input": "embeddings.word_embeddings.weight", "positional": None}
        | {"segment": None}
    }
    sets = {"none": TABLE[:0], "x": TABLE}
    for batches in ("any", "equal_lengths"):
        description = describe_model("mine", described | {"batches": batches})
        given = [load_model("mine", description), load_tokenizer("mine", description)]
        if batches == "any":
            with pytest.raises(RefusedModel, match="\n  batches: equal_lengths"):
                extract_stimuli(description, *given, sets, **SETTINGS)
        else:
            assert set(extract_stimuli(description, *given, sets, **SETTINGS)) == {*sets}


def test_a_stimulus_that_is_too_long_is_named(model):
    long = pd.DataFrame({"id": ["short", "long"], "text": ["a cat", "the cat sat " * 20]})
    with pytest.raises(InputError, match="stimuli 'x': 'long' has more tokens than the 40"):
        extract_stimuli(*model, {"x": long}, **SETTINGS)


def test_a_set_of_which_too_much_is_unknown_has_empty_states(model, tmp_path: Path, caplog):
    table = TABLE.assign(text=["the cat", "\ua66e \ua66e", "a dog"])
    states = extract_stimuli(*model, {"x": table, "y": TABLE}, **SETTINGS)
    assert states["x"].tokens.empty
    assert not states["y"].tokens.empty
    assert "stimuli 'x': 33.3 % of the tokens are unknown to the tokenizer" in caplog.text
    save_stimuli(states["x"], str(tmp_path / "none"))
    assert load_file(f"{tmp_path}/none.safetensors")["random_mean"].shape == (LAYERS + 1, 0, DIM)


def test_a_model_without_a_tokenizer_has_empty_states(model, tmp_path: Path):
    description, module, _ = model
    states = extract_stimuli(description, module, None, {"x": TABLE}, **SETTINGS)["x"]
    save_stimuli(states, str(tmp_path / "none"))
    tensors = load_file(f"{tmp_path}/none.safetensors")
    assert tensors["random_token"].shape == tensors["cls"].shape == (LAYERS + 1, 0, DIM)
    assert pd.read_parquet(f"{tmp_path}/none.tokens.parquet").empty


def test_single_words_are_read_with_the_space_that_marks_a_start(tmp_path: Path):
    description = describe_animal("gpt2", build_animal("gpt2", tmp_path / "gpt2"))
    loaded = description, load_model("gpt2", description), load_tokenizer("gpt2", description)
    table = pd.DataFrame({"id": ["a", "b"], "text": ["the", "and"]})
    states = extract_stimuli(*loaded, {"words": table, "x": table}, **SETTINGS)
    for name, mark in (("words", "Ġ"), ("x", "")):
        tokens = states[name].tokens
        ordinary = tokens[~tokens["special"].astype(bool)]
        spelled = loaded[2].convert_ids_to_tokens(ordinary["id"].tolist())
        pieces = pd.Series(spelled).groupby(ordinary["window"].to_numpy()).agg("".join)
        assert pieces.tolist() == [f"{mark}the", f"{mark}and"]
        if name == "words":
            assert len(ordinary) == 2  # "Ġthe" and "Ġand" are in the vocabulary


@pytest.mark.parametrize(("kind", "mark"), [("byte_level_bpe", "Ġ"), ("unigram", "▁")])
def test_a_tokenizer_that_adds_the_space_itself_gets_the_words_as_they_are(kind: str, mark: str):
    from transformers import PreTrainedTokenizerFast

    tokenizer = PreTrainedTokenizerFast(tokenizer_object=KINDS[kind]())
    assert within_a_text(["cats", "night"], tokenizer, mark) == ["cats", "night"]
    assert within_a_text([], tokenizer, mark) == []

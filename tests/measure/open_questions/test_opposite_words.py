from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.open_questions.opposite_words import (
    check_frames,
    measure_opposite_words,
)
from tests.analyses import settings_of
from tests.measure.attention.reading import cached_reader

FRAMES = {"noun": ["the {word} sat in the sun", "a {word}!"], "adjective": ["it was {word} on a"]}
LIST = pd.DataFrame(
    [("noun", "antonym", "cat", "dog"), ("noun", "synonym", "boat", "zebra")],
    columns=["part_of_speech", "relation", "word", "other_word"],
)
DECIDED_BY_SEED = ("random_input", "random_state")
FEW: dict[str, Any] = {"frames": FRAMES, "most_tokens": 16}


def inputs(*, is_empty: bool) -> dict[str, Any]:
    reader = cached_reader()
    tokenizer = None if is_empty else reader.tokenizer
    return {"pairs": LIST, "module": reader.module, "tokenizer": tokenizer, "final_norm": None}


def measured(**change: Any) -> Outcome:
    settings = settings_of(measure_opposite_words, **FEW | change)
    return measure_opposite_words(**inputs(is_empty=False), **settings)


def test_words_of_one_token_have_their_embedding_and_the_mean_of_their_states():
    import torch

    outcome, reader = measured(), cached_reader()
    assert outcome["parquet"]["word"].tolist() == ["cat", "boat", "dog"]  # zebra is in pieces
    ids = reader.tokenizer.convert_tokens_to_ids(["cat", "boat", "dog"])
    assert outcome["parquet"]["id"].tolist() == ids
    table = reader.module.get_input_embeddings().weight.detach().numpy()
    assert np.array_equal(outcome["safetensors"]["input"][0], table[ids])
    states = []
    for text, place in (("the dog sat in the sun", 2), ("a dog!", 2)):
        encoded = reader.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            hidden = reader.module(**encoded, output_hidden_states=True).hidden_states
        states.append([layer[0, place].numpy() for layer in hidden])
    assert outcome["safetensors"]["state"][:, 2] == pytest.approx(np.mean(states, axis=0), abs=1e-5)


def test_random_weights_are_of_the_same_words_and_of_another_table():
    tensors = measured(seed=1)["safetensors"]  # seed 0 made the tiny model
    assert tensors["random_state"].shape == tensors["state"].shape
    assert not np.allclose(tensors["random_input"], tensors["input"])


def test_frames_need_one_place_for_a_word_and_every_part_of_speech():
    with pytest.raises(InputError, match="key 'frames': no sentence for 'verb'"):
        check_frames(FRAMES, ["verb"])
    with pytest.raises(InputError, match=r"frames.noun': 'a cat', allowed: one \{word\}"):
        check_frames({"noun": ["a cat"]}, [])
    with pytest.raises(InputError, match="allowed: one"):
        check_frames({"noun": ["{word} and {word}"]}, [])
    with pytest.raises(InputError, match="allowed: one"):
        check_frames({"noun": ["{word} and }"]}, [])
    with pytest.raises(InputError, match="key 'frames.nouns', allowed: adjective, noun, verb"):
        check_frames({"nouns": ["a {word}"]}, ["noun"])

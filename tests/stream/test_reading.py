"""Tests of `embspace.stream.reading`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embspace.stream.reading import Loaded, load_reading, sound_states, windows_of_texts
from embspace.stream.sources import NoText, Text
from tests.stream.trees import reading_of


def texts(*contents: object) -> list[Text]:
    return [Text(f"t{number}", "", content) for number, content in enumerate(contents)]


def test_what_is_no_text_is_left_out_with_its_reason(tiny_loaded: Loaded) -> None:
    quarantine: list[dict[str, str]] = []
    given = texts("the cat", 3, NoText("is in a line"), "a\0b", "\ud800", "a dog")
    ((kept, windows),) = windows_of_texts(iter(given), tiny_loaded, quarantine)
    assert [text.id for text in kept] == ["t0", "t5"]
    assert {window.text for window in windows} == {0, 1}
    assert [row["id"] for row in quarantine] == ["t1", "t2", "t3", "t4"]
    reasons = [row["reason"] for row in quarantine[:2]]
    assert reasons == ["the text is no text: 3", "the text is in a line"]


def test_a_text_on_which_the_tokenizer_fails_is_left_out_alone(tiny_loaded: Loaded) -> None:
    def fussy(given: list[str], **options: object) -> object:
        if "a dog" in given:
            raise ValueError("no dogs")
        return tiny_loaded.tokenizer(given, **options)

    class Fussy:
        num_special_tokens_to_add = staticmethod(tiny_loaded.tokenizer.num_special_tokens_to_add)
        __call__ = staticmethod(fussy)

    quarantine: list[dict[str, str]] = []
    loaded = replace(tiny_loaded, tokenizer=Fussy())
    given = texts("the cat", "a dog", "salt")
    ((kept, windows),) = windows_of_texts(iter(given), loaded, quarantine)
    assert [kept[window.text].id for window in windows] == ["t0", "t2"]
    assert quarantine == [{"id": "t1", "reason": "the tokenizer: ValueError: no dogs"}]


def test_a_text_whose_states_are_not_finite_is_left_out_alone(tiny_tree: Path) -> None:
    import torch

    loaded = load_reading(reading_of(tiny_tree))
    token = loaded.tokenizer.convert_tokens_to_ids("dog")
    with torch.no_grad():
        loaded.module.embeddings.word_embeddings.weight[token] = float("nan")
    quarantine: list[dict[str, str]] = []
    given = texts("the cat", "a dog", "salt")
    ((kept, windows),) = windows_of_texts(iter(given), loaded, quarantine)
    kept, windows, states = sound_states(kept, windows, loaded, 64, quarantine)
    assert [text.id for text in kept] == ["t0", "t2"] and np.isfinite(states).all()
    assert quarantine == [{"id": "t1", "reason": "the model: layer 0 holds NaN or infinity"}]


def test_what_the_machine_lacks_is_no_fault_of_a_text(tiny_loaded: Loaded) -> None:
    class Full:
        def parameters(self) -> object:
            raise RuntimeError("out of memory")

    ((kept, windows),) = windows_of_texts(iter(texts("a")), tiny_loaded, [])
    with pytest.raises(RuntimeError, match="out of memory"):
        sound_states(kept, windows, replace(tiny_loaded, module=Full()), 64, [])


def test_bfloat16_is_near(tiny_tree: Path, tiny_loaded: Loaded) -> None:
    short = load_reading(reading_of(tiny_tree, number_type="bfloat16"))
    ((kept, windows),) = windows_of_texts(iter(texts("the cat")), tiny_loaded, [])
    exact, rounded = (
        sound_states(kept, windows, loaded, 64, [])[2] for loaded in (tiny_loaded, short)
    )
    assert 0 < np.abs(exact - rounded).max() < 0.1

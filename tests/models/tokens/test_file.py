"""Parts of a file are held against those of another tokenizer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import Tokenizer, processors

from embspace.models.tokens.file import differing_parts
from tests.trained_tokenizers import byte_level_bpe, word_piece


def with_other(tokenizer: Tokenizer, change: Callable[[dict[str, Any]], Any]) -> Tokenizer:
    content = json.loads(tokenizer.to_str())
    change(content)
    return Tokenizer.from_str(json.dumps(content))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda content: None, []),
        (lambda content: content.update(normalizer={"type": "Lowercase"}), ["normalizer"]),
        (lambda content: content.update(pre_tokenizer={"type": "Whitespace"}), ["pre-tokenizer"]),
        (lambda content: content["model"].update(unk_token="the"), ["model"]),
        (lambda content: content["added_tokens"].pop(), ["added tokens"]),
        (lambda content: content.update(decoder={"type": "Fuse"}), ["decoder"]),
    ],
)
def test_the_parts_that_differ_are_named(change: Callable[..., Any], expected: list[str]):
    made = word_piece()
    assert differing_parts(made, with_other(made, change)) == expected


def test_a_frame_that_puts_other_tokens_around_a_text_differs():
    made = word_piece()
    framed = with_other(made, lambda content: None)
    framed.post_processor = processors.TemplateProcessing(
        single="<pad> $A", special_tokens=[("<pad>", 0)]
    )
    assert differing_parts(made, framed) == ["post-processor"]


def test_cuts_and_fillings_and_frames_of_nothing_make_no_difference():
    made = word_piece()
    other = with_other(made, lambda content: None)
    other.enable_truncation(3)
    other.enable_padding(length=12)
    other.post_processor = processors.TemplateProcessing(single="$A", special_tokens=[])
    assert differing_parts(made, other) == []


def test_an_empty_prefix_is_none():
    def empty(content: dict[str, Any]) -> None:
        content["model"].update(continuing_subword_prefix="", end_of_word_suffix=None)

    made = byte_level_bpe()
    assert differing_parts(made, with_other(made, empty)) == []

"""`entries`: tokens that no text is read as are planted in tokenizers of every kind."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from embspace.models.spelling import spelling_of
from embspace.models.tokenizer import names_by_id
from embspace.models.tokens.reachable import Entry, entries
from tests.lazy import tokenizers
from tests.trained_tokenizers import (
    KINDS,
    SPECIAL,
    TEXTS,
    byte_level_bpe,
    fallback_bpe,
    suffix_bpe,
    unigram,
    word_piece,
)


def with_tokens(tokenizer: Any, *tokens: str, score: float = -1000) -> Any:
    """The tokenizer with entries behind its vocabulary that no merge makes."""
    content = json.loads(tokenizer.to_str())
    vocabulary = content["model"]["vocab"]
    for token in tokens:
        if isinstance(vocabulary, list):
            vocabulary.append([token, score])
        else:
            vocabulary[token] = len(vocabulary)
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def read(tokenizer: Any) -> dict[str, Entry]:
    given: Any = SimpleNamespace(backend_tokenizer=tokenizer, all_special_tokens=SPECIAL)
    names = names_by_id(given)
    spelling = spelling_of(json.loads(tokenizer.to_str()))
    return dict(zip(names, entries(given, spelling, names), strict=True))


PLANTED: list[tuple[Callable[[], Any], str, str]] = [
    (word_piece, "##!", "split"),
    (word_piece, "cats!", "split"),
    (byte_level_bpe, "Ġzzqq", "other pieces"),
    (byte_level_bpe, "zzqq", "other pieces"),
    (byte_level_bpe, "õ", "no text"),
    (unigram, "▁thecats", "other pieces"),
    (fallback_bpe, "▁zzqq", "other pieces"),
    (suffix_bpe, "zzqq</w>", "other pieces"),
]


@pytest.mark.parametrize(("make", "token", "reason"), PLANTED)
def test_a_planted_token_is_found(make: Callable[[], Any], token: str, reason: str):
    tokenizer = make()
    planted = tokenizer if token in tokenizer.get_vocab() else with_tokens(tokenizer, token)
    entry = read(planted)[token]
    assert (entry.status, entry.reason) == ("unreachable", reason)
    assert token not in entry.read_as


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_of_texts_are_reached(kind: str):
    tokenizer = KINDS[kind]()
    spoken = {token for text in TEXTS for token in tokenizer.encode(text).tokens}
    made = read(tokenizer)
    assert {made[token].status for token in spoken - {*SPECIAL}} == {"reachable"}
    assert {made[token].status for token in SPECIAL} == {"special"}


def test_a_normalizer_puts_tokens_out_of_reach():
    tokenizer = with_tokens(word_piece(), "Cats")
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    made = read(tokenizer)
    assert made["Cats"] == Entry("unreachable", "normalized", made["Cats"].read_as)
    assert made["cats"].status == "reachable"


def test_halves_of_characters_stay_open_or_are_reached():
    made = read(byte_level_bpe())
    assert made["Ð"].status in ("reachable", "open")  # begins Cyrillic letters
    assert made["Á"].status == "unreachable"  # is in no UTF-8


def test_a_mark_that_the_makers_added_is_read_as_characters():
    tokenizer = byte_level_bpe()
    tokenizer.add_special_tokens(["<repo>"])
    tokenizer.encode_special_tokens = True  # as `read_tokenizer` has it: texts have no marks
    entry = read(tokenizer)["<repo>"]
    assert (entry.status, entry.reason) == ("unreachable", "mark")

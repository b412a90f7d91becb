from pathlib import Path

import pytest
from tokenizers import decoders, pre_tokenizers

from embspace.models.spelling import Spelling, _bytes_by_character, spelling_of
from embspace.models.tokenizer import load_spelling
from embspace.settings.model import describe_model
from tests.tiny import tiny_description
from tests.trained_tokenizers import KINDS, SPECIAL, TEXTS, byte_level_bpe, spelling, unigram

WORD_PIECE = Spelling("WordPiece", "continuation", "##", byte_level=False)
BYTE_LEVEL = Spelling("BPE", "word_start", "Ġ", byte_level=True)
SENTENCE_PIECE = Spelling("Unigram", "word_start", "▁", byte_level=False)
SUFFIXED = Spelling("BPE", "word_end", "</w>", byte_level=False)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("word_piece", WORD_PIECE),
        ("byte_level_bpe", BYTE_LEVEL),
        ("unigram", SENTENCE_PIECE),
        ("fallback_bpe", Spelling("BPE", "word_start", "▁", byte_level=False)),
        ("suffix_bpe", SUFFIXED),
    ],
)
def test_a_tokenizer_tells_how_it_spells(kind: str, expected: Spelling):
    assert spelling(KINDS[kind]()) == expected


def test_whole_words_alone_are_not_marked():
    backend = {"model": {"type": "WordLevel"}, "normalizer": None, "pre_tokenizer": None}
    spelled = spelling_of(backend | {"decoder": None})
    assert spelled == Spelling("WordLevel", "nothing", "", byte_level=False)
    assert not spelled.is_subword("the")
    assert spelled.word_form("the") == "the"


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_a_text_make_its_words_again(kind: str):
    tokenizer = KINDS[kind]()
    spelled = spelling(tokenizer)
    for text in TEXTS[:3]:
        words, goes_on = [], False
        for token in tokenizer.encode(text).tokens:
            # Where ends are marked, a token goes on with the one before if that was no end.
            is_piece = spelled.is_subword(token)
            joins = goes_on if spelled.marks == "word_end" else is_piece
            form = spelled.word_form(token)
            assert form is not None, token
            words[-1:] = [words[-1] + form] if joins else [*words[-1:], form]
            goes_on = is_piece
        assert " ".join(words) == text


@pytest.mark.parametrize(
    ("spelled", "token", "form", "is_subword"),
    [
        (WORD_PIECE, "##ing", "ing", True),
        (WORD_PIECE, "ing", "ing", False),
        (WORD_PIECE, "##", "##", False),
        (WORD_PIECE, "###", "#", True),
        (BYTE_LEVEL, "Ġthe", "the", False),
        (BYTE_LEVEL, "the", "the", True),
        (BYTE_LEVEL, "Ã©", "é", True),
        (BYTE_LEVEL, "ĠdÃ©jÃł", "déjà", False),
        (BYTE_LEVEL, "aÃ", None, True),
        (BYTE_LEVEL, "Ġ", "", False),
        (BYTE_LEVEL, "ĠĠ", " ", False),
        (BYTE_LEVEL, "<日本>", "<日本>", True),
        (SENTENCE_PIECE, "▁the", "the", False),
        (SENTENCE_PIECE, "s", "s", True),
        (SENTENCE_PIECE, "▁", "", False),
        (SENTENCE_PIECE, "▁of▁the", "of the", False),
        (SENTENCE_PIECE, "<0x0A>", None, True),
        (SUFFIXED, "the</w>", "the", False),
        (SUFFIXED, "th", "th", True),
    ],
)
def test_forms_by_hand(spelled: Spelling, token: str, form: str | None, is_subword: bool):
    assert spelled.word_form(token) == form
    assert spelled.is_subword(token) == is_subword


def test_bytes_are_those_of_the_tokenizers_library():
    assert set(_bytes_by_character()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(_bytes_by_character().values()) == list(range(256))


def test_every_token_is_read_as_the_library_decodes_it():
    for tokenizer, decoder in (
        (byte_level_bpe(), decoders.ByteLevel()),
        (unigram(), decoders.Metaspace(prepend_scheme="never")),
    ):
        spelled = spelling(tokenizer)
        for token in set(tokenizer.get_vocab()) - set(SPECIAL):
            decoded = decoder.decode([token])
            form = spelled.word_form(token)
            if form is None:
                assert "\ufffd" in decoded
            else:
                assert decoded == ("" if spelled.is_subword(token) else " ") + form


def test_a_model_brings_its_spelling_along(tiny_folder: Path):
    description = tiny_description(tiny_folder)
    assert load_spelling("tiny", describe_model("tiny", description)) == WORD_PIECE
    random = description | {"source": "random", "seed": 0, "config": {}}
    del random["path"]
    assert load_spelling("random", describe_model("random", random)) is None

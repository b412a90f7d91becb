"""Small tokenizers of every kind, trained on a few sentences by the tokenizers library."""

import json
from collections.abc import Callable
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from embspace.models.spelling import Spelling, spelling_of

TEXTS = [
    "the cats sat on the mats and the dogs were running after other cats in the night",
    "déjà vu in a naïve café near the station where runners and singers had been sitting",
    "in 1999 and 2007 some 123 singers sang 12 songs and 7 of the 12 songs were new",
    "日本語 привет мир",
] * 5
SPECIAL = ["<pad>", "<unk>"]


def word_piece() -> Tokenizer:
    """As BERT's: `##` inside words."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return _trained(tokenizer, trainers.WordPieceTrainer(vocab_size=200, **_options()))


def byte_level_bpe() -> Tokenizer:
    """As GPT-2's and RoBERTa's: `Ġ` before words, bytes as characters."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, **_options())
    return _trained(tokenizer, trainer)


def unigram() -> Tokenizer:
    """As SentencePiece's: `▁` before words."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, unk_token="<unk>", **_options())
    return _trained(tokenizer, trainer)


def fallback_bpe() -> Tokenizer:
    """As Llama's: `▁` by a normalizer, bytes as `<0x0A>`."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    options = _options() | {"special_tokens": [*SPECIAL, "<0x0A>"]}
    return _trained(tokenizer, trainers.BpeTrainer(vocab_size=200, **options))


def suffix_bpe() -> Tokenizer:
    """As the first GPT's: `</w>` after words."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    options = _options() | {"end_of_word_suffix": "</w>"}
    return _trained(tokenizer, trainers.BpeTrainer(vocab_size=200, **options))


KINDS: dict[str, Callable[[], Tokenizer]] = {
    "word_piece": word_piece,
    "byte_level_bpe": byte_level_bpe,
    "unigram": unigram,
    "fallback_bpe": fallback_bpe,
    "suffix_bpe": suffix_bpe,
}


def spelling(tokenizer: Tokenizer) -> Spelling:
    """What embspace finds out of it."""
    return spelling_of(json.loads(tokenizer.to_str()))


def _options() -> dict[str, Any]:
    return {"special_tokens": SPECIAL, "show_progress": False}


def _trained(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    tokenizer.train_from_iterator(TEXTS, trainer)
    return tokenizer

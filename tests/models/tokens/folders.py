"""Folders with a tokenizer.json of rules of its own, under the class of a family."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from tests.trained_tokenizers import TEXTS, byte_level_bpe, fallback_bpe, unigram, word_piece

SPOKEN = [
    "The CATS sat, on Mats & and 1234567 déjà vu!",
    "  two  spaces,and\ttabs 日本語 and Naïve CAFÉ ",
    "singing 123 songs in 2007...",
    "привет мир",
]
ROLES = {"pad_token": "<pad>", "unk_token": "<unk>"}
Change = Callable[[Tokenizer], None]


def write_folder(folder: Path, tokenizer: Tokenizer | str, kind: str, **options: Any) -> Path:
    """tokenizer.json and tokenizer_config.json; no config.json, which would name a class, too."""
    folder.mkdir(parents=True, exist_ok=True)
    text = tokenizer if isinstance(tokenizer, str) else tokenizer.to_str()
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    config = {"tokenizer_class": kind, **ROLES, **options}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def changed(make: Callable[[], Tokenizer], **parts: Any) -> Callable[[], Tokenizer]:
    """A tokenizer with other parts."""

    def made() -> Tokenizer:
        tokenizer = make()
        for part, value in parts.items():
            setattr(tokenizer, part, value)
        return tokenizer

    return made


def with_json(make: Callable[[], Tokenizer], change: Callable[[dict[str, Any]], None]):
    """A tokenizer whose file somebody has edited."""

    def made() -> Tokenizer:
        content = json.loads(make().to_str())
        change(content)
        return Tokenizer.from_str(json.dumps(content))

    return made


def with_tokens(make: Callable[[], Tokenizer], *tokens: AddedToken) -> Callable[[], Tokenizer]:
    """A tokenizer with tokens that are added behind its vocabulary."""

    def made() -> Tokenizer:
        tokenizer = make()
        tokenizer.add_tokens(list(tokens))
        return tokenizer

    return made


def word_level() -> Tokenizer:
    words = sorted({word for text in TEXTS for word in text.split()})
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(["<pad>", "<unk>"])
    return tokenizer


def framed(make: Callable[[], Tokenizer]) -> Callable[[], Tokenizer]:
    """A frame that no class has: the token for padding before a text and two behind."""
    frame = processors.TemplateProcessing(
        single="<pad> $A <unk> <pad>", special_tokens=[("<pad>", 0), ("<unk>", 1)]
    )
    return changed(make, post_processor=frame)


def _by_three(tokenizer: dict[str, Any]) -> None:
    tokenizer["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": "\\d{1,3}"},
                "behavior": "Isolated",
                "invert": False,
            },
            tokenizer["pre_tokenizer"],
        ],
    }


def _cut_and_filled(content: dict[str, Any]) -> None:
    content["truncation"] = {
        "direction": "Left",
        "max_length": 3,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    content["padding"] = {
        "strategy": {"Fixed": 12},
        "direction": "Left",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "<pad>",
    }


CASED = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
STRIPPED = normalizers.Sequence([normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
CUT = "and"  # begins a word of the texts
# Each by what is its own, with the class that its folder names.
RULES: dict[str, tuple[Callable[[], Tokenizer], str]] = {
    "cased": (changed(word_piece, normalizer=CASED), "BertTokenizer"),
    "no_normalizer": (word_piece, "BertTokenizer"),
    "accents": (
        changed(word_piece, normalizer=normalizers.BertNormalizer(strip_accents=False)),
        "DistilBertTokenizer",
    ),
    "spaces_alone": (
        changed(word_piece, pre_tokenizer=pre_tokenizers.WhitespaceSplit()),
        "BertTokenizer",
    ),
    "lower_unigram": (changed(unigram, normalizer=normalizers.Lowercase()), "XLMRobertaTokenizer"),
    "lower_albert": (changed(unigram, normalizer=normalizers.Lowercase()), "AlbertTokenizer"),
    "lower_deberta": (changed(unigram, normalizer=normalizers.Lowercase()), "DebertaV2Tokenizer"),
    "lower_t5": (changed(unigram, normalizer=normalizers.Lowercase()), "T5Tokenizer"),
    "plain_camembert": (unigram, "CamembertTokenizer"),
    "plain_mbart": (unigram, "MBartTokenizer"),
    "plain_xlnet": (unigram, "XLNetTokenizer"),
    "digits": (with_json(byte_level_bpe, _by_three), "GPT2Tokenizer"),
    "digits_qwen": (with_json(byte_level_bpe, _by_three), "Qwen2Tokenizer"),
    "digits_llama": (with_json(byte_level_bpe, _by_three), "LlamaTokenizer"),
    "word_piece_roberta": (word_piece, "RobertaTokenizer"),
    "bpe_bert": (byte_level_bpe, "BertTokenizer"),
    "unigram_gpt2": (unigram, "GPT2Tokenizer"),
    "word_level_bert": (word_level, "BertTokenizer"),
    "no_space": (
        changed(byte_level_bpe, pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False)),
        "GPTNeoXTokenizer",
    ),
    "never_space": (
        changed(unigram, pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="never")),
        "XLMRobertaTokenizer",
    ),
    "first_space": (
        changed(unigram, pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first")),
        "LlamaTokenizer",
    ),
    "unsplit": (
        changed(unigram, pre_tokenizer=pre_tokenizers.Metaspace(split=False)),
        "AlbertTokenizer",
    ),
    "bytes": (fallback_bpe, "LlamaTokenizer"),
    "bytes_gemma": (fallback_bpe, "GemmaTokenizer"),
    "stripped": (changed(word_piece, normalizer=STRIPPED), "BertTokenizer"),
    "framed": (framed(word_piece), "BertTokenizer"),
    "framed_roberta": (framed(byte_level_bpe), "RobertaTokenizer"),
    "unframed_llama": (byte_level_bpe, "LlamaTokenizer"),
    "byte_frame": (
        changed(byte_level_bpe, post_processor=processors.ByteLevel(trim_offsets=False)),
        "RobertaTokenizer",
    ),
    "taking_spaces": (
        with_tokens(byte_level_bpe, AddedToken(CUT, lstrip=True, rstrip=True)),
        "GPT2Tokenizer",
    ),
    "whole_words": (with_tokens(word_piece, AddedToken("sit", single_word=True)), "BertTokenizer"),
    "normalized": (
        with_tokens(
            changed(word_piece, normalizer=normalizers.Lowercase()),
            AddedToken("CATS", normalized=True),
        ),
        "BertTokenizer",
    ),
    "cut_and_filled": (with_json(word_piece, _cut_and_filled), "BertTokenizer"),
    "cut_general": (with_json(word_piece, _cut_and_filled), "PreTrainedTokenizerFast"),
    "no_decoder": (changed(unigram, decoder=decoders.Fuse()), "XLMRobertaTokenizer"),
    "unknown_class": (word_piece, "NobodysTokenizer"),
    "slow_class": (word_piece, "BioGptTokenizer"),
    "characters": (word_piece, "CanineTokenizer"),
    "fast_name": (changed(word_piece, normalizer=CASED), "BertTokenizerFast"),
}

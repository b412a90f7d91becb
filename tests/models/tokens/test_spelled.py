"""Special tokens that a text spells are text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from embspace.models.tokenizer import read_tokenizer
from embspace.models.windows import cut_windows
from tests.models.tokens.folders import changed, word_level, write_folder
from tests.trained_tokenizers import byte_level_bpe, fallback_bpe, unigram, word_piece
from tests.zoo import ANIMALS, build_animal, special_of

SPELLED = "This is [SEP] a test [MASK] of [PAD] text [CLS] <pad> <s> </s> <mask> <|endoftext|>"


def spelled_like(text: str, tokenizer: Any) -> set[int]:
    """Ids of special tokens in the windows of a text, where the frame has not put them."""
    special = {*tokenizer.all_special_ids} - {tokenizer.unk_token_id}
    windows = cut_windows([text], tokenizer, 12, 2)
    return special & {int(number) for window in windows for number in window.ids[~window.special]}


@pytest.mark.parametrize("name", ANIMALS)
def test_no_special_token_is_read_out_of_a_text(name: str, tmp_path: Path):
    tokenizer = read_tokenizer(build_animal(name, tmp_path / name))
    assert not spelled_like(SPELLED, tokenizer)
    assert not spelled_like(" ".join(special_of(ANIMALS[name])), tokenizer)
    assert not spelled_like("".join(special_of(ANIMALS[name])), tokenizer)


@pytest.mark.parametrize(
    ("make", "is_parted"),
    [
        (unigram, True),  # <pad> is a piece of the model, and of the best score
        (word_level, True),
        (changed(word_piece, pre_tokenizer=pre_tokenizers.WhitespaceSplit()), True),
        (changed(unigram, pre_tokenizer=None), True),
        (word_piece, False),
        (byte_level_bpe, False),
        (fallback_bpe, False),
    ],
)
def test_only_models_that_have_them_as_pieces_need_a_step(
    make: Callable[[], Tokenizer], is_parted: bool, tmp_path: Path
):
    made = make()
    tokenizer = read_tokenizer(write_folder(tmp_path / "made", made, "PreTrainedTokenizerFast"))
    assert not spelled_like("the cats <pad> and <unk> sat<pad>", tokenizer)
    steps = json.loads(tokenizer.backend_tokenizer.to_str())["pre_tokenizer"]
    assert ('"type": "Split"' in json.dumps(steps)) == is_parted
    for text in ("the cats sat on the mats", "in 1999, <b> 3 < 4 <padding", "déjà vu"):
        assert tokenizer(text)["input_ids"] == made.encode(text).ids


def test_words_that_are_taken_whole_are_parted(tmp_path: Path):
    vocabulary = {"<pad>": 0, "<unk>": 1, "<": 2, "pad": 3, ">": 4, "a": 5, "Ġ": 6}
    bpe = Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", ignore_merges=True))
    bpe.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    bpe.add_special_tokens(["<pad>", "<unk>"])
    folder = write_folder(tmp_path / "whole", bpe, "PreTrainedTokenizerFast")
    assert not spelled_like("a <pad> a", read_tokenizer(folder))


def test_later_positions_of_roberta_stay(tmp_path: Path):
    """Its positions count the tokens that are no padding."""
    import torch
    from transformers import AutoModel

    folder = build_animal("roberta", tmp_path / "roberta")
    tokenizer, module = read_tokenizer(folder), AutoModel.from_pretrained(folder)
    ids = torch.tensor([tokenizer("one <pad> two")["input_ids"]])
    positions = module.embeddings.create_position_ids_from_input_ids(
        ids, module.config.pad_token_id
    )
    assert positions[0].tolist() == list(range(2, 2 + ids.shape[1]))


def test_tokens_that_are_added_and_not_special_are_read(tmp_path: Path):
    tokenizer = word_piece()
    tokenizer.add_tokens(["[place]"])
    folder = write_folder(tmp_path / "added", tokenizer, "PreTrainedTokenizerFast")
    assert "[place]" in read_tokenizer(folder).tokenize("the [place] sat")

from pathlib import Path
from typing import Any

import pytest

from embspace.train.word_tokenizer import word_tokenizer
from tests.lazy import transformers

TEXTS = ["the cat, the dog", "the cat, a\tdog\nA"]
WORDS = ["the", "cat,", "dog", "A", "a"]  # 3, 2, 2, 1, 1 times
SPECIAL = {
    True: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    False: ["[PAD]", "[UNK]", "[BOS]", "[EOS]"],
}


@pytest.fixture(params=["made", "saved"])
def tokenizers(request: pytest.FixtureRequest, tmp_path: Path) -> dict[bool, Any]:
    """Both kinds, as they are made and as they are read again."""
    made = {is_masked: word_tokenizer(TEXTS, is_masked=is_masked) for is_masked in (True, False)}
    if request.param == "made":
        return made
    for is_masked, tokenizer in made.items():
        tokenizer.save_pretrained(tmp_path / str(is_masked))
    return {
        is_masked: transformers.AutoTokenizer.from_pretrained(tmp_path / str(is_masked))
        for is_masked in made
    }


@pytest.mark.parametrize("is_masked", [True, False])
def test_special_tokens_come_first_and_then_words_by_frequency(
    tokenizers: dict[bool, Any], is_masked: bool
):
    expected = [*SPECIAL[is_masked], *WORDS]
    tokenizer = tokenizers[is_masked]
    assert tokenizer.get_vocab() == {token: number for number, token in enumerate(expected)}
    assert len(tokenizer) == len(expected)
    assert set(tokenizer.all_special_tokens) == set(SPECIAL[is_masked])


@pytest.mark.parametrize(("is_masked", "ends"), [(True, (2, 3)), (False, (2, 3))])
def test_a_text_stands_between_its_special_tokens(
    tokenizers: dict[bool, Any], is_masked: bool, ends: tuple[int, int]
):
    tokenizer = tokenizers[is_masked]
    ids = tokenizer("a dog the")["input_ids"]
    tokens = tokenizer.convert_ids_to_tokens(ids)
    assert tokens == [SPECIAL[is_masked][2], "a", "dog", "the", SPECIAL[is_masked][3]]
    assert (ids[0], ids[-1]) == ends
    assert tokenizer.num_special_tokens_to_add() == 2


def test_a_pair_has_two_segments(tokenizers: dict[bool, Any]):
    encoded = tokenizers[True]("the cat,", "dog", return_token_type_ids=True)
    tokens = tokenizers[True].convert_ids_to_tokens(encoded["input_ids"])
    assert tokens == ["[CLS]", "the", "cat,", "[SEP]", "dog", "[SEP]"]
    assert encoded["token_type_ids"] == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("is_masked", [True, False])
def test_unknown_words_are_unknown_and_case_counts(tokenizers: dict[bool, Any], is_masked: bool):
    tokenizer = tokenizers[is_masked]
    ids = tokenizer("The cat cat, bird", add_special_tokens=False)["input_ids"]
    unknown = tokenizer.unk_token_id
    assert ids == [unknown, unknown, tokenizer.get_vocab()["cat,"], unknown]
    assert unknown == 1


def test_roles_are_those_of_the_kind_of_model(tokenizers: dict[bool, Any]):
    masked, causal = tokenizers[True], tokenizers[False]
    roles = ("pad", "unk", "cls", "sep", "mask", "bos", "eos")
    assert [getattr(masked, f"{role}_token_id") for role in roles] == [0, 1, 2, 3, 4, None, None]
    assert [getattr(causal, f"{role}_token_id") for role in roles] == [0, 1, *[None] * 3, 2, 3]


def test_special_tokens_written_in_a_text_are_no_second_word():
    vocabulary = word_tokenizer(["[MASK] a [MASK] [PAD]"], is_masked=True).get_vocab()
    assert sorted(vocabulary.values()) == list(range(6))

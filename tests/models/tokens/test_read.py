"""What runs is tokenizer.json, whatever class of transformers its folder names."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models

from embspace.errors import InputError
from embspace.models.tokenizer import read_tokenizer
from embspace.models.tokens.read import read_folder
from tests.models.tokens.folders import RULES, SPOKEN, with_json, write_folder
from tests.trained_tokenizers import byte_level_bpe, word_piece


def tokenizer_of_file(folder: Path) -> Tokenizer:
    text = (folder / "tokenizer.json").read_text(encoding="utf-8-sig")
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def assert_is_the_file_s(folder: Path) -> None:
    own, tokenizer = tokenizer_of_file(folder), read_tokenizer(folder)
    for text in SPOKEN:
        expected = own.encode(text)
        read = tokenizer(text, return_offsets_mapping=True)
        assert read["input_ids"] == expected.ids, text
        assert [tuple(pair) for pair in read["offset_mapping"]] == expected.offsets, text
    assert tokenizer.get_vocab() == own.get_vocab()


@pytest.mark.parametrize("rule", RULES)
def test_rules_of_the_file_run(rule: str, tmp_path: Path):
    make, kind = RULES[rule]
    assert_is_the_file_s(write_folder(tmp_path / rule, make(), kind))


@pytest.mark.parametrize("rule", ["cased", "spaces_alone", "lower_albert", "slow_class"])
def test_a_class_that_differs_is_told_in_a_sentence(rule: str, tmp_path: Path):
    make, kind = RULES[rule]
    note = read_folder(write_folder(tmp_path / rule, make(), kind)).note
    assert note.startswith("The tokenizer is as tokenizer.json says; ")
    assert note.endswith(".") and "\n" not in note


def test_a_class_that_is_as_its_file_has_no_note(tmp_path: Path):
    make, _ = RULES["cased"]
    folder = write_folder(tmp_path / "plain", make(), "PreTrainedTokenizerFast")
    assert read_folder(folder).note == ""


def test_roles_that_the_file_has_no_token_for_add_none(tmp_path: Path):
    make, _ = RULES["no_space"]
    folder = write_folder(tmp_path / "new", make(), "GPT2Tokenizer", pad_token="[NEW]")
    tokenizer = read_tokenizer(folder)
    assert tokenizer.pad_token is None
    assert tokenizer.get_vocab() == tokenizer_of_file(folder).get_vocab()


def test_dropout_of_merges_is_left_to_training(tmp_path: Path):
    make = with_json(byte_level_bpe, lambda content: content["model"].update(dropout=0.5))
    folder = write_folder(tmp_path / "drop", make(), "GPT2Tokenizer")
    tokenizer, own = read_tokenizer(folder), tokenizer_of_file(folder)
    own.model.dropout = None
    expected = own.encode(SPOKEN[0]).ids
    assert all(tokenizer(SPOKEN[0])["input_ids"] == expected for _ in range(5))


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path):
    folder = write_folder(tmp_path / "mark", word_piece(), "BertTokenizer")
    file = folder / "tokenizer.json"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert_is_the_file_s(folder)
    assert read_tokenizer(folder).unk_token == "<unk>"


def test_no_settings_beside_the_file_are_needed(tmp_path: Path):
    folder = write_folder(tmp_path / "alone", word_piece(), "BertTokenizer")
    (folder / "tokenizer_config.json").unlink()
    assert_is_the_file_s(folder)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (word_piece().to_str()[:500], "the tokenizer cannot be read: EOF while parsing"),
        ("", "the tokenizer cannot be read: EOF while parsing"),
        ("[]", "the tokenizer cannot be read: invalid type: sequence"),
        ("version https://git-lfs.github.com/spec/v1\nsize 3\n", "git lfs pull"),
    ],
)
def test_a_file_that_is_none_is_told(text: str, message: str, tmp_path: Path):
    with pytest.raises(InputError, match=message):
        read_tokenizer(write_folder(tmp_path / "broken", text, "BertTokenizer"))


def test_an_added_token_that_the_library_renumbers_is_told(tmp_path: Path):
    content = json.loads(word_piece().to_str())
    content["added_tokens"].append({**content["added_tokens"][0], "id": 5000, "content": "<far>"})
    folder = write_folder(tmp_path / "far", json.dumps(content), "BertTokenizer")
    with pytest.raises(InputError, match="has the added token '<far>' as number 5000"):
        read_tokenizer(folder)


def test_broken_settings_are_told(tmp_path: Path):
    folder = write_folder(tmp_path / "broken", word_piece(), "BertTokenizer")
    (folder / "tokenizer_config.json").write_text("{")
    with pytest.raises(InputError, match="tokenizer_config.json: is no JSON"):
        read_tokenizer(folder)


def test_a_tokenizer_of_special_tokens_alone_is_refused(tmp_path: Path):
    bare = Tokenizer(models.WordLevel({"<pad>": 0, "<unk>": 1}, unk_token="<unk>"))
    with pytest.raises(InputError, match="special tokens alone"):
        read_tokenizer(write_folder(tmp_path / "bare", bare, "PreTrainedTokenizerFast"))


@pytest.mark.parametrize("kind", ["CanineTokenizer", "ByT5Tokenizer", "EsmTokenizer"])
def test_slow_classes_alone_are_refused_with_the_reason_and_the_way_out(kind: str, tmp_path: Path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    (tmp_path / "vocab.txt").write_text("<cls>\n<pad>\n<eos>\n<unk>\nL\nA\n<mask>\n")
    message = f"only a slow tokenizer, {kind}, .* where in the text .* tokenizer.json would"
    with pytest.raises(InputError, match=message):
        read_tokenizer(tmp_path)


def test_without_a_file_the_settings_are_the_rule(tmp_path: Path):
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "The"]
    (tmp_path / "vocab.txt").write_text("\n".join(lines) + "\n")
    for is_lowered, expected in ((True, "the"), (False, "The")):
        options = {"tokenizer_class": "BertTokenizer", "do_lower_case": is_lowered}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(options))
        assert read_tokenizer(tmp_path).tokenize("The") == [expected]


def test_a_file_without_added_tokens_has_none(tmp_path: Path):
    folder = write_folder(tmp_path / "mine", Tokenizer(models.WordLevel({"a": 0}, "a")), "Nobody")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content.pop("added_tokens") == []
    file.write_text(json.dumps(content), encoding="utf-8")
    assert read_tokenizer(folder).get_vocab() == {"a": 0}


def test_options_that_are_a_list_are_told(tmp_path: Path):
    folder = write_folder(tmp_path / "mine", word_piece(), "BertTokenizer")
    (folder / "tokenizer_config.json").write_text("[1]")
    message = r"tokenizer_config\.json: expected keys and values, found \[1\]"
    with pytest.raises(InputError, match=message):
        read_folder(folder)


def test_templates_of_chats_and_other_options_change_no_text(tmp_path: Path):
    text_of_file = word_piece().to_str()
    plain = write_folder(tmp_path / "plain", text_of_file, "BertTokenizer")
    template = "{% for m in messages %}[CLS]{{ m }}{% endfor %}"
    options = {"chat_template": template, "padding_side": "left", "add_prefix_space": True}
    options |= {"response_template": "x", "clean_up_tokenization_spaces": True}
    other = write_folder(tmp_path / "chat", text_of_file, "BertTokenizer", **options)
    (other / "chat_template.jinja").write_text(template)
    (other / "chat_template.json").write_text(json.dumps({"chat_template": template}))
    assert_is_the_file_s(other)
    for text in SPOKEN:
        assert read_tokenizer(other)(text)["input_ids"] == read_tokenizer(plain)(text)["input_ids"]

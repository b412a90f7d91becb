import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.models.tokenizer import (
    character_class,
    check_vocabulary,
    load_tokenizer,
    names_by_id,
    numbered_vocabulary,
    read_tokenizer,
    tokenizer_note,
    vocabulary_table,
)
from embspace.settings.model import TokenTypes, describe_model
from tests.tiny import VOCABULARY, tiny_description


@pytest.fixture(scope="module")
def table(tiny_folder: Path) -> pd.DataFrame:
    model = describe_model("tiny", tiny_description(tiny_folder))
    return vocabulary_table("tiny", load_tokenizer("tiny", model), model).set_index("token")


def test_every_token_has_its_row_in_the_order_of_the_ids(table: pd.DataFrame):
    assert list(table.index) == VOCABULARY
    assert list(table["id"]) == list(range(len(VOCABULARY)))


@pytest.mark.parametrize(
    ("token", "kind", "characters", "role"),
    [
        ("[CLS]", "special", "mixed", "cls"),
        ("[MASK]", "special", "mixed", "mask"),
        ("[unused0]", "unused", "mixed", ""),
        ("the", "word", "latin", ""),
        ("##ing", "subword", "latin", ""),
        ("7", "digit", "digit", ""),
        ("!", "other", "punctuation", ""),
    ],
)
def test_kinds_and_roles(table: pd.DataFrame, token: str, kind: str, characters: str, role: str):
    row = table.loc[token]
    assert (row["kind"], row["character_class"], row["role"]) == (kind, characters, role)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("straße", "latin"),
        ("мир", "letter"),
        ("日本", "letter"),
        ("١٢", "digit"),
        ("½", "digit"),
        ("€", "symbol"),
        ("co2", "mixed"),
        ("§", "punctuation"),
    ],
)
def test_character_classes(text: str, expected: str):
    assert character_class(text) == expected


def test_a_tokenizer_that_does_not_fit_the_matrix_names_both_sizes(table: pd.DataFrame):
    model = describe_model("tiny", tiny_description(Path()))
    check_vocabulary("tiny", model, table.reset_index(), len(VOCABULARY))
    with pytest.raises(InputError, match=f"{len(VOCABULARY)} tokens .* the input matrix 7 rows"):
        check_vocabulary("tiny", model, table.reset_index(), 7)


def test_named_padding_rows_are_no_tokens(table: pd.DataFrame):
    model = describe_model("tiny", tiny_description(Path()) | {"padding_rows": 3})
    check_vocabulary("tiny", model, table.reset_index(), len(VOCABULARY) + 3)


def test_a_broken_tokenizer_names_the_folder(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    (copy / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match=f"{copy}: the tokenizer cannot be read"):
        load_tokenizer("tiny", describe_model("tiny", tiny_description(copy)))


def test_no_code_of_a_tokenizer_s_folder_runs_whoever_says_yes(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder, ran = tmp_path / "evil", tmp_path / "ran"
    shutil.copytree(tiny_folder, folder)
    (folder / "config.json").unlink()
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\nclass T: pass\n")
    options = {"tokenizer_class": "Evil", "auto_map": {"AutoTokenizer": ["evil.T", "evil.T"]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(options))
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    with pytest.raises(InputError, match=rf"{folder}: the tokenizer cannot be read: .*custom code"):
        read_tokenizer(folder)
    assert not ran.exists()


def test_a_tokenizer_at_which_its_library_panics_is_told(tiny_folder: Path, tmp_path: Path):
    folder = tmp_path / "garbage"
    shutil.copytree(tiny_folder, folder)
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    content["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": "/////w=="}
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "config.json").unlink()  # else it is made anew by the rules of BERT
    options = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(options))
    with pytest.raises(InputError, match="the tokenizer cannot be read"):
        read_tokenizer(folder)


def test_random_weights_without_a_tokenizer_have_numbered_tokens_and_read_no_texts():
    assert list(numbered_vocabulary(2)["token"]) == ["<0>", "<1>"]
    description = tiny_description(Path()) | {"source": "random", "seed": 0, "config": {}}
    del description["path"]
    with pytest.raises(InputError, match="has no 'tokenizer', which texts need"):
        load_tokenizer("random", describe_model("random", description))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"continuation_prefix": "@@"}, "key 'continuation_prefix': found '@@', .* with '##'"),
        ({"word_prefix": "Ġ"}, "key 'word_prefix': found 'Ġ', .* marks continuation with '##'"),
    ],
)
def test_a_mark_that_is_not_the_tokenizer_s_is_told(
    tiny_folder: Path, change: dict[str, str], message: str
):
    model = describe_model("tiny", tiny_description(tiny_folder) | change)
    with pytest.raises(InputError, match=rf"conf/model/tiny\.yaml: {message}"):
        vocabulary_table("tiny", load_tokenizer("tiny", model), model)


def test_a_folder_without_any_vocabulary_says_what_it_looked_for(tmp_path: Path):
    with pytest.raises(InputError, match=r"no tokenizer\.json, nor any of vocab\.txt"):
        load_tokenizer("tiny", describe_model("tiny", tiny_description(tmp_path)))


def test_ids_that_the_vocabulary_leaves_out_are_rows_of_no_token(tiny_folder: Path, tmp_path: Path):
    folder = shutil.copytree(tiny_folder, tmp_path / "holes")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    hole = content["model"]["vocab"].pop("boat")
    file.write_text(json.dumps(content), encoding="utf-8")
    model = describe_model("tiny", tiny_description(folder))
    table = vocabulary_table("tiny", load_tokenizer("tiny", model), model)
    check_vocabulary("tiny", model, table, len(VOCABULARY))
    row = table.iloc[hole]
    assert (row["token"], row["kind"], row["role"]) == (f"no token {hole}", "unused", "")
    assert (table["kind"] == "unused").sum() == 2  # the other is [unused0]


def test_of_a_line_that_stands_twice_the_last_one_counts(tmp_path: Path):
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "the", "sat"]
    (tmp_path / "vocab.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    tokenizer = read_tokenizer(tmp_path)
    assert names_by_id(tokenizer) == [*lines[:5], "no token 5", *lines[6:]]
    assert tokenizer("the sat", add_special_tokens=False)["input_ids"] == [7, 8]


def test_a_folder_without_files_of_a_tokenizer_says_where_to_take_them(tmp_path: Path):
    with pytest.raises(InputError, match=r"`--tokenizer FOLDER`, or by the key `tokenizer`"):
        load_tokenizer("tiny", describe_model("tiny", tiny_description(tmp_path)))


def test_types_of_tokens_that_are_left_out_are_told(tiny_folder: Path, tmp_path: Path):
    folder = shutil.copytree(tiny_folder, tmp_path / "typed")
    model = describe_model("typed", tiny_description(folder))
    assert tokenizer_note("typed", model) == ""
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    content["post_processor"]["single"][-1]["SpecialToken"]["type_id"] = 1
    file.write_text(json.dumps(content))
    assert "texts are read without these" in tokenizer_note("typed", model)
    passed = model.model_copy(update={"token_types": TokenTypes(special={3: 1})})
    assert tokenizer_note("typed", passed) == ""

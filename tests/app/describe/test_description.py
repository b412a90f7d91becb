from pathlib import Path

import pytest
import yaml

from embspace.app.describe.description import check_complete, description_of, write_description
from embspace.app.describe.find import find_model
from embspace.errors import InputError
from embspace.settings.model import describe_model
from tests.tiny import DIM, VOCABULARY, build_tiny_bert, tiny_description
from tests.zoo import build_animal


def test_the_file_says_what_people_wrote_of_the_model(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    named = find_model(str(folder), root, None)
    text = description_of(named, root)
    assert text.startswith(
        f"# mine, BertModel: 2 layers of {DIM} dimensions, {len(VOCABULARY)} tokens; found"
    )
    content = yaml.safe_load(text)
    expected = tiny_description(folder) | {"label": "mine", "license": "unknown"}
    expected["language"] = "unknown"
    assert {key: content[key] for key in expected} == expected
    assert write_description(named, root) == root / "conf/model/mine.yaml"
    assert (root / "conf/model/mine.yaml").read_text() == text
    # Now it is known, by its name and by its folder.
    for given_name in ("mine", str(folder)):
        known = find_model(given_name, root, None)
        assert (known.name, known.described) == ("mine", None)
        assert description_of(known, root) == text
    with pytest.raises(InputError, match=r"mine\.yaml: describes this model already"):
        write_description(find_model("mine", root, None), root)


def test_a_folder_of_the_tree_is_named_from_its_root(root: Path):
    named = find_model(str(build_tiny_bert(root / "models/mine")), root, None)
    assert yaml.safe_load(description_of(named, root))["path"] == "models/mine"


def test_what_the_files_do_not_say_is_asked_for(root: Path, tmp_path: Path):
    folder = build_animal("bloom", tmp_path / "bloom")
    named = find_model(str(folder), root, None)
    with pytest.raises(InputError, match=r"key 'window': .* no number of positions") as raised:
        check_complete(named, str(folder))
    assert f"embspace describe {folder} --write" in str(raised.value)
    assert "conf/model/bloom.yaml" in str(raised.value)
    assert "# window:  # not found: " in description_of(named, root)


def test_a_class_that_is_not_as_its_file_stands_in_the_description(root: Path, tmp_path: Path):
    named = find_model(str(build_animal("xlm-roberta", tmp_path / "xlm")), root, None)
    written = description_of(named, root)
    assert "note: The tokenizer is as tokenizer.json says; " in written
    assert describe_model(named.name, named.described).note.endswith("has another pre-tokenizer.")

import json
import shutil
from pathlib import Path

import pytest
import yaml

from embspace.app.describe.description import check_complete, description_of, write_description
from embspace.app.describe.find import find_model
from embspace.app.describe.given import given_keys
from embspace.errors import InputError, RefusedModel
from embspace.extract.embeddings import extract_embeddings
from embspace.settings.model import describe_model
from tests.tiny import VOCABULARY, build_tiny_bert


def test_a_checkpoint_of_a_training_takes_its_tokenizer_from_elsewhere(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "checkpoint-500")
    tokenizer = tmp_path / "base"
    tokenizer.mkdir()
    for file in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        if (folder / file).is_file():
            shutil.move(folder / file, tokenizer / file)
    with pytest.raises(RefusedModel, match=r"--tokenizer"):
        find_model(str(folder), root, None)
    given = given_keys(None, str(tokenizer))
    named = find_model(str(folder), root, None, given)
    check_complete(named, str(folder))
    assert named.described
    model = describe_model(named.name, named.described)
    _, vocabulary = extract_embeddings(named.name, model)
    assert len(vocabulary) == len(VOCABULARY)
    assert yaml.safe_load(description_of(named, root))["tokenizer"]["path"] == str(tokenizer)


def test_what_a_user_allows_stands_in_the_description(root: Path, tmp_path: Path):
    folder = build_tiny_bert(tmp_path / "mine")
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"use_rms_norm": True}))
    with pytest.raises(RefusedModel, match="--allow-unused 'use_rms_norm'"):
        find_model(str(folder), root, None)
    given = given_keys(["use_*"], None)
    named = find_model(str(folder), root, None, given)
    assert yaml.safe_load(description_of(named, root))["allow_unused"] == ["use_*"]
    write_description(named, root)
    with pytest.raises(InputError, match=r"mine\.yaml: describes this model; set allow_unused"):
        find_model(str(folder), root, None, given)

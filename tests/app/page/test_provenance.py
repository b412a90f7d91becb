"""What a page says of the model; the rest of it is in test_model.py."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from embspace.app.page.provenance import (
    is_decoder,
    other_language,
    shared_blocks,
    unknown_blocks,
    warnings_of,
)
from embspace.settings.schema import read_yaml


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"model_type": "gpt2", "n_layer": 1}, True),
        ({"model_type": "llama", "num_hidden_layers": 1}, True),
        ({"model_type": "bert", "num_hidden_layers": 1}, False),
        ({"model_type": "bert", "num_hidden_layers": 1, "is_decoder": True}, True),
        ({"model_type": "roberta", "num_hidden_layers": 1}, False),
        ({"model_type": "modernbert", "num_hidden_layers": 1}, False),
        ({"model_type": "distilbert", "n_layers": 1}, False),
        ({"model_type": "xlnet", "n_layer": 1}, False),
    ],
)
def test_a_decoder_is_whose_tokens_see_those_before_them_alone(
    root: Path, tmp_path: Path, config: dict[str, Any], expected: bool
):
    file = tmp_path / "conf/model/mine.yaml"
    file.parent.mkdir(parents=True)
    description = yaml.safe_load((root / "conf/model/minilm_random.yaml").read_text())
    file.write_text(yaml.safe_dump(description | {"config": config}))
    assert is_decoder(tmp_path, "mine") is expected


def test_of_a_model_whose_files_are_gone_it_is_not_known(tmp_path: Path):
    file = tmp_path / "conf/model/gone.yaml"
    file.parent.mkdir(parents=True)
    description = {"label": "Gone", "license": "unknown", "language": "none", "source": "path"}
    matrices = {"input": "x", "positional": None, "segment": None}
    file.write_text(yaml.safe_dump({**description, "path": "models/gone", "matrices": matrices}))
    assert is_decoder(tmp_path, "gone") is False


def test_a_reader_is_told_first_of_what_was_left_out_and_how_texts_were_read(tmp_path: Path):
    file = tmp_path / "conf/model/mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("label: x\n")
    assert warnings_of(tmp_path, "mine") == []
    file.write_text("allow_unused: ['lora_*', alibi]\nbatches: equal_lengths\n")
    left_out, read = warnings_of(tmp_path, "mine")
    assert "lora_*, alibi was left out" in left_out
    assert "each was read beside texts of its own length only" in read


@pytest.mark.parametrize(
    ("language", "other"),
    [
        ("German", "German"),
        ("Chinese", "Chinese"),
        ("English", ""),
        ("multilingual", ""),
        ("Multiple languages", ""),
        ("100 languages", ""),
        ("English, French", ""),
        ("en", ""),
        ("de, en", ""),
        ("EN-us", ""),
        ("en_GB", ""),
        ("fr", "fr"),
        ("Slovene", "Slovene"),
        ("Bengali", "Bengali"),
        ("unknown", ""),
        ("none", ""),
    ],
)
def test_a_language_without_english_is_told(tmp_path: Path, language: str, other: str):
    (tmp_path / "conf/model").mkdir(parents=True)
    (tmp_path / "conf/model/m.yaml").write_text(f"label: M\nlanguage: {language}\n")
    assert other_language({"language": language}) == other
    sentences = [sentence for sentence in warnings_of(tmp_path, "m") if "The language" in sentence]
    assert [sentence.split()[6].strip(",") for sentence in sentences] == [other] * bool(other)


def test_of_the_models_that_embspace_knows_one_knows_no_english(root: Path):
    languages = {file.stem: read_yaml(file) for file in (root / "conf/model").glob("*.yaml")}
    others = {name: other_language(described) for name, described in languages.items()}
    assert len(others) > 50
    assert {name: other for name, other in others.items() if other} == {
        "finbert_finnish": "Finnish"
    }


@pytest.mark.parametrize(
    ("config", "shared", "unknown"),
    [
        ({"model_type": "bert", "num_hidden_layers": 2}, "", ""),
        (
            {"model_type": "albert", "num_hidden_layers": 3, "num_hidden_groups": 1},
            "The 3 layers of this model are 1 block, used again: ",
            "",
        ),
        (
            {"model_type": "albert", "num_hidden_layers": 3, "inner_group_num": 2},
            "The 3 layers of this model are 1 block, used again: ",
            "embspace does not rebuild the blocks of AlbertModel",
        ),
        ({"model_type": "mpnet", "num_hidden_layers": 2}, "", "of MPNetModel"),
    ],
)
def test_what_an_architecture_shares_or_lacks_is_named(
    root: Path, tmp_path: Path, config: dict[str, Any], shared: str, unknown: str
):
    file = tmp_path / "conf/model/mine.yaml"
    file.parent.mkdir(parents=True)
    description = yaml.safe_load((root / "conf/model/minilm_random.yaml").read_text())
    file.write_text(yaml.safe_dump({**description, "config": config}))
    assert shared_blocks(tmp_path, "mine").startswith(shared)
    assert bool(shared_blocks(tmp_path, "mine")) == bool(shared)
    assert unknown in unknown_blocks(tmp_path, "mine")
    assert bool(unknown_blocks(tmp_path, "mine")) == bool(unknown)

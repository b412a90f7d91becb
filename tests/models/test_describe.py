"""What is found of a model by itself is what people wrote of it in conf/model."""

import json
from pathlib import Path
from typing import Any

import pytest

from embspace.app.describe.find import find_model
from embspace.errors import InputError
from embspace.models.describe import describe_module
from embspace.models.tokenizer import read_tokenizer
from embspace.settings.schema import read_yaml
from tests.tiny_architectures import build_tiny
from tests.zoo import ANIMALS, LAYERS, ROOT, build_animal

SPECIAL = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
KEYS = ("matrices", "position_offset", "continuation_prefix", "word_prefix", "final_norm")


def loaded(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModel

    return AutoModel.from_pretrained(folder).eval(), read_tokenizer(folder)


@pytest.mark.parametrize("name", ANIMALS)
def test_it_finds_what_conf_model_says_of_each_architecture(name: str, tmp_path: Path):
    description = describe_module(*loaded(build_animal(name, tmp_path / name)))
    written = read_yaml(ROOT / "conf/model" / f"{ANIMALS[name].described_as}.yaml")
    defaults = {"position_offset": 0}
    written["matrices"].pop("output", None)  # a head's, which a model is read without
    for key in KEYS:
        assert description.keys.get(key) == written.get(key, defaults.get(key)), key
    assert description.keys["padding_rows"] == 0
    assert set(description.questions) == ({"window"} if name == "bloom" else set())
    assert f"{LAYERS} layers" in description.summary


def test_rows_after_the_last_token_are_counted(tmp_path: Path):
    module, tokenizer = loaded(build_animal("bert", tmp_path / "bert"))
    n = len(tokenizer.get_vocab())
    module.resize_token_embeddings(n + 7)
    assert describe_module(module, tokenizer).keys["padding_rows"] == 7


def test_reserved_tokens_and_the_number_of_parameters_are_found(tiny_folder: Path):
    module, tokenizer = loaded(tiny_folder)
    keys = describe_module(module, tokenizer).keys
    assert keys["unused_tokens"] == r"\[unused\d+\]"
    assert keys["parameters"] == sum(parameter.numel() for parameter in module.parameters())


def test_a_window_that_only_the_tokenizer_knows_is_taken(tmp_path: Path):
    module, tokenizer = loaded(build_animal("bloom", tmp_path / "bloom"))
    tokenizer.model_max_length = 77
    description = describe_module(module, tokenizer)
    assert (description.keys["window"], description.questions) == (77, {})


def test_ids_without_a_token_are_no_padding(tmp_path: Path):
    folder = build_animal("bert", tmp_path / "bert")
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    del content["model"]["vocab"][min(content["model"]["vocab"].keys() - SPECIAL)]
    file.write_text(json.dumps(content), encoding="utf-8")
    assert describe_module(*loaded(folder)).keys["padding_rows"] == 0


def test_tokens_beyond_the_rows_are_refused_with_the_way_out(tmp_path: Path):
    module, tokenizer = loaded(build_animal("bert", tmp_path / "bert"))
    tokenizer.add_tokens(["[place]", "[name]"])
    with pytest.raises(InputError, match="ids up to 301, the input matrix 300 rows; .*resize_"):
        describe_module(module, tokenizer)


@pytest.mark.parametrize("kind", ["longformer", "led"])
def test_tables_are_found_where_a_model_fills_texts_up_by_itself(kind: str, tmp_path: Path):
    folder = build_tiny(kind, tmp_path / kind, attention_window=64)
    plain = build_tiny(kind, tmp_path / "plain", attention_window=8)
    named = [find_model(str(place), tmp_path, None).described for place in (folder, plain)]
    one, other = (described or {} for described in named)
    assert one["matrices"] == other["matrices"]
    assert one["matrices"]["positional"] is not None
    assert one["position_offset"] == other["position_offset"]

import json
import shutil
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.architecture import config_of, empty_model, load_config
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.tiny import DIM, LAYERS, VOCABULARY, tiny_description


def random_description(config: dict[str, object]) -> dict[str, object]:
    description = tiny_description(Path()) | {"source": "random", "seed": 0, "config": config}
    del description["path"]
    return description


def test_the_config_of_a_folder_is_its_own(tiny_folder: Path):
    config = load_config("tiny", describe_model("tiny", tiny_description(tiny_folder)))
    assert (config.hidden_size, config.num_hidden_layers) == (DIM, LAYERS)
    assert config.vocab_size == len(VOCABULARY)


def test_the_config_of_random_weights_is_in_their_description():
    model = describe_model("random", random_description({"model_type": "bert", "vocab_size": 7}))
    config = load_config("random", model)
    assert config.vocab_size == 7
    assert config.hidden_size == 768


def test_an_empty_model_has_the_shapes_of_the_loaded_one_and_no_memory(tiny_folder: Path):
    model = describe_model("tiny", tiny_description(tiny_folder))
    empty = empty_model(load_config("tiny", model))
    assert {parameter.device.type for parameter in empty.parameters()} == {"meta"}
    loaded = load_model("tiny", model)
    shapes = {name: value.shape for name, value in empty.named_parameters()}
    assert shapes == {name: value.shape for name, value in loaded.named_parameters()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model_type": "bert", "vocab_sise": 7},
            r"^key 'references\.a\.vocab_sise' is unknown to BertConfig; "
            "did you mean 'vocab_size'",
        ),
        ({"model_type": "word2vec"}, r"^key 'references\.a': .*word2vec"),
        ({}, r"^key 'references\.a': "),
    ],
)
def test_a_slip_names_file_and_key(options: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        config_of(options, "references.a")


def test_a_config_of_which_no_model_can_be_made_is_named():
    # The padding token of its default lies beyond so small a vocabulary.
    config = config_of({"model_type": "modernbert", "vocab_size": 7}, "references.a")
    with pytest.raises(InputError, match="ModernBertConfig: no model can be made of it: .*adding"):
        empty_model(config)


def test_a_slip_in_a_random_model_names_its_file():
    model = describe_model("random", random_description({"model_type": "bert", "layers": 7}))
    with pytest.raises(InputError, match=r"conf/model/random\.yaml: key 'config\.layers'"):
        load_config("random", model)


def test_a_folder_without_a_readable_config_says_so(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    model = describe_model("tiny", tiny_description(copy))
    (copy / "config.json").write_text(json.dumps({"model_type": "word2vec"}))
    with pytest.raises(InputError, match=r"config\.json: cannot be read"):
        load_config("tiny", model)
    (copy / "config.json").unlink()
    with pytest.raises(InputError, match=r"no config\.json"):
        load_config("tiny", model)

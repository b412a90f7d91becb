import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from embspace.errors import InputError
from embspace.models.weights import load_model
from embspace.settings.model import Model, describe_model
from tests.tiny import DIM, LAYERS, tiny_description


def described(folder: Path) -> Model:
    return describe_model("tiny", tiny_description(folder))


def changed(tiny_folder: Path, folder: Path, change: dict[str, np.ndarray | None]) -> Path:
    """A copy of the tiny model with tensors replaced or, for None, removed."""
    copy = shutil.copytree(tiny_folder, folder)
    tensors = load_file(copy / "model.safetensors") | change
    kept = {name: values for name, values in tensors.items() if values is not None}
    save_file(kept, copy / "model.safetensors", metadata={"format": "pt"})
    return copy


def random_description(seed: int) -> dict[str, object]:
    config = {"model_type": "bert", "vocab_size": 50, "hidden_size": 8, "num_hidden_layers": 1}
    config |= {"num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 12}
    description = tiny_description(Path()) | {"source": "random", "seed": seed, "config": config}
    del description["path"]
    return description


def test_weights_are_those_of_the_file_in_float32(tiny_folder: Path):
    module = load_model("tiny", described(tiny_folder))
    stored = load_file(tiny_folder / "model.safetensors")
    for name, values in module.state_dict().items():
        assert np.array_equal(values.numpy(), stored[name])
        assert values.numpy().dtype == np.float32
    assert not module.training


def test_random_weights_come_from_a_config_alone_and_from_their_seed():
    first, again, other = (
        load_model("random", describe_model("random", random_description(seed)))
        for seed in (1, 1, 2)
    )
    weight = "embeddings.word_embeddings.weight"
    assert first.state_dict()[weight].equal(again.state_dict()[weight])
    assert not first.state_dict()[weight].equal(other.state_dict()[weight])


def test_random_weights_do_not_touch_the_global_generator():
    import torch

    before = torch.random.get_rng_state()
    load_model("random", describe_model("random", random_description(1)))
    assert torch.random.get_rng_state().equal(before)


def test_an_unknown_architecture_is_named():
    description = random_description(0)
    description["config"] = {"model_type": "bret"}
    with pytest.raises(InputError, match=r"conf/model/random\.yaml: key 'config': .*bret"):
        load_model("random", describe_model("random", description))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hidden_sizes", 64, "'config.hidden_sizes' is unknown .*mean 'hidden_size'"),
        ("hidden_size", 7, "key 'config': .*7"),
        ("num_hidden_layers", "six", "key 'config': .*num_hidden_layers"),
    ],
)
def test_a_slip_in_the_config_of_a_random_model_is_named(key: str, value: object, message: str):
    description = random_description(0)
    description["config"] = {**description["config"], key: value}  # type: ignore[dict-item]
    with pytest.raises(InputError, match=rf"(?s)conf/model/random\.yaml: .*{message}"):
        load_model("random", describe_model("random", description))


def test_nan_in_a_weight_names_it(tiny_folder: Path, tmp_path: Path):
    name = "embeddings.position_embeddings.weight"
    values = load_file(tiny_folder / "model.safetensors")[name].copy()
    values[3, 5] = np.nan
    folder = changed(tiny_folder, tmp_path / "copy", {name: values})
    with pytest.raises(InputError, match=f"'{name}' hold 1 NaN"):
        load_model("tiny", described(folder))


def test_a_missing_parameter_is_not_filled_with_random_numbers(tiny_folder: Path, tmp_path: Path):
    name = "encoder.layer.0.output.dense.weight"
    folder = changed(tiny_folder, tmp_path / "copy", {name: None})
    with pytest.raises(InputError, match=f"lacks 1 parameters: .*{name}"):
        load_model("tiny", described(folder))


def test_a_pooler_that_the_weights_lack_is_not_made_up(
    tiny_folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    stored = load_file(tiny_folder / "model.safetensors")
    pooler = [name for name in stored if name.startswith("pooler.")]
    assert pooler
    folder = changed(tiny_folder, tmp_path / "copy", dict.fromkeys(pooler))
    module = load_model("tiny", described(folder))
    assert set(module.state_dict()) == stored.keys() - set(pooler)
    assert "MISSING" not in "".join(capfd.readouterr())


def test_shapes_that_differ_from_the_config_are_refused(tiny_folder: Path, tmp_path: Path):
    name = "embeddings.position_embeddings.weight"
    folder = changed(tiny_folder, tmp_path / "copy", {name: np.zeros((7, DIM), np.float32)})
    with pytest.raises(InputError, match=name):
        load_model("tiny", described(folder))


def test_a_cut_file_is_refused(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    content = (copy / "model.safetensors").read_bytes()
    (copy / "model.safetensors").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=f"{copy}: cannot be loaded"):
        load_model("tiny", described(copy))


def test_a_pickle_is_never_loaded(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"no model\.safetensors"):
        load_model("tiny", described(copy))


def test_a_broken_config_is_named(tiny_folder: Path, tmp_path: Path):
    copy = shutil.copytree(tiny_folder, tmp_path / "copy")
    (copy / "config.json").write_text(json.dumps({"model_type": "nothing"}))
    with pytest.raises(InputError, match=f"{copy}: cannot be loaded"):
        load_model("tiny", described(copy))


@pytest.mark.parametrize("n_layers", [0, 1])
@pytest.mark.parametrize("prefix", ["", "bert."])
def test_weights_of_more_layers_than_the_config_names_are_refused(
    tiny_folder: Path, tmp_path: Path, n_layers: int, prefix: str
):
    stored = load_file(tiny_folder / "model.safetensors")
    renamed = {**dict.fromkeys(stored), **{f"{prefix}{key}": stored[key] for key in stored}}
    copy = changed(tiny_folder, tmp_path / "copy", renamed)
    assert load_model("tiny", described(copy)).config.num_hidden_layers == LAYERS
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"num_hidden_layers": n_layers}))
    message = rf"config\.json: has {n_layers} of 'encoder\.layer', the weights {LAYERS}"
    with pytest.raises(InputError, match=message):
        load_model("tiny", described(copy))

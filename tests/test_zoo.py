"""Every architecture of conf/model, small and random, against transformers called directly."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.clouds.pooling import EXTRACTED
from embspace.errors import InputError
from embspace.extract.embeddings import extract_embeddings
from embspace.extract.hidden_states import extract_hidden_states, save_hidden_states
from embspace.extract.stimuli import extract_stimuli, save_stimuli
from embspace.measure.learned.architecture import measure_architecture
from embspace.models.architecture import load_config
from embspace.models.encoder import batches_by_length, encode
from embspace.models.tokenizer import load_spelling, load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import cut_windows, largest_window
from embspace.settings.model import Model
from tests.zoo import (
    ANIMALS,
    DIM,
    LAYERS,
    POSITIONS,
    build_animal,
    describe_animal,
    texts,
    write_vocabulary_files,
)

TEXTS = [*(" ".join(text.split()[:n]) for n, text in zip((7, 5, 3), texts(), strict=False)), "Hi"]


@dataclass(frozen=True)
class Loaded:
    """A small model as embspace has it."""

    name: str
    folder: Path
    description: Model
    module: Any
    tokenizer: Any


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Loaded]:
    @cache
    def loaded(name: str) -> Loaded:
        folder = build_animal(name, tmp_path_factory.mktemp(name))
        model = describe_animal(name, folder)
        return Loaded(name, folder, model, load_model(name, model), load_tokenizer(name, model))

    return loaded


@pytest.fixture(params=ANIMALS)
def animal(request: pytest.FixtureRequest, load: Callable[[str], Loaded]) -> Loaded:
    return load(request.param)


def direct_model(folder: Path) -> Any:
    from transformers import AutoModel

    return AutoModel.from_pretrained(folder).eval()


def through_blocks(module: Any, path: str, inputs: dict[str, Any]) -> tuple[np.ndarray, Any]:
    """What goes into the first block and what each gives, in order, and the model's output."""
    import torch

    states: list[Any] = []

    def hook(_: Any, arguments: tuple[Any, ...], output: Any) -> None:
        if not states:
            states.append(arguments[0])
        states.append(output[0] if isinstance(output, tuple) else output)

    hooks = [block.register_forward_hook(hook) for block in module.get_submodule(path)]
    with torch.inference_mode():
        output = module(**inputs)
    for handle in hooks:
        handle.remove()
    return torch.cat(states).numpy(), output.last_hidden_state[0].numpy()


def test_every_architecture_of_conf_model_is_in_the_zoo():
    from tests.models.published import CONFIGS

    types = {ANIMALS[name].config.get("model_type", name) for name in ANIMALS}
    assert {config["model_type"] for config in CONFIGS.values()} == types


def test_layers_are_what_enters_the_first_block_and_what_each_block_gives(animal: Loaded):
    direct, path = direct_model(animal.folder), ANIMALS[animal.name].blocks
    windows = cut_windows(TEXTS, animal.tokenizer, POSITIONS, 0)
    batches = [[index] for index in range(len(windows))]
    final_norm = animal.description.final_norm
    for encoded in encode(animal.module, windows, batches, "cpu", final_norm):
        ids = animal.tokenizer(TEXTS[windows[encoded.index].text], return_tensors="pt")
        states, last = through_blocks(direct, path, dict(ids))
        assert windows[encoded.index].number == 0  # each text is one window
        assert encoded.tokens.shape == (LAYERS + 1, ids["input_ids"].shape[1], DIM)
        assert np.array_equal(encoded.tokens, states)
        if final_norm is None:
            assert encoded.final_norm is None
            assert np.array_equal(encoded.tokens[-1], last)
        else:
            assert encoded.final_norm is not None
            assert np.array_equal(encoded.final_norm[0], last)
            assert encoded.final_norm.shape[2] != DIM or not np.allclose(encoded.tokens[-1], last)


def test_padding_on_the_right_changes_no_state_of_a_real_token(animal: Loaded):
    windows = cut_windows(TEXTS, animal.tokenizer, POSITIONS, 0)
    lengths = [len(window.ids) for window in windows]
    assert len(set(lengths)) > 1
    tensors = {}
    for tokens_per_batch in (1, 4096):
        batches = batches_by_length(lengths, tokens_per_batch)
        encoded = encode(animal.module, windows, batches, "cpu", animal.description.final_norm)
        tensors[tokens_per_batch] = {window.index: window.tensors() for window in encoded}
    for index, alone in tensors[1].items():
        for kind, values in alone.items():
            assert np.allclose(values, tensors[4096][index][kind], atol=2e-5), kind


def test_matrices_are_the_parameters_of_the_file(animal: Loaded):
    stored = load_file(animal.folder / "model.safetensors")
    matrices, vocabulary = extract_embeddings(animal.name, animal.description)
    names = animal.description.matrices
    assert np.array_equal(matrices["input"], stored[names.input])
    assert len(vocabulary) == len(matrices["input"])
    if names.positional is not None:
        offset = animal.description.position_offset
        assert np.array_equal(matrices["positional"], stored[names.positional][offset:])
        assert len(matrices["positional"]) == POSITIONS
    if names.segment is not None:
        assert np.array_equal(matrices["segment"], stored[names.segment])
    present = {"input"} | {name for name in ("positional", "segment") if getattr(names, name)}
    assert set(matrices) == present | ({"input_mapped"} if names.mapping else set())


@pytest.mark.parametrize(
    ("name", "mapping"),
    [("albert", "encoder.embedding_hidden_mapping_in"), ("opt_350m", "decoder.project_in")],
)
def test_a_mapped_table_is_the_linear_layer_of_the_raw_one(
    load: Callable[[str], Loaded], name: str, mapping: str
):
    stored = load_file(load(name).folder / "model.safetensors")
    matrices, _ = extract_embeddings(name, load(name).description)
    weight = stored[f"{mapping}.weight"].astype(np.float64)
    bias = stored.get(f"{mapping}.bias", np.zeros(DIM))
    assert matrices["input"].shape[1] == 8
    assert matrices["input_mapped"].dtype == np.float32
    assert np.allclose(matrices["input_mapped"], matrices["input"] @ weight.T + bias, atol=1e-6)


def test_each_row_of_positions_is_what_the_model_adds_at_that_position(animal: Loaded):
    """The offset is right: two equal tokens differ, before any norm, by their positions' rows."""
    import torch

    if animal.description.matrices.positional is None:
        return
    matrices, _ = extract_embeddings(animal.name, animal.description)
    direct = direct_model(animal.folder)
    table = animal.description.matrices.positional.removesuffix(".weight")
    taken: list[Any] = []
    hook = direct.get_submodule(table).register_forward_hook(
        lambda _, __, output: taken.append(output)
    )
    with torch.inference_mode():
        direct(**animal.tokenizer(TEXTS[0], return_tensors="pt"))
    hook.remove()
    rows = taken[0].reshape(-1, taken[0].shape[-1]).numpy()
    assert np.array_equal(rows, matrices["positional"][: len(rows)])


def test_the_largest_window_is_what_the_model_reads_and_no_more(animal: Loaded):
    import torch

    length = largest_window(animal.description, animal.module)
    bounded = animal.description.window or animal.module.config.max_position_embeddings
    assert length == (POSITIONS if bounded < 100 else 2048)
    if animal.description.matrices.positional is None:
        return
    with torch.inference_mode():
        animal.module(input_ids=torch.full((1, length), 7))
        with pytest.raises((IndexError, RuntimeError)):
            animal.module(input_ids=torch.full((1, length + 1), 7))


def test_a_model_without_any_bound_asks_for_one(load: Callable[[str], Loaded]):
    bloom = load("bloom")
    unbounded = bloom.description.model_copy(update={"window": None})
    with pytest.raises(InputError, match="say in the model's file .*\n  window: 2048"):
        largest_window(unbounded, bloom.module)


def test_marks_and_kinds_are_those_of_the_tokenizer(animal: Loaded):
    spelling = load_spelling(animal.name, animal.description)
    assert spelling is not None
    model = animal.description
    assert spelling.marker == (model.continuation_prefix or model.word_prefix)
    _, vocabulary = extract_embeddings(animal.name, model)
    by_token = vocabulary.set_index("token")
    special = set(animal.tokenizer.all_special_tokens)
    assert set(by_token.index[by_token["kind"] == "special"]) == special
    start = model.word_prefix or ""
    inside = model.continuation_prefix or ""
    assert by_token.loc[f"{start}the", ["kind", "character_class"]].tolist() == ["word", "latin"]
    assert by_token.loc[f"{inside}ing", ["kind", "character_class"]].tolist() == [
        "subword",
        "latin",
    ]
    assert by_token.loc[",", ["kind", "character_class"]].tolist() == ["other", "punctuation"]
    assert by_token.loc["7", "kind"] == "digit"
    if model.word_prefix in by_token.index:
        assert by_token.loc[model.word_prefix, ["kind", "character_class"]].tolist() == [
            "other",
            "mixed",
        ]


@pytest.mark.parametrize(
    ("name", "role"), [("bert", "cls"), ("roberta", "cls"), ("llama", "bos"), ("opt", "eos")]
)
def test_the_first_token_is_the_one_that_opens_every_text(
    load: Callable[[str], Loaded], name: str, role: str
):
    _, vocabulary = extract_embeddings(name, load(name).description)
    (window,) = cut_windows(["Hi"], load(name).tokenizer, POSITIONS, 0)
    assert vocabulary.loc[window.ids[0], "role"] == role
    assert window.special[0]


def test_without_special_tokens_the_pooling_cls_is_the_first_token(load: Callable[[str], Loaded]):
    gpt2 = load("gpt2")
    (window,) = cut_windows(["Hi there"], gpt2.tokenizer, POSITIONS, 0)
    assert not window.special.any()
    (encoded,) = encode(gpt2.module, [window], [[0]], "cpu", "ln_f")
    assert np.array_equal(encoded.pooled["cls"], encoded.tokens[:, 0])


OLDER: dict[str, dict[str, Any]] = {
    "bert": {"do_lower_case": False},
    "gpt2": {"model_max_length": 1024},
    "opt": {
        "tokenizer_class": "GPT2Tokenizer",
        "add_bos_token": True,
        **dict.fromkeys(("bos_token", "eos_token", "unk_token"), "</s>"),
        "pad_token": "<pad>",
    },
}


@pytest.mark.parametrize("name", OLDER)
def test_older_repositories_without_tokenizer_json_give_the_same_tokens(
    load: Callable[[str], Loaded], tmp_path: Path, name: str
):
    newer = load(name)
    older = write_vocabulary_files(newer.folder, tmp_path / name, OLDER[name])
    tokenizer = load_tokenizer(name, describe_animal(name, older))
    for text in TEXTS:
        assert tokenizer(text)["input_ids"] == newer.tokenizer(text)["input_ids"]


SETTINGS: dict[str, Any] = {
    "tokens_per_batch": 100,
    "largest_unknown_share": 0.2,
    "device": "cpu",
}


def test_stages_write_states_and_those_after_the_last_norm(animal: Loaded, tmp_path: Path):
    table = pd.DataFrame({"id": [f"t{n}" for n in range(len(TEXTS))], "text": TEXTS})
    settings = SETTINGS | {"window_length": 30, "overlap": 4}
    loaded = animal.description, animal.module, animal.tokenizer
    save_hidden_states(extract_hidden_states(*loaded, table, True, **settings), f"{tmp_path}/x")
    tensors = load_file(tmp_path / "x.safetensors")
    windows = pd.read_parquet(tmp_path / "x.windows.parquet")
    assert tensors["mean"].shape == (LAYERS + 1, len(windows), DIM)
    normed = {name for name in tensors if name.startswith("final_norm_")}
    if animal.description.final_norm is None:
        assert not normed
        return
    assert normed == {f"final_norm_{kind}" for kind in ("token", *EXTRACTED)}
    first = windows["first_token"].to_list()
    assert np.array_equal(tensors["final_norm_cls"][0], tensors["final_norm_token"][0, first])
    assert tensors["final_norm_token"].shape[:2] == (1, tensors["token"].shape[1])


def test_stimuli_have_the_same_tensors_of_random_weights(
    load: Callable[[str], Loaded], tmp_path: Path
):
    gpt2 = load("gpt2")
    table = pd.DataFrame({"id": ["a", "b"], "text": ["the rain", "Hi"]})
    loaded = gpt2.description, gpt2.module, gpt2.tokenizer
    states = extract_stimuli(*loaded, {"x": table}, **SETTINGS, seed=1)["x"]
    save_stimuli(states, f"{tmp_path}/x")
    tensors = load_file(tmp_path / "x.safetensors")
    kinds = {f"{prefix}{kind}" for prefix in ("", "final_norm_") for kind in ("token", "mean")}
    assert kinds | {f"random_{kind}" for kind in kinds} <= set(tensors)
    assert tensors["random_final_norm_mean"].shape == (1, 2, DIM)


def test_components_add_up(animal: Loaded):
    config = load_config(animal.name, animal.description)
    measured = measure_architecture(animal.name, config, references={}, names={})
    n_parameters = sum(parameter.numel() for parameter in animal.module.parameters())
    assert measured["json"][animal.name]["n_parameters"] == n_parameters
    assert measured["json"][animal.name]["n_layers"] == LAYERS
    leaves = measured["csv"][measured["csv"]["is_leaf"] == 1]
    assert leaves["n_parameters_of_all"].sum() == n_parameters

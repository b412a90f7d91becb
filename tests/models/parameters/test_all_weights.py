"""Every weight of a model comes once, by group and layer."""

from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.all_weights import (
    AllWeights,
    read_all_weights,
)
from embspace.models.weights import load_model
from embspace.settings.model import Network
from tests.lazy import safetensors_torch, torch, transformers
from tests.models.parameters.test_masked_head import HEADS
from tests.models.parameters.tiny import (
    MODEL_TYPES,
    TOKENS,
    describe,
    shaken,
    tiny,
    with_head,
    write_checkpoint,
)
from tests.models.stream.tiny import FINAL_NORMS

INPUTS = {
    "bert": "embeddings.word_embeddings.weight",
    "distilbert": "embeddings.word_embeddings.weight",
    "modernbert": "embeddings.tok_embeddings.weight",
    "gpt2": "wte.weight",
    "llama": "embed_tokens.weight",
    "bloom": "word_embeddings.weight",
    "gpt_neox": "embed_in.weight",
    "gptj": "wte.weight",
    "opt": "decoder.embed_tokens.weight",
}
MAPPINGS = {"albert": "encoder.embedding_hidden_mapping_in", "electra": "embeddings_project"}
LAST = FINAL_NORMS | {
    "bloom": "ln_f",
    "gpt_neox": "final_layer_norm",
    "gptj": "ln_f",
    "opt": "decoder.final_layer_norm",
}


def loaded_from(model: Network) -> AllWeights:
    return read_all_weights("m", model, load_model("m", model))


def loaded(folder: Path, model_type: str, module: object) -> AllWeights:
    matrices = {"input": INPUTS.get(model_type, INPUTS["bert"])}
    if model_type in MAPPINGS:
        matrices["mapping"] = MAPPINGS[model_type]
    keys: dict[str, object] = {"allow_unused": ["max_position_embeddings"]}
    if model_type in LAST:
        keys["final_norm"] = LAST[model_type]
    model = describe(write_checkpoint(folder, module), matrices=matrices, **keys)
    return loaded_from(model)


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_every_parameter_comes_once(model_type: str, tmp_path: Path):
    module = tiny(model_type)
    read = loaded(tmp_path, model_type, module)
    assert read.parameters is not None and read.tokens == TOKENS
    expected = sum(parameter.numel() for parameter in module.parameters())
    assert sum(weight.values.size for weight in read.weights) == expected
    assert len({weight.key for weight in read.weights}) == len(read.weights)
    layers = {weight.layer for weight in read.weights if weight.layer is not None}
    assert layers == ({1} if model_type == "albert" else set(range(1, read.n_layers + 1)))


def test_keys_that_heads_share_come_once(tmp_path: Path):
    module = tiny("llama")
    values_by_key = {
        weight.key: weight.values for weight in loaded(tmp_path, "llama", module).weights
    }
    attention = module.layers[1].self_attn
    for group, matrix in (("key", attention.k_proj), ("value", attention.v_proj)):
        expected = matrix.weight.detach().numpy()
        assert len(expected) < len(attention.q_proj.weight)
        assert np.array_equal(
            values_by_key[f"attention_{group}", 2, f"attention_{group}"], expected
        )


def test_a_block_that_layers_share_comes_once(tmp_path: Path):
    read = loaded(tmp_path, "albert", tiny("albert"))
    queries = [weight for weight in read.weights if weight.group == "attention_query"]
    assert [(weight.layer, weight.layers) for weight in queries] == [(1, "1-3")]


def test_groups_of_layers_are_told_apart(tmp_path: Path):
    module = tiny("albert", num_hidden_groups=2, num_hidden_layers=4)
    read = loaded(tmp_path, "albert", module)
    norms = {(weight.layer, weight.layers) for weight in read.weights if weight.group == "norm"}
    queries = {
        (weight.layer, weight.layers)
        for weight in read.weights
        if weight.group == "attention_query"
    }
    assert norms == queries == {(1, "1-2"), (3, "3-4")}


def test_norms_biases_and_tables_have_groups(tmp_path: Path):
    read = loaded(tmp_path, "bert", tiny("bert"))
    groups = {weight.group: weight for weight in read.weights}
    assert {"norm", "bias", "token_embedding", "pooler", "embeddings.LayerNorm"} <= groups.keys()
    assert "other" not in groups
    in_layer_2 = [
        weight.name for weight in read.weights if weight.layer == 2 and weight.group == "norm"
    ]
    assert in_layer_2 == [
        "attention.output.LayerNorm.weight",
        "attention.output.LayerNorm.bias",
        "output.LayerNorm.weight",
        "output.LayerNorm.bias",
    ]


def test_a_masked_head_is_a_group_of_its_own(tmp_path: Path):
    module = with_head("MaskedLM", "bert")
    head = HEADS["bert"].model_dump()
    model = describe(write_checkpoint(tmp_path, module), masked_head=head)
    read = loaded_from(model)
    names = {weight.name for weight in read.weights if weight.group == "masked_head"}
    assert {"dense", "dense_bias", "scale", "shift"} <= names


def test_blocks_that_are_not_known_go_by_the_names_of_their_parts(tmp_path: Path):
    config = transformers.DebertaV2Config(
        vocab_size=60,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=40,
        max_position_embeddings=40,
        position_buckets=8,
        relative_attention=True,
    )
    module = shaken(transformers.AutoModel.from_config(config, dtype=torch.float32))
    read = loaded_from(describe(write_checkpoint(tmp_path, module)))
    assert read.parameters is None
    expected = sum(parameter.numel() for parameter in module.parameters())
    assert sum(weight.values.size for weight in read.weights) == expected
    groups = {weight.group for weight in read.weights if weight.layer == 2}
    assert {"attention.self.query_proj", "intermediate.dense", "norm", "bias"} == groups & {
        "attention.self.query_proj",
        "intermediate.dense",
        "norm",
        "bias",
    }


def test_a_number_that_is_none_names_file_and_tensor(tmp_path: Path):
    folder = write_checkpoint(tmp_path, tiny("bert"))
    file = folder / "model.safetensors"
    tensors = safetensors_torch.load_file(file)
    name = "encoder.layer.1.attention.self.query.weight"
    tensors[name][0, 0] = np.nan
    safetensors_torch.save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(InputError, match=rf"conf/model/m\.yaml: .*'{name}' hold 1 NaN"):
        loaded_from(describe(folder))

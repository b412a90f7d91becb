from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from embspace.errors import RefusedModel
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.lazy import transformers
from tests.models.checks.changed import save, with_config, with_prefix, with_tensors
from tests.tiny import tiny_description
from tests.tiny_architectures import build_tiny

NOTHING = np.zeros((2, 2), np.float32)


def load(folder: Path, *allowed: str) -> Any:
    content = tiny_description(folder) | {"allow_unused": list(allowed)}
    return load_model("tiny", describe_model("tiny", content))


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.0.attention.self.pos_key_proj.weight",
        "encoder.layer.0.crossattention.self.query.weight",
        "embeddings.language_embeddings.weight",
        "prefix_tokens.weight",
        "bert.rel_embeddings.weight",
        "output_layer_norm.weight",
        "out_norm.weight",
        "proj_in.weight",
        "linear_attn.gate.weight",
        "generator_embeddings.weight",
        "cls_token",
        "head_gate.weight",
        "linear.encoder.layer.0.gate.weight",
        "head.encoder.norm.weight",
    ],
)
def test_what_nothing_reads_is_named(tiny_folder: Path, tmp_path: Path, name: str):
    folder = with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING})
    with pytest.raises(RefusedModel, match=f"does not read 1 of its tensors, '{name}'"):
        load(folder)
    assert load(folder, name)


@pytest.mark.parametrize(
    "name",
    [
        "embeddings.position_ids",
        "bert.embeddings.token_type_ids",
        "cls.predictions.transform.dense.weight",
        "qa_outputs.weight",
        "lm_head.dense.weight",
        "linear.weight",
        "my_classifier.0.weight",
        "pooler.more.weight",
    ],
)
def test_heads_poolers_and_old_buffers_are_known(tiny_folder: Path, tmp_path: Path, name: str):
    assert load(with_tensors(tiny_folder, tmp_path / "mine", {name: NOTHING}))


HEADS = ["PreTraining", "MaskedLM", "NextSentencePrediction", "SequenceClassification"]
HEADS += ["MultipleChoice", "TokenClassification", "QuestionAnswering"]


@pytest.mark.parametrize("head", HEADS)
def test_models_with_a_head_are_taken(tiny_folder: Path, tmp_path: Path, head: str):
    folder = with_config(tiny_folder, tmp_path / "mine")
    config = transformers.AutoConfig.from_pretrained(folder)
    getattr(transformers, f"BertFor{head}")(config).save_pretrained(folder)
    assert load(folder)


def test_two_sets_of_one_name_are_refused_unless_they_are_the_same(
    tiny_folder: Path, tmp_path: Path
):
    folder = with_prefix(tiny_folder, tmp_path / "mine", "bert.")
    stored = load_file(tiny_folder / "model.safetensors")
    same = {name: values.copy() for name, values in stored.items()}
    save(folder, same | load_file(folder / "model.safetensors"))
    assert load(folder)
    same["encoder.layer.1.output.dense.weight"] += 1
    save(folder, load_file(folder / "model.safetensors") | same)
    message = "'bert.encoder.layer.1.output.dense.weight', 'encoder.* are two sets of the same"
    with pytest.raises(RefusedModel, match=message):
        load(folder)


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_a_norm_by_its_old_and_its_new_name_has_one_set(
    tiny_folder: Path, tmp_path: Path, prefix: str
):
    name = "embeddings.LayerNorm.weight"
    values = load_file(tiny_folder / "model.safetensors")[name]
    old = f"{prefix}embeddings.LayerNorm.gamma"
    assert load(with_tensors(tiny_folder, tmp_path / "same", {old: values}))
    folder = with_tensors(tiny_folder, tmp_path / "other", {old: values + 1})
    with pytest.raises(RefusedModel, match=f"'{old}', '{name}' are two sets of the same"):
        load(folder)


def test_shards_that_hold_a_name_twice_have_one_set(tiny_folder: Path, tmp_path: Path):
    folder = with_tensors(tiny_folder, tmp_path / "mine", {})
    stored = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    for name in names:
        save(folder, stored, name)
    assert load(folder)
    key = "encoder.layer.1.output.dense.weight"
    save(folder, stored | {key: stored[key] + 1}, names[1])
    message = f"'{key} of {names[0]}', '{key} of {names[1]}' are two sets of the same"
    with pytest.raises(RefusedModel, match=message):
        load(folder)


def test_the_decoder_of_an_encoder_is_known(tmp_path: Path):
    from tests.tiny_architectures import build_tiny

    for kind in ("t5", "mt5", "bart"):
        module = load(build_tiny(kind, tmp_path / kind))
        assert not any("decoder" in name for name in module.state_dict())


def test_two_tables_of_an_encoder_with_one_are_refused_and_that_of_its_decoder_is_not(
    tmp_path: Path,
):
    plain = build_tiny("bart", tmp_path / "plain")
    shared = load_file(plain / "model.safetensors")["shared.weight"]
    for part, taken in {"encoder": False, "decoder": True}.items():
        more = {f"{part}.embed_tokens.weight": shared + 1}
        folder = with_tensors(plain, tmp_path / part, more)
        model = describe_model("tiny", tiny_description(folder))
        if taken:
            load_model("tiny", model)
            continue
        with pytest.raises(RefusedModel, match="two sets of the same"):
            load_model("tiny", model)

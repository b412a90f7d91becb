import re
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import RefusedModel
from embspace.models.architecture import class_of
from embspace.models.checks.config_keys import check_config_keys
from tests.lazy import transformers
from tests.models.checks.changed import with_config
from tests.models.published import CONFIGS
from tests.tiny_architectures import tiny_config


@pytest.mark.parametrize(
    ("different", "message"),
    [
        ({"position_embedding_type": "relative_key_query"}, "'position_embedding_type'.*_query"),
        ({"position_embedding_type": "alibi"}, "'position_embedding_type'.*alibi"),
        ({"rope_theta": 1000.0}, "'rope_theta'.*BertModel of transformers does not know it"),
        ({"auto_map": {"AutoModel": "x--m.JinaBertModel"}}, "'auto_map'.*JinaBertModel.*not run"),
        ({"auto_map": {"AutoConfig": "m.C", "AutoModelForMaskedLM": "m.M"}}, "'auto_map'"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "gptq.*dequantize"),
        ({"quantization_config": {"quant_method": "fp8"}}, "fp8"),
        ({"architectures": ["JinaBertModel"]}, "'JinaBertModel', which transformers does not have"),
        ({"architectures": ["RoFormerModel"]}, "'RoFormerModel', a 'roformer', beside"),
        ({"architectures": "BertModel"}, "'architectures': found 'BertModel', allowed: a list"),
        ({"architectures": ["pipeline"]}, "'pipeline', which is no model of transformers"),
        ({"architectures": ["BertTokenizer"]}, "'BertTokenizer', which is no model"),
        ({"quantization_config": {"load_in_8bit": True}}, "rounded"),
        ({"quantization_config": {"quant_method": "gptq", "load_in_8bit": False}}, "gptq"),
        ({"scaling": 3.0}, "'scaling': found 3.0, but BertModel"),
        ({"embedding_size": 8}, "'embedding_size'"),
        ({"attention_head_size": 4}, "'attention_head_size'"),
        ({"update": 1}, "'update'"),
        ({"causal": False}, "'causal': found False, but BertModel of transformers does not know"),
        ({"use_return_dict": True}, "'use_return_dict'.*delete that line"),
        ({"model_type": "nothing"}, "cannot be loaded.*nothing"),
        (
            {"model_type": "gemma3", "text_config": {"hidden_size": 8}},
            "text_config.*language_model",
        ),
        ({"model_type": "qwen2_vl", "text_config": {"hidden_size": 8}}, "text_config"),
    ],
)
def test_what_the_class_does_not_do_is_refused_in_one_sentence(
    tiny_folder: Path, tmp_path: Path, different: dict[str, Any], message: str
):
    folder = with_config(tiny_folder, tmp_path / "mine", **different)
    with pytest.raises(RefusedModel, match=message) as raised:
        check_config_keys(folder, [])
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("different", "pattern"),
    [
        ({"position_embedding_type": "alibi"}, "position_*"),
        ({"auto_map": {"AutoModel": "m.M"}}, "auto_map"),
        ({"architectures": ["BertCrf"]}, "BertCrf"),
    ],
)
def test_who_knows_better_says_so(
    tiny_folder: Path, tmp_path: Path, different: dict[str, Any], pattern: str
):
    folder = with_config(tiny_folder, tmp_path / "mine", **different)
    with pytest.raises(RefusedModel, match="--allow-unused"):
        check_config_keys(folder, ["nothing"])
    check_config_keys(folder, ["nothing", pattern])


@pytest.mark.parametrize(
    "different",
    [
        {"quantization_config": {"load_in_8bit": False, "load_in_4bit": False}},
        {"quantization_config": {"load_in_8bit": None, "load_in_4bit": None}},
        {"architectures": ["TFBertForMaskedLM"]},
        {"architectures": ["BertForSequenceClassification"], "problem_type": "regression"},
        {"auto_map": {"AutoTokenizer": ["t.T", None]}},
        {"gradient_checkpointing": True, "pooler_type": "first_token_transform"},
        {"torch_dtype": "float16", "return_dict": False},
        {"is_decoder": True, "position_embedding_type": "absolute"},
    ],
)
def test_left_overs_of_old_releases_are_taken(
    tiny_folder: Path, tmp_path: Path, different: dict[str, Any]
):
    check_config_keys(with_config(tiny_folder, tmp_path / "mine", **different), [])


def test_configs_of_published_models_are_taken(tmp_path: Path):
    known = {
        "bloom": {"attention_softmax_in_fp32": True, "skip_bias_add": True, "n_embed": 8},
        "gpt_neox": {"rotary_pct": 0.25, "rotary_emb_base": 10000},
        "llama": {"rope_theta": 10000.0, "pretraining_tp": 1},
        "albert": {"net_structure_type": 0, "down_scale_factor": 1, "gap_size": 0},
        "modernbert": {"position_embedding_type": "absolute", "global_rope_theta": 160000.0},
    }
    for number, content in enumerate(CONFIGS.values()):
        folder = tmp_path / str(number)
        transformers.AutoConfig.for_model(**content).save_pretrained(folder)
        more = known.get(content["model_type"], {})
        check_config_keys(with_config(folder, tmp_path / f"{number}_", **more), [])


def test_each_config_has_its_class():
    assert class_of(transformers.AutoConfig.for_model("bert")).__name__ == "BertModel"
    assert class_of(transformers.AutoConfig.for_model("t5")).__name__ == "T5Model"


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("xlnet", {"untie_r": True, "ff_activation": "gelu", "bi_data": False}),
        ("albert", {"num_memory_blocks": 0, "gap_size": 0, "down_scale_factor": 1}),
        ("deberta", {"padding_idx": 0, "pos_att_type": "c2p|p2c"}),
        ("longformer", {"ignore_attention_mask": False, "attention_mode": "longformer"}),
        ("electra", {"generator_hidden_size": 0.3333, "summary_use_proj": True}),
        ("xlm", {"max_vocab": 95000, "min_count": 0, "share_inout_emb": True, "n_langs": 2}),
        ("flaubert", {"amp": 1, "bptt": 512, "lgs": "fr", "word_mask": 0.8, "sample_alpha": 0}),
        ("t5", {"n_positions": 512, "output_past": True, "is_gated_act": False}),
        ("modernbert", {"layer_norm_eps": 1e-5, "norm_eps": 1e-5}),
        ("falcon", {"apply_residual_connection_post_layernorm": False, "alibi": False}),
        ("starcoder2", {"norm_type": "layer_norm", "mlp_type": "default"}),
        ("gpt_bigcode", {"inference_runner": 0, "pad_key_length": True}),
        ("gptj", {"rotary": True}),
        ("llama", {"rope_interleaved": False, "rotary_pct": 1.0}),
    ],
)
def test_keys_that_makers_have_written_into_their_files_are_taken(
    kind: str, written: dict[str, Any], tmp_path: Path
):
    folder = tmp_path / "plain"
    tiny_config(kind, 50).save_pretrained(folder)
    check_config_keys(with_config(folder, tmp_path / "mine", **written), [])


def test_no_positions_are_taken_where_the_class_knows_them(tmp_path: Path):
    transformers.AutoConfig.for_model("granitemoehybrid").save_pretrained(tmp_path / "plain")
    mine = with_config(tmp_path / "plain", tmp_path / "mine", position_embedding_type="nope")
    check_config_keys(mine, [])


def test_rotations_of_a_part_are_refused_where_they_stand_inside_another_key(tmp_path: Path):
    rotations = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}
    for kind in ("llama", "stablelm"):
        tiny_config(kind, 50).save_pretrained(tmp_path / kind)
        mine = with_config(tmp_path / kind, tmp_path / f"{kind}_", rope_parameters=rotations)
        if kind == "stablelm":  # its class turns a part
            check_config_keys(mine, [])
            continue
        with pytest.raises(RefusedModel, match="key 'rope_parameters': found"):
            check_config_keys(mine, [])


def test_the_same_switched_on_are_refused(tmp_path: Path):
    for kind, key, value in (
        ("xlnet", "untie_r", False),
        ("albert", "num_memory_blocks", 2),
        ("modernbert", "layer_norm_eps", 1e-12),
        ("esm", "position_embedding_type", "relative_key"),
        ("llama", "partial_rotary_factor", 0.5),
        ("longformer", "attention_dilation", [1, 2, 1]),
        ("longformer", "autoregressive", True),
        ("starcoder2", "norm_type", "rms_norm"),
        ("gptj", "rotary", False),
        ("llama", "position_embedding_type", "nope"),
    ):
        tiny_config(kind, 50).save_pretrained(tmp_path / kind)
        folder = with_config(tmp_path / kind, tmp_path / f"{kind}_{key}", **{key: value})
        with pytest.raises(RefusedModel, match=re.escape(f"key '{key}': found {value!r}")):
            check_config_keys(folder, [])

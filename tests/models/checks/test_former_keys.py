from typing import Any

import pytest

from embspace.models.checks.former_keys import FORMER, note_on_code, todays_keys

NOMIC: dict[str, Any] = {
    "model_type": "nomic_bert",
    "auto_map": {"AutoModel": "nomic-ai/x--modeling_hf_nomic_bert.NomicBertModel"},
    "n_embd": 16,
    "rotary_emb_base": 500,
    "activation_function": "swiglu",
    "max_trained_positions": 2048,
    "rotary_scaling_factor": 2,
}


def test_former_names_become_those_of_today():
    assert todays_keys(NOMIC) == {
        "model_type": "nomic_bert",
        "hidden_size": 16,
        "rope_theta": 500,
        "max_position_embeddings": 2048,
    }


def test_a_file_with_both_names_keeps_those_of_today():
    both = NOMIC | {"hidden_size": 16, "rope_parameters": {"rope_theta": 500.0}}
    today = todays_keys(both)
    assert not {"n_embd", "rotary_emb_base", "rope_theta"} & {*today}
    assert today["rope_parameters"] == {"rope_theta": 500.0}


@pytest.mark.parametrize(
    ("different", "key"),
    [
        ({"hidden_size": 8}, "n_embd"),
        ({"rope_parameters": {"rope_theta": 1000.0}}, "rotary_emb_base"),
        ({"activation_function": "gelu"}, "activation_function"),
        ({"qkv_proj_bias": True}, "qkv_proj_bias"),
        ({"num_experts": 8}, "num_experts"),
        ({"auto_map": {"AutoModel": "x--modeling_other.NomicBertModel"}}, "auto_map"),
    ],
)
def test_what_says_another_thing_stays_for_the_checks(different: dict[str, Any], key: str):
    assert key in todays_keys(NOMIC | different)


def test_rotations_are_stretched_beyond_the_texts_of_the_training_alone():
    beyond = {key: value for key, value in NOMIC.items() if key != "max_trained_positions"}
    assert "rotary_scaling_factor" in todays_keys(beyond)


def test_an_architecture_of_another_name_has_todays():
    old = {"model_type": "stablelm_epoch", "architectures": ["StableLMEpochForCausalLM"]}
    today = todays_keys(old | {"rope_pct": 0.25, "norm_eps": 1e-5})
    assert today == {
        "model_type": "stablelm",
        "architectures": ["StableLmForCausalLM"],
        "partial_rotary_factor": 0.25,
        "layer_norm_eps": 1e-5,
    }


def test_the_config_class_knows_every_name_of_today():
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    for model_type, former in FORMER.items():
        known = {*CONFIG_MAPPING[former.model_type or model_type].__dataclass_fields__}
        by_rotations = {"rope_theta", "partial_rotary_factor"}
        assert {*former.names.values()} <= known | by_rotations
        assert not {*former.names} & known


def test_other_architectures_stay_as_they_are():
    content = {"model_type": "bert", "n_embd": 16, "auto_map": NOMIC["auto_map"]}
    assert todays_keys(content) == content
    assert todays_keys({}) == {}


def test_a_reader_is_told_of_code_that_is_not_run():
    assert "taken it over as 'nomic_bert'" in note_on_code(NOMIC)
    assert note_on_code(NOMIC | {"auto_map": {"AutoModel": "m.M"}}) == ""
    assert note_on_code({"model_type": "bert"}) == ""

import pytest

from embspace.models.checks.harmless_keys import OFF, is_harmless


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("_name_or_path", "x"),
        ("gradient_checkpointing", True),
        ("pooler_fc_size", 768),
        ("summary_type", "cls"),
        ("id2label", {"0": "a"}),
        ("max_length", 20),
        ("transformers_version", "4.2"),
        ("position_embedding_type", "absolute"),
        ("alibi", False),
        ("gap_size", 0),
        ("initializer_range", 0.02),
        ("init_std", 0.02),
        ("output_past", True),
        ("bos_token_id", 0),
        ("rope_scaling", None),
        ("directionality", "bidi"),
        ("down_scale_factor", 1),
    ],
)
def test_keys_of_heads_training_and_writing_are_harmless(key: str, value: object):
    assert is_harmless(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("position_embedding_type", "relative_key"),
        ("position_embedding_type", "alibi"),
        ("alibi", True),
        ("rope_scaling", {"type": "linear", "factor": 2.0}),
        ("attention_type", "block_sparse"),
        ("adapter_layers", 2),
        ("pruned_heads", {"0": [1]}),
        ("use_rms_norm", True),
        ("emb_pooler", "cls"),
        ("init_scale_qk", 4.0),
        ("embedding_init_norm", True),
        ("output_norm", True),
        ("output_scale", 2.0),
        ("cache_norm", True),
        ("causal", False),
        ("bidirectional", 0),
        ("use_bias", False),
        ("qkv_bias", False),
        ("attention_bias", False),
        ("pre_norm", False),
        ("layernorm_embedding", False),
        ("use_token_type", False),
        ("use_cls_token", False),
    ],
)
def test_keys_that_may_change_a_state_are_not(key: str, value: object):
    assert not is_harmless(key, value)


@pytest.mark.slow  # reads the config of every architecture
def test_what_is_switched_off_is_so_by_default_in_the_library():
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    defaults: dict[str, set[str]] = {key: set() for key in OFF}
    for kind in CONFIG_MAPPING:
        for key, field in CONFIG_MAPPING[kind].__dataclass_fields__.items():
            if key in OFF:
                defaults[key].add(repr(field.default))
    counts = {"num_local_experts"}  # None of them is no default, but 0 are none
    for key, values in defaults.items():
        assert not values or key in counts or values & {"False", "None", "0"}, key
    base = {*CONFIG_MAPPING["bert"].__mro__[1].__dataclass_fields__}
    assert not OFF & base  # those are known to every class

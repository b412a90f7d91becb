import pytest

from embspace.models.checks.harmless_keys import is_harmless


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
    ],
)
def test_keys_that_may_change_a_state_are_not(key: str, value: object):
    assert not is_harmless(key, value)

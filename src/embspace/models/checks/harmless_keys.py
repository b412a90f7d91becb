"""Keys of config.json that change no hidden state, in any class: a reviewed table."""

import re
from functools import cache
from typing import Any

# Regular expressions for the whole key.
HARMLESS = (
    r"_.*",
    r"model_type|architectures|auto_map|tokenizer_class|processor_class|feature_extractor_type",
    r"(transformers|adapter_transformers|.*)_version|torch_dtype|dtype|name_or_path|base_model",
    r"languages?|license|directionality|name|prefix|task_specific_params|finetuning_task|adapters",
    # Tokens and the lengths of texts.
    r"(?!use_).*_token(_ids?|_index)?|(max_)?seq(uence)?_len(gth)?|model_max_length|max_seq_length",
    r"n_ctx|n_positions|do_lower_case|vocab_file|n_special|predict_special_tokens",
    # Training.
    r".*dropout.*|.*_pdrop|.*_drop(_prob|_rate)?|.*checkpointing|.*loss(_.*)?|label_smoothing.*",
    r"init(ializer)?_(range|std|method|method_std|device|config|gain|div_is_residual|nonlinearity)",
    r"initializer(_factor|_cutoff_factor)?|init_(xavier|cutoff_factor)|(embed|emb|pos)_init_std",
    r"emb_init_(range|uniform_lim|std)|use_scaled_init_method|learning_rate|seed|fp16|bf16",
    r"use_bfloat16|freeze.*|generator_hidden_size|padding_idx|save_step|total_flos",
    # The same in the files of XLM and FlauBERT.
    r"amp|bptt|clip_grad_norm|group_by_size|lg_sampling_factor|lgs|max_batch_size|mlm_steps",
    r"sample_alpha|tokens_per_batch|word_(blank|keep|mask(_keep_rand)?|pred|rand|shuffle)",
    r"max_vocab|min_count|share_inout_emb|verbose|from_tf|initialize_new_qass",
    # How a server runs BigCode's models.
    r"inference_runner|max_sequence_length|pad_key_length|pre_allocate_kv_cache",
    r"validate_runner_input|runner_max_sequence_length",
    # Heads on top of the model.
    r"pooler_.*|summary_.*|classifier.*|num_labels|n_labels|num_choices|problem_type",
    r"(id2|label2)(id|label|tag)|sentence_transformers|tie_.*|sparse_(prediction|pred_.*)",
    r"repad_logits_.*|.*_head_bias",
    # What is returned, and how fast.
    r"output_(attentions|hidden_states|past|scores|logits|loss|router_logits)|torchscript|use_cache",
    r"(use_)?return_dict|cache_(implementation|config)|.*attn_implementation",
    r"use_flash_attn|fused_.*|unpad_inputs|reference_compile",
    r"deterministic_flash_attn|pretraining_tp|.*_fusion|attention_softmax_in_fp32|pad_vocab.*",
    r"use_memor{1,2}y_efficient_attention|xla_device",
    # Of heads and decoders of encoder-decoders, of which the encoder is read.
    r"final_logit_softcapping|force_bos_token_to_be_generated|do_blenderbot_90_layernorm",
    # Left over in ALBERT's and BLOOM's own files.
    r"net_structure_type|down_scale_factor|offset_alibi|skip_bias_add(_qkv)?|n_embed",
)
# Keys of what a class without them does not do: switched off, they say nothing. Where a class of
# transformers has one, it is off by default in some, or counts what there is (a test holds it).
OFF = frozenset(
    (
        *("add_cross_attention", "is_decoder", "alibi", "gap_size", "add_bias_logits"),
        *("use_rms_norm", "use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm"),
        *("use_sliding_window", "sliding_window", "num_experts", "num_local_experts", "use_moe"),
        *("scale_embedding", "normalize_before", "static_position_embeddings"),
        *("add_final_layer_norm", "extra_pos_embeddings", "attn_logit_softcapping"),
        *("prefix_projection", "pre_seq_len", "adapter_layers", "relative_attention"),
        *("logn_attention_scale", "logn_attention_clip1", "num_memory_blocks"),
        *("ignore_attention_mask", "apply_residual_connection_post_layernorm", "use_mrope"),
        *("autoregressive", "rope_interleaved"),
    )
)
# Keys that a value leaves without effect.
OFF_VALUES: dict[str, tuple[Any, ...]] = {
    "position_embedding_type": ("absolute",),
    "attention_type": ("original_full",),
    "is_llama_config": (True,),
    "untie_r": (True,),  # as XLNet's class always does
    "norm_type": ("layer_norm",),  # as StarCoder 2's
    "mlp_type": ("default",),
    "attention_mode": ("longformer", "sliding_chunks"),  # two ways to compute the same
    "attention_dilation": (1,),
    "partial_rotary_factor": (1,),
    "rotary_pct": (1,),
}


def is_harmless(key: str, value: Any) -> bool:
    """Return whether a key of config.json changes no hidden state, or is switched off."""
    if value is None or value in ("", [], {}):
        return True
    if key in OFF and value in (False, 0):
        return True
    if key in OFF_VALUES and all(one in OFF_VALUES[key] for one in _by_layer(value)):
        return True
    return key in _generation_keys() or any(re.fullmatch(form, key) for form in HARMLESS)


def _by_layer(value: Any) -> list[Any]:
    """Return the values by layer, if given by layer; else the single value."""
    return value if isinstance(value, list) else [value]


@cache
def _generation_keys() -> frozenset[str]:
    """Return the keys that say how a language model writes; old config files contain them."""
    from transformers import GenerationConfig

    known = GenerationConfig().to_dict()  # type: ignore[no-untyped-call]
    return frozenset(known) | {"max_length", "min_length", "do_sample"}

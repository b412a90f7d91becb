"""Tiny random models of any architecture of transformers, by its name and a few sizes."""

from pathlib import Path
from typing import Any

from tests.zoo import trained_tokenizer

DIM, LAYERS, POSITIONS, HEADS = 16, 3, 40, 2
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
# The value of each field that a config has.
SIZES: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "dim", "n_embd", "emb_dim", "embed_dim"), DIM),
    **dict.fromkeys(("embedding_size", "word_embed_proj_dim"), DIM),
    **dict.fromkeys(("num_hidden_layers", "n_layers", "n_layer", "num_layers"), LAYERS),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_decoder_layers"), LAYERS),
    **dict.fromkeys(("num_encoder_layers",), LAYERS),
    **dict.fromkeys(("num_attention_heads", "n_heads", "n_head", "num_heads"), HEADS),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_encoder_attention_heads", "num_decoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads"), HEADS),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "hidden_dim", "d_ff", "d_inner"), 32),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "n_inner", "ffn_hidden_size"), 32),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), 16),
    **dict.fromkeys(("head_dim", "d_kv", "d_head", "kv_channels", "attention_head_size"), 8),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "num_experts_per_token"), 2),
    **dict.fromkeys(("pad_token_id", "padding_idx"), 0),
    **dict.fromkeys(("bos_token_id", "cls_token_id", "decoder_start_token_id"), 2),
    **dict.fromkeys(("eos_token_id", "sep_token_id", "forced_eos_token_id"), 3),
    "pruned_heads": {},
    "sliding_window": 8,
    "n_group": 1,
    "topk_group": 1,
}


def build_tiny(kind: str, folder: Path, positions: int = POSITIONS, **different: Any) -> Path:
    """Write config.json, model.safetensors and a tokenizer of a random model of an architecture.

    No parameter has values that hide an error: gains differ from 1, and the row of [PAD] from 0.
    """
    import torch
    from transformers import AutoModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder.mkdir(parents=True, exist_ok=True)
    n_tokens = write_tokenizer(folder, positions)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(len(kind))
        module = AutoModel.from_config(tiny_config(kind, n_tokens, positions, **different))
        for parameter in module.parameters():
            mean = float(parameter.detach().mean()) if parameter.ndim == 1 else 0.0
            torch.nn.init.normal_(parameter, mean=mean, std=0.2)
    module.save_pretrained(folder)
    return folder


def tiny_config(kind: str, n_tokens: int, positions: int = POSITIONS, **different: Any) -> Any:
    """The config of an architecture with small sizes, and what is `different`."""
    from transformers import AutoConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    fields = {*CONFIG_MAPPING[kind].__dataclass_fields__}
    sizes = {key: value for key, value in (SIZES | _lengths(positions)).items() if key in fields}
    return AutoConfig.for_model(kind, **{**sizes, "vocab_size": n_tokens, **different})


def _lengths(positions: int) -> dict[str, int]:
    return dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len"), positions)


def write_tokenizer(folder: Path, longest: int = POSITIONS) -> int:
    """Write a tokenizer of word pieces around [CLS] and [SEP]; the number of its tokens."""
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = trained_tokenizer("word_piece", SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    named = {f"{name}_token": token for name, token in zip(names, SPECIAL, strict=True)}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=longest, **named
    ).save_pretrained(folder)
    return tokenizer.get_vocab_size()

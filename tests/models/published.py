"""What the config.json of each model of conf/model says of its size, as its makers published it.

What is not here is transformers' default for the architecture, which is the first model of its
kind: a `bert` is BERT base, a `gpt2` the smallest GPT-2.
"""

from typing import Any

BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
BASE |= {"intermediate_size": 3072}
LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
LARGE |= {"intermediate_size": 4096}
BERT = {"model_type": "bert", **BASE, "max_position_embeddings": 512, "type_vocab_size": 2}
ROBERTA = {"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1}
ROBERTA |= {"vocab_size": 50265, "pad_token_id": 1}
DISTILBERT = {"model_type": "distilbert", "dim": 768, "n_layers": 6, "n_heads": 12}
DISTILBERT |= {"hidden_dim": 3072, "max_position_embeddings": 512}
MULTIBERT = {**BERT, "vocab_size": 30522}


def pythia(dim: int, n_layers: int, n_heads: int) -> dict[str, Any]:
    return {
        "model_type": "gpt_neox",
        "vocab_size": 50304,
        "hidden_size": dim,
        "num_hidden_layers": n_layers,
        "num_attention_heads": n_heads,
        "intermediate_size": 4 * dim,
        "max_position_embeddings": 2048,
    }


def opt(dim: int, n_layers: int, n_heads: int, **different: Any) -> dict[str, Any]:
    return {
        "model_type": "opt",
        "vocab_size": 50272,
        "hidden_size": dim,
        "word_embed_proj_dim": dim,
        "num_hidden_layers": n_layers,
        "num_attention_heads": n_heads,
        "ffn_dim": 4 * dim,
        "max_position_embeddings": 2048,
        **different,
    }


def bloom(dim: int, n_layers: int, n_heads: int) -> dict[str, Any]:
    sizes = {"hidden_size": dim, "n_layer": n_layers, "n_head": n_heads}
    return {"model_type": "bloom", "vocab_size": 250880, **sizes}


LLAMA_7B: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 32000,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "intermediate_size": 11008,
    "max_position_embeddings": 4096,
}
LLAMA_13B = {**LLAMA_7B, "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40}
LLAMA_13B |= {"intermediate_size": 13824}
FALCON: dict[str, Any] = {
    "model_type": "falcon",
    "vocab_size": 65024,
    "hidden_size": 4544,
    "num_hidden_layers": 32,
    "num_attention_heads": 71,
    "multi_query": True,
    "parallel_attn": True,
    "bias": False,
    "new_decoder_architecture": False,
    "alibi": False,
}


CONFIGS: dict[str, dict[str, Any]] = {
    "bert_base_cased": {**BERT, "vocab_size": 28996},
    "bert_base_uncased": {**BERT, "vocab_size": 30522},
    "bert_large_cased": {**BERT, **LARGE, "vocab_size": 28996},
    "bert_large_uncased": {**BERT, **LARGE, "vocab_size": 30522},
    "bert_base_multilingual_cased": {**BERT, "vocab_size": 119547},
    "finbert_finnish": {**BERT, "vocab_size": 50105},
    "finbert_financial": {**BERT, "vocab_size": 30522},
    **{f"multiberts_seed_{seed}": MULTIBERT for seed in range(5)},
    "minilm_hub": {
        **BERT,
        "vocab_size": 30522,
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "intermediate_size": 1536,
    },
    "roberta_base": {**ROBERTA, **BASE},
    "roberta_large": {**ROBERTA, **LARGE},
    "xlm_roberta_base": {**ROBERTA, **BASE, "model_type": "xlm-roberta", "vocab_size": 250002},
    "distilbert_base_cased": {**DISTILBERT, "vocab_size": 28996},
    "distilbert_base_uncased": {**DISTILBERT, "vocab_size": 30522},
    "albert_base_v2": {
        "model_type": "albert",
        **BASE,
        "vocab_size": 30000,
        "embedding_size": 128,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
    },
    "electra_base_discriminator": {
        "model_type": "electra",
        **BASE,
        "vocab_size": 30522,
        "embedding_size": 768,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
    },
    "deberta_v3_base": {
        "model_type": "deberta-v2",
        **BASE,
        "vocab_size": 128100,
        "max_position_embeddings": 512,
        "type_vocab_size": 0,
        "relative_attention": True,
        "max_relative_positions": -1,
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
    },
    "modernbert_base": {
        "model_type": "modernbert",
        "vocab_size": 50368,
        "hidden_size": 768,
        "num_hidden_layers": 22,
        "num_attention_heads": 12,
        "intermediate_size": 1152,
        "max_position_embeddings": 8192,
    },
    "all_mpnet_base_v2": {
        "model_type": "mpnet",
        **BASE,
        "vocab_size": 30527,
        "max_position_embeddings": 514,
        "relative_attention_num_buckets": 32,
        "pad_token_id": 1,
    },
    "gpt2": {"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12},
    "gpt2_medium": {
        "model_type": "gpt2",
        "vocab_size": 50257,
        "n_embd": 1024,
        "n_layer": 24,
        "n_head": 16,
    },
    "distilgpt2": {"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 6},
    "pythia_70m": pythia(512, 6, 8),
    "pythia_160m": pythia(768, 12, 12),
    "pythia_410m": pythia(1024, 24, 16),
    "pythia_1b": pythia(2048, 16, 8),
    "pythia_1.4b": pythia(2048, 24, 16),
    "pythia_2.8b": pythia(2560, 32, 32),
    "opt_125m": opt(768, 12, 12),
    "opt_350m": opt(1024, 24, 16, word_embed_proj_dim=512, do_layer_norm_before=False),
    "opt_1.3b": opt(2048, 24, 32),
    "opt_2.7b": opt(2560, 32, 32),
    "opt_6.7b": opt(4096, 32, 32),
    "opt_13b": opt(5120, 40, 40),
    "bloom_560m": bloom(1024, 24, 16),
    "bloom_1b1": bloom(1536, 24, 16),
    "bloom_1b7": bloom(2048, 24, 16),
    "bloom_3b": bloom(2560, 30, 32),
    "gpt_j_6b": {
        "model_type": "gptj",
        "vocab_size": 50400,
        "n_embd": 4096,
        "n_layer": 28,
        "n_head": 16,
        "n_positions": 2048,
        "rotary_dim": 64,
    },
    "llama_2_7b": LLAMA_7B,
    "llama_2_7b_chat": LLAMA_7B,
    "llama_2_13b": LLAMA_13B,
    "falcon_7b": FALCON,
    "falcon_7b_instruct": FALCON,
}

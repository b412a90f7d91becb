"""Small models with random weights, of every architecture that can be rebuilt, and a batch."""

from __future__ import annotations

from typing import Any

from tests.lazy import torch, transformers

SIZES = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 40,
    "max_position_embeddings": 40,
}
OTHERS: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"pad_token_id": 1},
    "xlm-roberta": {"pad_token_id": 1},
    "camembert": {"pad_token_id": 1},
    "electra": {"embedding_size": 16},
    "albert": {"embedding_size": 16},
    "distilbert": {},
    # Blocks 1 and 4 look everywhere, the others 2 tokens to each side, of 11.
    "modernbert": {
        "num_hidden_layers": 5,
        "local_attention": 4,
        "global_attn_every_n_layers": 3,
        "pad_token_id": 0,
    },
    "gpt2": {},
    "llama": {"num_key_value_heads": 2},
}
NOT_REBUILT: dict[str, dict[str, Any]] = {
    "mpnet": {"pad_token_id": 1},
    "gpt_neox": {},
    # As opt_350m: a last layer from the width of the blocks to that of the embeddings.
    "opt": {"word_embed_proj_dim": 16, "do_layer_norm_before": False, "ffn_dim": 40},
}
FINAL_NORMS = {"modernbert": "final_norm", "gpt2": "ln_f", "llama": "norm"}
N_TOKENS = (11, 6, 1)
TOLERANCE = 1e-5


def tiny(model_type: str, **options: Any) -> Any:
    """A model whose weights, biases and norms are all random and far from their start."""
    sizes = dict(SIZES)
    if model_type == "distilbert":
        names = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "intermediate_size": ""}
        names |= {"num_attention_heads": "n_heads"}
        sizes = {names.get(key, key): value for key, value in sizes.items()}
        sizes["hidden_dim"] = sizes.pop("")
    if model_type == "gpt2":
        sizes["n_inner"] = sizes.pop("intermediate_size")
    config = transformers.AutoConfig.for_model(
        model_type, **sizes | (OTHERS | NOT_REBUILT)[model_type] | options
    )
    torch.manual_seed(0)
    module = transformers.AutoModel.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for values in module.parameters():
            values.add_(torch.randn_like(values) * 0.15)
    return module


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of 11, 6 and 1 tokens, filled up on the right."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(5, 60, (len(N_TOKENS), max(N_TOKENS)), generator=generator)
    mask = torch.tensor([[int(at < n) for at in range(max(N_TOKENS))] for n in N_TOKENS])
    return ids.where(mask.bool(), 0), mask

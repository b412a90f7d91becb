"""The blocks of known architectures: the modules by role.

The names are transformers'; the structure is `Block`.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from embspace.errors import InputError, not_among
from embspace.models.stream.blocks import Affine, Block, RotaryAngles, check_heads


def knows(module: Any) -> bool:
    """Return whether the blocks of `module` can be rebuilt; False for None, which has no blocks."""
    return _model_type(module) in ADAPTERS and _blocks_a_layer(module) == 1


def blocks_of(module: Any) -> list[Block]:
    """The blocks of a model, 1..L; a head on top of the model is left out.

    Raises:
        InputError: for an unknown architecture, with the known names, and for heads that do not
            divide the width.
    """
    if (n := _blocks_a_layer(module)) != 1:
        raise InputError(
            f"{type(module).__name__}: key 'inner_group_num': found {n}, allowed: 1, "
            "a block a layer"
        )
    if not knows(module):
        raise InputError(
            f"{type(module).__name__}: the blocks of this architecture cannot be rebuilt: "
            f"{not_among(_model_type(module), list(ADAPTERS))}"
        )
    base = getattr(module, "base_model", module)
    blocks = list(ADAPTERS[_model_type(module)](base))
    check_heads(module, blocks)
    return blocks


def first_block(module: Any) -> Any:
    """Return the module of block 1, with layer 0 as input."""
    base = getattr(module, "base_model", module)
    return next(iter(_layers(base)))


def _model_type(module: Any) -> str:
    return str(getattr(getattr(module, "config", None), "model_type", ""))


def _blocks_a_layer(module: Any) -> int:
    """Return how many blocks a layer has: several are possible only in ALBERT."""
    return int(getattr(getattr(module, "config", None), "inner_group_num", 1))


def _layers(base: Any) -> Any:
    """Return the list of blocks of a known architecture."""
    for holder in ("encoder", "transformer", "decoder"):
        base = getattr(base, holder, base)
    if hasattr(base, "albert_layer_groups"):
        return _layers_of_albert(base)
    for name in ("layer", "layers", "h"):
        if hasattr(base, name):
            return getattr(base, name)
    raise InputError(f"{type(base).__name__}: has no list of blocks")


def _layers_of_albert(encoder: Any) -> list[Any]:
    """Return the block of each layer; a block that layers share occurs several times."""
    groups, n_layers = encoder.albert_layer_groups, encoder.config.num_hidden_layers
    return [groups[at * len(groups) // n_layers].albert_layers[0] for at in range(n_layers)]


def _linear(layer: Any) -> Affine:
    return Affine(layer.weight, layer.bias)


def _linear_of_gpt2(layer: Any) -> Affine:
    """Return a `Conv1D` of transformers, with its matrix as (dim, out)."""
    return Affine(layer.weight.T, layer.bias)


def _thirds(fused: Affine) -> list[Affine]:
    """Return queries, keys and values from a single stacked matrix."""
    biases = [None] * 3 if fused.bias is None else fused.bias.chunk(3)
    return [
        Affine(weight, bias) for weight, bias in zip(fused.weight.chunk(3), biases, strict=True)
    ]


def _bert_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        attention = layer.attention.self
        yield Block(
            layer=number,
            query=_linear(attention.query),
            key=_linear(attention.key),
            value=_linear(attention.value),
            output=_linear(layer.attention.output.dense),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_attention_heads,
            scaling=attention.scaling,
            norm_first=False,
            attention_norm=layer.attention.output.LayerNorm,
            mlp_norm=layer.output.LayerNorm,
            mlp=partial(_bert_mlp, layer),
            causal=bool(getattr(base.config, "is_decoder", False)),
        )


def _bert_mlp(block: Any, x: Any) -> Any:
    return block.output.dense(block.intermediate(x))


def _albert_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        attention = layer.attention
        yield Block(
            layer=number,
            query=_linear(attention.query),
            key=_linear(attention.key),
            value=_linear(attention.value),
            output=_linear(attention.dense),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_attention_heads,
            scaling=attention.scaling,
            norm_first=False,
            attention_norm=attention.LayerNorm,
            mlp_norm=layer.full_layer_layer_norm,
            mlp=layer.ff_chunk,
        )


def _distilbert_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        attention = layer.attention
        yield Block(
            layer=number,
            query=_linear(attention.q_lin),
            key=_linear(attention.k_lin),
            value=_linear(attention.v_lin),
            output=_linear(attention.out_lin),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_attention_heads,
            scaling=attention.scaling,
            norm_first=False,
            attention_norm=layer.sa_layer_norm,
            mlp_norm=layer.output_layer_norm,
            mlp=layer.ffn,
        )


def _modernbert_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        query, key, value = _thirds(_linear(layer.attn.Wqkv))
        kind = layer.attention_type
        yield Block(
            layer=number,
            query=query,
            key=key,
            value=value,
            output=_linear(layer.attn.Wo),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_attention_heads,
            scaling=layer.attn.head_dim**-0.5,
            norm_first=True,
            attention_norm=layer.attn_norm,  # the identity in block 1, as the embedding is normed
            mlp_norm=layer.mlp_norm,
            mlp=layer.mlp,
            window=base.config.sliding_window if kind == "sliding_attention" else None,
            rotary=partial(_angles, base.rotary_emb, layer_type=kind),
        )


def _gpt2_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        query, key, value = _thirds(_linear_of_gpt2(layer.attn.c_attn))
        yield Block(
            layer=number,
            query=query,
            key=key,
            value=value,
            output=_linear_of_gpt2(layer.attn.c_proj),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_attention_heads,
            scaling=layer.attn.scaling,
            norm_first=True,
            attention_norm=layer.ln_1,
            mlp_norm=layer.ln_2,
            mlp=layer.mlp,
            causal=bool(getattr(base.config, "is_causal", True)),
        )


def _llama_blocks(base: Any) -> Iterable[Block]:
    for number, layer in enumerate(_layers(base), start=1):
        attention = layer.self_attn
        yield Block(
            layer=number,
            query=_linear(attention.q_proj),
            key=_linear(attention.k_proj),
            value=_linear(attention.v_proj),
            output=_linear(attention.o_proj),
            n_heads=base.config.num_attention_heads,
            n_key_heads=base.config.num_key_value_heads,
            scaling=attention.scaling,
            norm_first=True,
            attention_norm=layer.input_layernorm,
            mlp_norm=layer.post_attention_layernorm,
            mlp=layer.mlp,
            causal=bool(getattr(base.config, "is_causal", True)),
            rotary=partial(_angles, base.rotary_emb),
        )


def _angles(rotary: Any, states: Any, **layer_type: str) -> RotaryAngles:
    """Return the model's own cosines and sines for positions 0, 1, 2, ..."""
    import torch

    positions = torch.arange(states.shape[1], device=states.device)[None]
    cosines, sines = rotary(states, positions, **layer_type)
    return cosines, sines


ADAPTERS: dict[str, Callable[[Any], Iterable[Block]]] = {
    "bert": _bert_blocks,
    "roberta": _bert_blocks,
    "xlm-roberta": _bert_blocks,
    "camembert": _bert_blocks,
    "electra": _bert_blocks,
    "albert": _albert_blocks,
    "distilbert": _distilbert_blocks,
    "modernbert": _modernbert_blocks,
    "gpt2": _gpt2_blocks,
    "llama": _llama_blocks,
}
"""By `config.model_type`."""

"""The linear maps of every block, attention and MLP, for the known architectures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from embspace.errors import InputError, not_among
from embspace.models.stream.adapters import blocks_of, first_block, knows
from embspace.models.stream.blocks import Affine


@dataclass(frozen=True, eq=False)
class Parts:
    """The maps of a block, torch tensors; all weights are (out, in), as in torch's Linear."""

    layer: int
    """1..L."""
    query: Affine
    key: Affine
    value: Affine
    output: Affine
    n_heads: int
    n_key_heads: int
    norm_first: bool
    attention_norm: Any
    """The module: in front of attention, or after the sum of attention and stream."""
    mlp_norm: Any
    ff_keys: dict[str, Affine]
    """`key`; for a gated MLP `gate`, whose product goes through the activation, and `up`."""
    ff_values: Affine
    """(dim, d_ff): column j is value vector j."""


def parts_of(module: Any) -> list[Parts]:
    """The maps of the blocks 1..L; a head on top of the model is left out.

    Raises:
        InputError: for an unknown architecture, with the known names, and for heads that do not
            divide the width.
    """
    kind = str(getattr(getattr(module, "config", None), "model_type", ""))
    base = getattr(module, "base_model", module)
    if kind in OTHERS:
        return list(OTHERS[kind](base))
    if not knows(module):
        raise InputError(
            f"{type(module).__name__}: the parameters of this architecture cannot be read: "
            f"{not_among(kind, [*FEED_FORWARD, *OTHERS])}"
        )
    first = first_block(module)
    holder = next(part for part in base.modules() if first in list(part.children()))
    blocks = zip(blocks_of(module), holder.children(), strict=True)
    return [_with_mlp(block, child, FEED_FORWARD[kind]) for block, child in blocks]


def _with_mlp(block: Any, module: Any, feed_forward: Callable[[Any], Any]) -> Parts:
    keys, values = feed_forward(module)
    names = ("layer", "query", "key", "value", "output", "n_heads", "n_key_heads", "norm_first")
    shared = {name: getattr(block, name) for name in names}
    return Parts(
        **shared,
        attention_norm=block.attention_norm,
        mlp_norm=block.mlp_norm,
        ff_keys=keys,
        ff_values=values,
    )


def _linear(layer: Any) -> Affine:
    return Affine(layer.weight, layer.bias)


def _mlp(key: str, value: str) -> Callable[[Any], tuple[dict[str, Affine], Affine]]:
    """Return a function that finds the two maps of an MLP without a gate, by path in the block."""

    def find(block: Any) -> tuple[dict[str, Affine], Affine]:
        return {"key": _linear(attrgetter(key)(block))}, _linear(attrgetter(value)(block))

    return find


def _mlp_of_gpt2(block: Any) -> tuple[dict[str, Affine], Affine]:
    """Return the maps of `Conv1D`, with its matrix as (in, out)."""
    into, out = block.mlp.c_fc, block.mlp.c_proj
    return {"key": Affine(into.weight.T, into.bias)}, Affine(out.weight.T, out.bias)


def _mlp_of_modernbert(block: Any) -> tuple[dict[str, Affine], Affine]:
    """Return the halves of `Wi`: the first goes through the activation, the second times it."""
    fused = _linear(block.mlp.Wi)
    biases = (None, None) if fused.bias is None else fused.bias.chunk(2)
    gate, up = map(Affine, fused.weight.chunk(2), biases)
    return {"gate": gate, "up": up}, _linear(block.mlp.Wo)


def _mlp_of_llama(block: Any) -> tuple[dict[str, Affine], Affine]:
    mlp = block.mlp
    return {"gate": _linear(mlp.gate_proj), "up": _linear(mlp.up_proj)}, _linear(mlp.down_proj)


_BERT = _mlp("intermediate.dense", "output.dense")
FEED_FORWARD: dict[str, Callable[[Any], tuple[dict[str, Affine], Affine]]] = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "electra": _BERT,
    "distilbert": _mlp("ffn.lin1", "ffn.lin2"),
    "modernbert": _mlp_of_modernbert,
    "gpt2": _mlp_of_gpt2,
    "llama": _mlp_of_llama,
}
"""By `config.model_type`, for the blocks that models/stream rebuilds."""


def _named(
    blocks: str, attention: dict[str, str], norms: tuple[str, str], mlp: tuple[str, str]
) -> Callable[[Any], Iterator[Parts]]:
    """Return a finder of the parts of blocks with maps in separate modules, by path."""

    def find(base: Any) -> Iterator[Parts]:
        for number, block in enumerate(attrgetter(blocks)(base), start=1):
            keys, values = _mlp(*mlp)(block)
            maps = {name: _linear(attrgetter(path)(block)) for name, path in attention.items()}
            yield Parts(
                layer=number,
                **maps,
                n_heads=base.config.num_attention_heads,
                n_key_heads=base.config.num_attention_heads,
                norm_first=getattr(block, "do_layer_norm_before", "ln_1" in norms),
                attention_norm=attrgetter(norms[0])(block),
                mlp_norm=attrgetter(norms[1])(block),
                ff_keys=keys,
                ff_values=values,
            )

    return find


def _fused_by_head(blocks: str, attention: str) -> Callable[[Any], Iterator[Parts]]:
    """Return a function for blocks whose fused matrix has query, key and value head after head."""

    def find(base: Any) -> Iterator[Parts]:
        n_heads = base.config.num_attention_heads
        for number, block in enumerate(attrgetter(blocks)(base), start=1):
            module = getattr(block, attention)
            query, key, value = _thirds_of_heads(_linear(module.query_key_value), n_heads)
            keys, values = _mlp("mlp.dense_h_to_4h", "mlp.dense_4h_to_h")(block)
            yield Parts(
                layer=number,
                query=query,
                key=key,
                value=value,
                output=_linear(module.dense),
                n_heads=n_heads,
                n_key_heads=n_heads,
                norm_first=True,
                attention_norm=block.input_layernorm,
                mlp_norm=block.post_attention_layernorm,
                ff_keys=keys,
                ff_values=values,
            )

    return find


def _thirds_of_heads(fused: Affine, n_heads: int) -> list[Affine]:
    """Return queries, keys and values of a matrix of (head, 3, head_dim) rows."""
    dim = fused.weight.shape[1]
    weights = fused.weight.reshape(n_heads, 3, -1, dim)
    biases = None if fused.bias is None else fused.bias.reshape(n_heads, 3, -1)
    return [
        Affine(weights[:, at].reshape(-1, dim), None if biases is None else biases[:, at].flatten())
        for at in range(3)
    ]


def _albert(base: Any) -> Iterator[Parts]:
    """The blocks of ALBERT, by layer; only for groups of a single block.

    Raises:
        InputError: if a group has several blocks.
    """
    config, groups = base.config, base.encoder.albert_layer_groups
    if config.inner_group_num != 1:
        raise InputError(
            f"{type(base).__name__}: key 'inner_group_num': found {config.inner_group_num}, "
            "allowed: 1, a block a layer"
        )
    for number in range(config.num_hidden_layers):
        at = number * config.num_hidden_groups // config.num_hidden_layers
        block = groups[at].albert_layers[0]
        attention = block.attention
        yield Parts(
            layer=number + 1,
            query=_linear(attention.query),
            key=_linear(attention.key),
            value=_linear(attention.value),
            output=_linear(attention.dense),
            n_heads=config.num_attention_heads,
            n_key_heads=config.num_attention_heads,
            norm_first=False,
            attention_norm=attention.LayerNorm,
            mlp_norm=block.full_layer_layer_norm,
            ff_keys={"key": _linear(block.ffn)},
            ff_values=_linear(block.ffn_output),
        )


def _paths(pattern: str, *names: str) -> dict[str, str]:
    parts = ("query", "key", "value", "output")
    return {part: pattern.format(name) for part, name in zip(parts, names, strict=True)}


OTHERS: dict[str, Callable[[Any], Iterator[Parts]]] = {
    "albert": _albert,
    "bloom": _fused_by_head("h", "self_attention"),
    "gpt_neox": _fused_by_head("layers", "attention"),
    "gptj": _named(
        "h",
        _paths("attn.{}", "q_proj", "k_proj", "v_proj", "out_proj"),
        ("ln_1", "ln_1"),  # attention and MLP read one norm
        ("mlp.fc_in", "mlp.fc_out"),
    ),
    "mpnet": _named(
        "encoder.layer",
        _paths("attention.attn.{}", "q", "k", "v", "o"),
        ("attention.LayerNorm", "output.LayerNorm"),
        ("intermediate.dense", "output.dense"),
    ),
    "opt": _named(
        "decoder.layers",
        _paths("self_attn.{}", "q_proj", "k_proj", "v_proj", "out_proj"),
        ("self_attn_layer_norm", "final_layer_norm"),
        ("fc1", "fc2"),
    ),
}
"""Architectures whose maps are known, but whose stream is not rebuilt."""


def knows_parts(module: Any) -> bool:
    """Return True if the maps of `module` can be read; False for None, which has no maps."""
    kind = str(getattr(getattr(module, "config", None), "model_type", ""))
    return kind in OTHERS or knows(module)

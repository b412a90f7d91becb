"""Blocks that normalize what attention and MLP read, and only add to the stream, as in GPT-2."""

from typing import Any

from embspace.models.stream.attention import attention_of
from embspace.models.stream.blocks import Block
from embspace.models.stream.layer_stream import LayerStream


def pre_norm_stream(block: Block, x: Any, mask: Any) -> LayerStream:
    """The stream through a block (pre-norm) for states `x` (batch, token, dim)."""
    attention_input = block.attention_norm(x)
    attention = attention_of(block, attention_input, mask)
    after_attention = x + attention.added
    mlp_input = block.mlp_norm(after_attention)
    mlp_added = block.mlp(mlp_input)
    return LayerStream(
        layer=block.layer,
        norm_first=True,
        input=x,
        attention_input=attention_input,
        query=attention.query,
        key=attention.key,
        value=attention.value,
        scores=attention.scores,
        attention=attention.attention,
        head_output=attention.head_output,
        concatenation=attention.concatenation,
        attention_added=attention.added,
        after_attention=after_attention,
        mlp_input=mlp_input,
        mlp_added=mlp_added,
        output=after_attention + mlp_added,
    )

"""Blocks that normalize the sum of the stream and what is added, as in BERT."""

from typing import Any

from embspace.models.stream.attention import attention_of
from embspace.models.stream.blocks import Block
from embspace.models.stream.layer_stream import LayerStream


def post_norm_stream(block: Block, x: Any, mask: Any) -> LayerStream:
    """The stream through a block (post-norm) for states `x` (batch, token, dim)."""
    attention = attention_of(block, x, mask)
    after_attention = block.attention_norm(x + attention.added)
    mlp_added = block.mlp(after_attention)
    return LayerStream(
        layer=block.layer,
        norm_first=False,
        input=x,
        attention_input=x,
        query=attention.query,
        key=attention.key,
        value=attention.value,
        scores=attention.scores,
        attention=attention.attention,
        head_output=attention.head_output,
        concatenation=attention.concatenation,
        attention_added=attention.added,
        after_attention=after_attention,
        mlp_input=after_attention,
        mlp_added=mlp_added,
        output=block.mlp_norm(after_attention + mlp_added),
    )

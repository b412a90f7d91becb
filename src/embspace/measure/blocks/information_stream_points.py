"""The points of a block where the stream is measured, and the steps between them."""

from collections.abc import Collection
from typing import Any

import numpy as np

from embspace.models.stream.layer_stream import LayerStream

OF_HEADS = ("query", "key", "value", "head_output")
# Of a block, in the order in which it computes them. Two are in blocks that normalize what they
# read alone, and two in those that normalize sums.
POINTS = (
    "input",
    "attention_input",
    *OF_HEADS,
    "concatenation",
    "attention_added",
    "attention_sum",
    "after_attention",
    "mlp_input",
    "mlp_added",
    "mlp_sum",
    "output",
)
# Step -> from which of these points that a block has to which, the first that there is. Those of
# attention, MLP and the norms after them follow each other: their gains add up to the block's.
STEPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "values": (("attention_input", "input"), ("value",)),
    "mixing_by_attention": (("value",), ("head_output",)),
    "concatenation": (("head_output",), ("concatenation",)),
    "output_matrix": (("concatenation",), ("attention_added",)),
    "norm_before_attention": (("input",), ("attention_input",)),
    "attention": (("input",), ("attention_sum", "after_attention")),
    "norm_after_attention": (("attention_sum",), ("after_attention",)),
    "norm_before_mlp": (("after_attention",), ("mlp_input",)),
    "mlp": (("after_attention",), ("mlp_sum", "output")),
    "norm_after_mlp": (("mlp_sum",), ("output",)),
    "attention_and_norm": (("input",), ("after_attention",)),
    "mlp_and_norm": (("after_attention",), ("output",)),
    "block": (("input",), ("output",)),
}


def points_of(stream: LayerStream) -> dict[str, np.ndarray]:
    """Return the vectors of a text by point: (head, token, dim), with one head for whole layers.

    `attention_sum` and `mlp_sum` are the sums before the norms (post-norm); `attention_input` and
    `mlp_input` are the norms' outputs, which attention and MLP read (pre-norm).
    """
    vectors: dict[str, Any] = {name: getattr(stream, name) for name in OF_HEADS}
    whole = ["input", "concatenation", "attention_added", "after_attention", "mlp_added", "output"]
    whole += ["attention_input", "mlp_input"] if stream.norm_first else []
    vectors |= {name: getattr(stream, name)[None] for name in whole}
    if not stream.norm_first:
        vectors["attention_sum"] = (stream.input + stream.attention_added)[None]
        vectors["mlp_sum"] = (stream.after_attention + stream.mlp_added)[None]
    return {name: vectors[name].cpu().numpy() for name in POINTS if name in vectors}


def steps_between(points: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return the first and the last point of every step that a block with these points has."""
    ends_of = {
        step: [next((point for point in end if point in points), "") for end in ends]
        for step, ends in STEPS.items()
    }
    return {step: (first, last) for step, (first, last) in ends_of.items() if first and last}

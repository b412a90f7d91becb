"""The weights of a block as vectors of the model's width: reading and writing vectors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.models.parameters.arrays import float_array, optional_array
from embspace.models.parameters.parts import Parts, parts_of


@dataclass(frozen=True, eq=False)
class LayerParameters:
    """The parameters of one layer, float32; each row is a vector of the model's width.

    Head h of `n_heads` has the rows from h * head_dim on of `query`, `key`, `value` and `output`.
    In terms of rows, a head that reads x makes the query `query @ x`, and likewise key and value,
    and writes `values @ output`; the W_VO of the head is `value_h.T @ output_h` and the W_QK is
    `query_h.T @ key_h`, both (dim, dim), for row vectors (Dar et al. 2023, section 2).
    """

    layer: int
    """1..L."""
    n_heads: int
    query: Float[np.ndarray, "row dim"]
    key: Float[np.ndarray, "row dim"]
    """Keys and values that heads share are repeated for every head."""
    value: Float[np.ndarray, "row dim"]
    output: Float[np.ndarray, "row dim"]
    query_bias: Float[np.ndarray, " row"] | None
    """As `key_bias` and `value_bias`; None in a model without."""
    key_bias: Float[np.ndarray, " row"] | None
    value_bias: Float[np.ndarray, " row"] | None
    output_bias: Float[np.ndarray, " dim"] | None
    ff_keys: dict[str, Float[np.ndarray, "unit dim"]]
    """`key`; for a gated MLP `gate`, which goes through the activation, and `up`, its factor."""
    ff_key_biases: dict[str, Float[np.ndarray, " unit"] | None]
    ff_values: Float[np.ndarray, "unit dim"]
    ff_value_bias: Float[np.ndarray, " dim"] | None
    attention_input_scale: Float[np.ndarray, " dim"] | None
    """The gain of the norm through which attention reads; None if attention reads the stream
    itself.
    """
    ff_input_scale: Float[np.ndarray, " dim"] | None
    attention_output_scale: Float[np.ndarray, " dim"] | None
    """The gain of the norm between the output of attention and the words.

    In a post-norm block the norm of the sum, in a pre-norm block the final norm.
    """
    ff_output_scale: Float[np.ndarray, " dim"] | None

    @property
    def head_dim(self) -> int:
        """The rows of a head."""
        return len(self.query) // self.n_heads

    def groups(self) -> dict[str, Float[np.ndarray, "row dim"]]:
        """Return all vectors by their names in results."""
        keys = {f"feed_forward_{name}": rows for name, rows in self.ff_keys.items()}
        attention = {
            "attention_query": self.query,
            "attention_key": self.key,
            "attention_value": self.value,
            "attention_output": self.output,
        }
        return {**keys, "feed_forward_value": self.ff_values, **attention}

    def scale(self, group: str) -> Float[np.ndarray, " dim"] | None:
        """Return the gain of the norm between the stream and the vectors of a group, or None."""
        if group == "feed_forward_value":
            return self.ff_output_scale
        if group == "attention_output":
            return self.attention_output_scale
        is_attention = group.startswith("attention_")
        return self.attention_input_scale if is_attention else self.ff_input_scale


def layer_parameters(module: Any, final_norm: Any) -> list[LayerParameters]:
    """The parameters of the layers 1..L; views of the module's parameters where possible.

    `final_norm` is the module after the last block, or None. ALBERT's layers are one block: all
    layers share the arrays.

    Raises:
        InputError: for an unknown architecture, with the known names, and for heads that do not
            divide the rows of the matrices.
    """
    return [_layer_parameters(parts, final_norm) for parts in parts_of(module)]


def _layer_parameters(parts: Parts, final_norm: Any) -> LayerParameters:
    shared = _shared(parts)
    key, key_bias = _repeated(parts.key, parts.n_key_heads, shared)
    value, value_bias = _repeated(parts.value, parts.n_key_heads, shared)
    before, after = (True, False) if parts.norm_first else (False, True)
    last = _gain(final_norm)
    return LayerParameters(
        layer=parts.layer,
        n_heads=parts.n_heads,
        query=float_array(parts.query.weight),
        key=key,
        value=value,
        output=float_array(parts.output.weight).T,
        query_bias=optional_array(parts.query.bias),
        key_bias=key_bias,
        value_bias=value_bias,
        output_bias=optional_array(parts.output.bias),
        ff_keys={name: float_array(linear.weight) for name, linear in parts.ff_keys.items()},
        ff_key_biases={name: optional_array(linear.bias) for name, linear in parts.ff_keys.items()},
        ff_values=float_array(parts.ff_values.weight).T,
        ff_value_bias=optional_array(parts.ff_values.bias),
        attention_input_scale=_gain(parts.attention_norm) if before else None,
        ff_input_scale=_gain(parts.mlp_norm) if before else None,
        attention_output_scale=_gain(parts.attention_norm) if after else last,
        ff_output_scale=_gain(parts.mlp_norm) if after else last,
    )


def _shared(parts: Parts) -> int:
    """Return how many heads of queries have the same keys.

    Raises:
        InputError: if the heads do not divide the rows.
    """
    rows = len(parts.query.weight)
    if rows % parts.n_heads or parts.n_heads % parts.n_key_heads:
        raise InputError(
            f"layer {parts.layer}: {parts.n_heads} heads of queries and {parts.n_key_heads} of "
            f"keys do not divide {rows} rows"
        )
    return parts.n_heads // parts.n_key_heads


def _repeated(matrix: Any, n_heads: int, times: int) -> tuple[np.ndarray, np.ndarray | None]:
    weight, bias = float_array(matrix.weight), optional_array(matrix.bias)
    if times == 1:
        return weight, bias
    by_head = weight.reshape(n_heads, -1, weight.shape[1])
    repeated = None if bias is None else bias.reshape(n_heads, -1).repeat(times, axis=0).ravel()
    return by_head.repeat(times, axis=0).reshape(-1, weight.shape[1]), repeated


def _gain(norm: Any) -> np.ndarray | None:
    """Return the gain of a norm; None of the identity, of a linear map, and of nothing."""
    weight = getattr(norm, "weight", None)
    return float_array(weight) if weight is not None and weight.ndim == 1 else None

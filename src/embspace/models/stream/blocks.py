"""The parts of a block of a transformer, whatever its architecture calls them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from embspace.errors import InputError

RotaryAngles = tuple[Any, Any]
"""Cosines and sines of the rotary angles, both (1, token, head_dim)."""


@dataclass(frozen=True, eq=False)
class Affine:
    """A linear map with a bias, if present."""

    weight: Any
    """(out, dim), as in torch's Linear: the output is weight @ x."""
    bias: Any | None
    """(out,)."""

    def __call__(self, x: Any) -> Any:
        """Return the output (..., out) for inputs (..., dim)."""
        made = x @ self.weight.T
        return made if self.bias is None else made + self.bias


@dataclass(frozen=True, eq=False)
class Block:
    """A block: attention and MLP, with norms in front or after the sum."""

    layer: int
    """1..L."""
    query: Affine
    key: Affine
    value: Affine
    output: Affine
    n_heads: int
    n_key_heads: int
    """Number of heads with separate keys and values, shared evenly by the queries."""
    scaling: float
    """The factor of the product of query and key."""
    norm_first: bool
    """Whether norms are before attention and MLP (pre-norm) or after the sums (post-norm)."""
    attention_norm: Callable[[Any], Any]
    mlp_norm: Callable[[Any], Any]
    mlp: Callable[[Any], Any]
    """What the MLP adds, before any norm of the sum."""
    causal: bool = False
    """Whether a token attends to no later token."""
    window: int | None = None
    """The largest distance to a token that is attended to; None: no limit."""
    rotary: Callable[[Any], RotaryAngles] | None = None
    """Gives the angles for states (batch, token, dim); None without rotary positions."""

    @property
    def head_dim(self) -> int:
        """How many dimensions a head has."""
        return int(self.query.weight.shape[0]) // self.n_heads


def check_heads(module: Any, blocks: list[Block]) -> None:
    """Stop unless the heads of each block divide the width of its matrices.

    Raises:
        InputError: naming the layer, the width and the number of heads.
    """
    for block in blocks:
        widths = {
            "queries": (block.query, block.n_heads),
            "keys": (block.key, block.n_key_heads),
            "values": (block.value, block.n_key_heads),
        }
        for kind, (matrix, n_heads) in widths.items():
            width = int(matrix.weight.shape[0])
            if width % n_heads:
                raise InputError(
                    f"{type(module).__name__}: layer {block.layer}: {n_heads} heads do not divide "
                    f"the width {width} of the {kind}"
                )
        if block.n_heads % block.n_key_heads:
            raise InputError(
                f"{type(module).__name__}: layer {block.layer}: {block.n_key_heads} heads of keys "
                f"do not divide {block.n_heads} heads of queries"
            )

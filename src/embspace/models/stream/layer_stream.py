"""All tensors of a batch in a block."""

from dataclasses import dataclass, fields, replace
from typing import Any

FACTS = ("layer", "norm_first")
OF_PAIRS = ("scores", "attention")


@dataclass(frozen=True, eq=False)
class LayerStream:
    """The stream through a block for a padded batch, torch float32.

    Rows of padding hold meaningless numbers.
    """

    layer: int
    """1..L."""
    norm_first: bool
    """Whether norms are before attention and MLP (pre-norm) or after the sums (post-norm)."""
    input: Any
    """(batch, token, dim): the hidden state of the layer before."""
    attention_input: Any
    """(batch, token, dim): the input (post-norm) or its norm (pre-norm)."""
    query: Any
    """(batch, head, token, head_dim), as `key`; turned where positions are rotary."""
    key: Any
    value: Any
    """(batch, head, token, head_dim), as `head_output`."""
    scores: Any
    """(batch, head, token, token): scaled, and the most negative number where it is masked."""
    attention: Any
    """(batch, head, token, token): rows sum to 1."""
    head_output: Any
    concatenation: Any
    """(batch, token, head * head_dim)."""
    attention_added: Any
    """(batch, token, dim): the output matrix times the concatenation, plus the bias."""
    after_attention: Any
    """(batch, token, dim): input plus attention (pre-norm), or the norm of the sum (post-norm)."""
    mlp_input: Any
    """(batch, token, dim): `after_attention` (post-norm) or its norm (pre-norm)."""
    mlp_added: Any
    """(batch, token, dim)."""
    output: Any
    """(batch, token, dim): the hidden state of this layer, before any norm after the last block."""

    def without_padding(self, row: int, n_tokens: int) -> "LayerStream":
        """Return the stream of one row without the padding behind `n_tokens` tokens.

        The tensors have no batch: (token, dim), (head, token, head_dim), (head, token, token).
        """
        parts = {}
        for field in fields(self):
            if field.name in FACTS:
                continue
            whole = getattr(self, field.name)[row]
            rows = whole[..., :n_tokens, :]
            parts[field.name] = rows[..., :n_tokens] if field.name in OF_PAIRS else rows
        return replace(self, **parts)

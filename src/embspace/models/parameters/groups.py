"""Parameters of a model by what they do, one layer after the other."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError
from embspace.models.parameters.read import ModelParameters

Rows = Float[np.ndarray, "row dim"]
KEYS = "feed_forward_"


def parameter_groups(parameters: ModelParameters) -> dict[str, list[Rows]]:
    """Return the rows of each layer by group, all of the model's width.

    Those of `query`, `key`, `value` and `output` are of all heads, one head after the other; then
    come those that a feed-forward network compares its input with, `feed_forward_key`, of a gated
    one `feed_forward_gate` and `feed_forward_up`; and what it adds, `feed_forward_value`.
    """
    layers = parameters.layers
    groups = {
        name: [getattr(layer, name) for layer in layers]
        for name in ("query", "key", "value", "output")
    }
    names = list(layers[0].ff_keys)
    groups |= {f"{KEYS}{name}": [layer.ff_keys[name] for layer in layers] for name in names}
    return groups | {f"{KEYS}value": [layer.ff_values for layer in layers]}


def require_same_tokens(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str]
) -> None:
    """Stop unless two vocabularies have the same tokens in the same order.

    Raises:
        InputError: naming both models, and the first token that differs or their numbers.
    """
    both = f"{names[0]} and {names[1]}"
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            raise InputError(
                f"{both}: have other vocabularies: token {number} is {one!r} and {other!r}; "
                "expected the same tokens in the same order"
            )
    if len(first) != len(second):
        raise InputError(
            f"{both}: have {len(first)} and {len(second)} tokens; expected the same ones"
        )

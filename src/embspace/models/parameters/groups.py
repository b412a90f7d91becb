"""Parameters of a model by role, layer after layer."""

from collections.abc import Sequence

from embspace.errors import InputError
from embspace.geometry.parameters.alignment import Rows
from embspace.models.parameters.read import ModelParameters


def parameter_groups(parameters: ModelParameters) -> dict[str, list[Rows]]:
    """Return the rows of all layers by group, layer after layer."""
    layer_groups = [layer.groups() for layer in parameters.layers]
    return {group: [groups[group] for groups in layer_groups] for group in layer_groups[0]}


def require_same_tokens(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str]
) -> None:
    """Stop unless two vocabularies have the same tokens in the same order.

    Raises:
        InputError: naming both models, and the first token that differs or their numbers of tokens.
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

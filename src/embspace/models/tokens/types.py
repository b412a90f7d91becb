"""Token types read beside ids, where transformers' own call gives types.

Types of a text's frame depend only on the special tokens, and follow from the ids, in any part of
embspace.
"""

from inspect import signature
from typing import Any

from embspace.errors import RefusedModel
from embspace.settings.model import TokenTypes

TYPES = "embspace_token_types"  # a key that `read_types` puts into the config of a module
INPUT = "token_type_ids"
TEXT = "a b"


def find_types(module: Any, tokenizer: Any) -> TokenTypes | None:
    """Return the token types from transformers' own call; None if they do not change the states.

    Raises:
        RefusedModel: if a special token has several types.
    """
    given = tokenizer(TEXT, return_special_tokens_mask=True)
    if INPUT not in given or INPUT not in signature(module.forward).parameters:
        return None
    types = given[INPUT]
    rows = list(zip(given["input_ids"], types, given["special_tokens_mask"], strict=True))
    frame = {(number, kind) for number, kind, special in rows if special}
    text = {kind for _, kind, special in rows if not special} or {0}
    if len(dict(frame)) < len(frame) or len(text) > 1:
        raise RefusedModel(
            "the tokenizer gives one token of a text several types, which cannot be told by its id"
        )
    token_types = TokenTypes(text=text.pop(), special=dict(sorted(frame)))
    return token_types if _changes(module, given["input_ids"], types) else None


def _changes(module: Any, ids: list[int], types: list[int]) -> bool:
    """Return whether the types change the states of a text."""
    import torch

    row = torch.tensor([ids])
    named = {"input_ids": row, "attention_mask": torch.ones_like(row)}
    with torch.inference_mode():
        without = module(**named).last_hidden_state
        states = module(**named, **{INPUT: torch.tensor([types])}).last_hidden_state
    return not torch.equal(without, states)


def read_types(module: Any, types: TokenTypes | None) -> Any:
    """Make a module read tokens with types, also the random twin; return the module."""
    if types is not None:
        setattr(module.config, TYPES, types.model_dump())
    return read_types_of_config(module)


def read_types_of_config(module: Any) -> Any:
    """Make a module read types if its config says so; return the same module."""
    types = getattr(module.config, TYPES, None)
    if types is None:
        return module

    def with_types(_: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        ids = named.get("input_ids", arguments[0] if arguments else None)
        if ids is None or INPUT in named:
            return None
        kinds = ids.new_full(ids.shape, types["text"])
        for number, kind in types["special"].items():
            kinds[ids == int(number)] = kind
        return arguments, {**named, INPUT: kinds}

    module.register_forward_pre_hook(with_types, with_kwargs=True)
    return module

"""Takes keys of a description from a user, for a model whose files do not settle them."""

from collections.abc import Sequence
from typing import Any

from embspace.app.homes import expanded
from embspace.errors import InputError

Given = dict[str, Any]
"""Keys of a description, with their values."""


def given_keys(allow_unused: Sequence[str] | None, tokenizer: str | None) -> Given:
    """Return the keys of a description that options of a command set.

    Raises:
        InputError: if the tokenizer is no folder.
    """
    given: Given = {"allow_unused": list(allow_unused)} if allow_unused else {}
    if tokenizer is not None:
        folder = expanded(tokenizer)
        if not folder.is_dir():
            raise InputError(
                f"--tokenizer: found {tokenizer}, allowed: a folder with the tokenizer's files, "
                "such as that of the model before it was trained on"
            )
        given["tokenizer"] = {"source": "path", "path": str(folder.resolve())}
    return given

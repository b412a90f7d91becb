"""Loads a model's tokenizer and makes its vocabulary a table."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.errors import InputError
from embspace.models.description import Files, Model, RandomModel, model_file
from embspace.models.locate import locate_files


def tokenizer_files(model: Model) -> Files | None:
    """Where the tokenizer of `model` is; None for random weights without one."""
    return model.tokenizer if isinstance(model, RandomModel) else model


def load_tokenizer(name: str, model: Model) -> Any:
    """The fast tokenizer of `name`.

    Raises:
        InputError: if there is none, or its files cannot be read.
    """
    files = tokenizer_files(model)
    if files is None:
        raise InputError(f"{model_file(name)}: has no 'tokenizer', which texts need")
    folder = locate_files(name, files)
    if not (folder / "tokenizer.json").is_file():
        raise InputError(f"{folder}: no tokenizer.json")
    return _read_tokenizer(folder)


def vocabulary_table(tokenizer: Any, model: Model) -> pd.DataFrame:
    """One row a token: id, token, role, kind, character_class.

    `role` is what the model uses a special token for (cls, sep, mask, …), else empty.
    `kind` is the first that fits of: special; unused (reserved by the model's makers); subword
    (goes on inside a word); digit (ASCII digits); word (letters of any script); other.
    `character_class` is `character_class()` of the token without its continuation prefix.
    """
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    roles = _roles(tokenizer)
    special = set(tokenizer.all_special_tokens)
    rows = []
    for token, number in vocabulary:
        body = token.removeprefix(model.continuation_prefix or "") or token
        kind = "special" if token in special else _kind(token, body, model)
        rows.append((number, token, roles.get(token, ""), kind, character_class(body)))
    return pd.DataFrame(rows, columns=["id", "token", "role", "kind", "character_class"])


def numbered_vocabulary(n_tokens: int) -> pd.DataFrame:
    """The table for a model without a tokenizer: tokens that are their own ids."""
    ids = range(n_tokens)
    return pd.DataFrame(
        {
            "id": ids,
            "token": [f"<{number}>" for number in ids],
            "role": "",
            "kind": "other",
            "character_class": "mixed",
        }
    )


def character_class(text: str) -> str:
    """latin, letter, digit, punctuation, symbol, or mixed when the characters differ.

    By Unicode's general category; `latin` are letters of the Latin script, `letter` those of
    any other, combining marks included.
    """
    classes = {_class_of(character) for character in text}
    return classes.pop() if len(classes) == 1 else "mixed"


def check_vocabulary(name: str, model: Model, table: pd.DataFrame, n_rows: int) -> None:
    """Stop unless each row of the input matrix is one token's.

    Raises:
        InputError: naming both sizes and the key that allows padding rows.
    """
    expected = n_rows - model.padding_rows
    if list(table["id"]) != list(range(expected)):
        raise InputError(
            f"{model_file(name)}: the tokenizer has {len(table)} tokens with ids "
            f"{table['id'].min()} to {table['id'].max()}, the input matrix {n_rows} rows, of "
            f"which 'padding_rows' names {model.padding_rows} as no token's"
        )


def _read_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    except Exception as error:  # the tokenizers library raises bare Exception
        raise InputError(f"{folder}: the tokenizer cannot be read: {error}") from error


def _roles(tokenizer: Any) -> dict[str, str]:
    return {
        str(token): role.removesuffix("_token")
        for role, token in tokenizer.special_tokens_map.items()
        if isinstance(token, str)
    }


def _kind(token: str, body: str, model: Model) -> str:
    if model.unused_tokens and re.fullmatch(model.unused_tokens, token):
        return "unused"
    if model.continuation_prefix and token.startswith(model.continuation_prefix):
        return "subword"
    if body.isascii() and body.isdigit():
        return "digit"
    return "word" if body.isalpha() else "other"


def _class_of(character: str) -> str:
    category = unicodedata.category(character)[0]
    if category == "L":
        return "latin" if "LATIN" in unicodedata.name(character, "") else "letter"
    return {"M": "letter", "N": "digit", "P": "punctuation", "S": "symbol"}.get(category, "mixed")

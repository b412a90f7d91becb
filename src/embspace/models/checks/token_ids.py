"""Checks that each token of a tokenizer.json has a row in the input matrix, and loads neither."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.files.json_keys import read_json
from embspace.models.checks.model_heads import rows_of_input
from embspace.settings.model import Model

TOKENIZER = "tokenizer.json"


def check_token_ids(model: Model, folder: Path) -> None:
    """Stop at a token with a number outside the rows; unknown formats are not checked.

    Raises:
        InputError: naming the token, the number and the number of rows.
    """
    file, n_rows = folder / TOKENIZER, rows_of_input(model, folder)
    if n_rows is None or not file.is_file():
        return
    try:
        content = read_json(file)
    except InputError:
        return  # what loads the tokenizer tells that
    for token, number in _numbered(content):
        if number >= n_rows:
            raise InputError(
                f"{file}: the token {token!r} has the number {number}, allowed: under the "
                f"{n_rows:,} rows of the input matrix"
            )


def _numbered(content: Any) -> Iterator[tuple[str, int]]:
    """Yield individually numbered tokens, as in WordPiece and BPE, and added tokens."""
    if not isinstance(content, dict):
        return
    model, added = content.get("model"), content.get("added_tokens")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict):
        yield from ((token, n) for token, n in vocabulary.items() if type(n) is int)
    for token in added if isinstance(added, list) else ():
        if isinstance(token, dict) and type(token.get("id")) is int:
            yield str(token.get("content")), token["id"]

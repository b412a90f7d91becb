"""Reads tokenizer.json itself, and finds the differences from a class of transformers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from embspace.errors import InputError, reason_of

FILE = "tokenizer.json"
# Parts of the file by the names that a reader is told.
PARTS = {
    "normalizer": "normalizer",
    "pre_tokenizer": "pre-tokenizer",
    "model": "model",
    "post_processor": "post-processor",
    "decoder": "decoder",
    "added_tokens": "added tokens",
}


@contextmanager
def readable(place: Path) -> Iterator[None]:
    """Turn any error of the tokenizers library into an `InputError` that names `place`."""
    try:
        yield
    except InputError:
        raise
    except BaseException as error:
        if not is_of_library(error):
            raise
        raise InputError(f"{place}: the tokenizer cannot be read: {reason_of(error)}") from error


def is_of_library(error: BaseException) -> bool:
    """Return whether an error may come from a tokenizer: any `Exception`, or a panic."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def is_of_rust(error: BaseException) -> bool:
    """Return whether the tokenizers library raised an error at a text: a bare one, or a panic."""
    return type(error) is Exception or type(error).__name__ == "PanicException"


def read_file(folder: Path) -> Any:
    """The `tokenizers.Tokenizer` of tokenizer.json, without truncation and padding.

    A byte order mark is left out. Truncation and padding in the file are for batches, and dropout,
    with random merges of BPE, is for training.

    Raises:
        InputError: if the file cannot be read, or the library numbers an added token differently.
    """
    from tokenizers import Tokenizer

    with readable(folder):
        text = (folder / FILE).read_text(encoding="utf-8-sig")
        tokenizer = Tokenizer.from_str(text)
    if getattr(tokenizer.model, "dropout", None):
        tokenizer.model.dropout = None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    _check_numbers(tokenizer, json.loads(text).get("added_tokens") or [], folder / FILE)
    return tokenizer


def _check_numbers(tokenizer: Any, added: list[dict[str, Any]], file: Path) -> None:
    """Stop if an added token has a different id than in its file, as behind a gap in the ids."""
    for token in added:
        number = tokenizer.token_to_id(token["content"])
        if number != token["id"]:
            raise InputError(
                f"{file}: has the added token {token['content']!r} as number {token['id']}, which "
                f"the library tokenizers reads as {number}; added tokens follow the vocabulary"
            )


def differing_parts(own: Any, made: Any) -> list[str]:
    """Return the parts, named for a reader, in which `made` differs from the file's tokenizer.

    Both are objects of the tokenizers library. Truncation and padding of `made` are switched off.
    """
    made.no_truncation()
    made.no_padding()
    texts = own.to_str(), made.to_str()
    if texts[0] == texts[1]:
        return []
    file, other = (json.loads(text) for text in texts)
    if own.encode("").tokens == made.encode("").tokens:
        file["post_processor"] = other["post_processor"]  # they frame a text alike
    return [name for part, name in PARTS.items() if _plain(file[part]) != _plain(other[part])]


def _plain(part: Any) -> Any:
    """Return a part with a single form for nothing, such as no prefix."""
    if isinstance(part, dict):
        return {key: _plain(value) for key, value in part.items() if value not in (None, "")}
    return part

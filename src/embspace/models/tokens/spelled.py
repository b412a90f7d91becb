"""Keeps special tokens that a text spells, such as [SEP] or <pad>, from passing as the model's."""

import re
from typing import Any

from embspace.models.tokens.file import is_of_rust


def read_as_text(tokenizer: Any) -> None:
    """Make a tokenizer of transformers read a spelled special token as any other text.

    Ids of special tokens then come only from the frame. Some models have special tokens as ordinary
    pieces (SentencePiece's `<pad>` in a Unigram, words between spaces): a last step of the
    pre-tokenizer then splits off the first character. Nothing else changes.
    """
    tokenizer.split_special_tokens = True
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    if pieces := [token for token in _special(tokenizer) if _is_piece(backend, token)]:
        backend.pre_tokenizer = _parting(backend.pre_tokenizer, pieces)


def _special(tokenizer: Any) -> list[str]:
    added = tokenizer.backend_tokenizer.get_added_tokens_decoder().values()
    listed = [token.content for token in added if token.special]
    return sorted({*listed, *tokenizer.all_special_tokens})


def _is_piece(backend: Any, token: str) -> bool:
    """Return whether the model makes the token from a text that spells it."""
    if len(token) < 2:
        return False  # a character cannot be parted, and is a text's like any other
    try:
        encoded = backend.encode(f"a {token} a", add_special_tokens=False)
    except BaseException as error:  # as of WordPiece without a token for what it does not know
        if not is_of_rust(error):
            raise
        return False
    number = backend.token_to_id(token)
    read = zip(encoded.ids, encoded.offsets, strict=True)
    return any(made == number and end - start >= len(token) for made, (start, end) in read)


def _parting(step: Any, tokens: list[str]) -> Any:
    """Return a pre-tokenizer that, after `step`, splits off the first character of tokens."""
    from tokenizers import Regex, pre_tokenizers

    pattern = "|".join(f"{re.escape(token[0])}(?={re.escape(token[1:])})" for token in tokens)
    parting = pre_tokenizers.Split(Regex(pattern), "isolated")
    return parting if step is None else pre_tokenizers.Sequence([step, parting])

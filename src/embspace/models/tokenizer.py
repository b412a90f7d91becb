"""Loads a model's tokenizer and makes a table of its vocabulary."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd

from embspace.errors import InputError
from embspace.models.locate import locate_files
from embspace.models.spelling import Spelling, spelling_of
from embspace.models.tokens.file import read_file
from embspace.models.tokens.read import read_folder
from embspace.models.tokens.spelled import read_as_text
from embspace.scripts.words import is_word
from embspace.settings.model import (
    Files,
    FolderModel,
    Model,
    Network,
    RandomModel,
    VectorsModel,
    WheelModel,
    model_file,
)

# Any of these makes a tokenizer, in the order in which one is taken.
FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spm.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
ELSEWHERE = (
    "where a training has left it with the model it began with, name that one's folder by "
    "`--tokenizer FOLDER`, or by the key `tokenizer`"
)
# A token that stands for several things has the first of these.
ROLES = ("cls", "sep", "mask", "pad", "bos", "eos", "unk")
TYPES_ARE_LEFT_OUT = (
    "Its tokenizer's file gives the tokens of a text different token types; texts are read without "
    "these, as by transformers' own call."
)
NO_TOKEN = "no token "  # begins the name of an id that the vocabulary leaves out


def tokenizer_files(model: Model) -> Files | None:
    """Return the source of the tokenizer; None for vectors, or random weights without a source."""
    if isinstance(model, VectorsModel):
        return None
    if isinstance(model, WheelModel | FolderModel):
        return model.tokenizer or model
    return model.tokenizer if isinstance(model, RandomModel) else model


def load_tokenizer(name: str, model: Model) -> Any:
    """Return the fast tokenizer of `name`.

    Raises:
        InputError: if there is none, or its files cannot be read.
    """
    files = tokenizer_files(model)
    if files is None:
        raise InputError(f"{model_file(name)}: has no 'tokenizer', which texts need")
    folder = locate_files(name, files)
    if not any((folder / file).is_file() for file in FILES):
        raise InputError(
            f"{folder}: no {FILES[0]}, nor any of {', '.join(FILES[1:])}; {ELSEWHERE}. A class "
            "that reads characters or bytes has none, and does not say where in a text a token is"
        )
    return read_tokenizer(folder)


def load_spelling(name: str, model: Model) -> Spelling | None:
    """Return the spelling of a model's tokenizer; None without a tokenizer."""
    if tokenizer_files(model) is None:
        return None
    return _spelling(load_tokenizer(name, model))


def vocabulary_table(name: str, tokenizer: Any, model: Network) -> pd.DataFrame:
    """One row an id: id, token, role, kind, character_class.

    An id missing from the vocabulary is unused, with a name that no token has. `role` is the
    model's use of a special token (cls, sep, mask, …), else empty. `kind` is the first fitting kind
    of: special; unused (reserved by the model's makers); subword (goes on inside a word); digit
    (ASCII digits); word (letters of any script, with marks); other. Where tokenizers mark the
    starts of words, a subword is letters without the mark: a comma has no mark either.
    `character_class` is `character_class()` of the token without the mark, with bytes read as text.

    Raises:
        InputError: if the model's file names a different mark than the tokenizer's.
    """
    spelling = _spelling(tokenizer)
    _check_marks(name, model, spelling)
    roles = _roles(tokenizer)
    special = set(tokenizer.all_special_tokens)
    is_marked = model.continuation_prefix or model.word_prefix
    there, rows = tokenizer.get_vocab(), []
    for number, token in enumerate(names_by_id(tokenizer)):
        body = (spelling.word_form(token) or "") if is_marked else token
        kind = "special" if token in special else _kind(token, body, model)
        kind = kind if token in there else "unused"
        shown = token if kind in ("special", "unused") else body
        rows.append((number, token, roles.get(token, ""), kind, character_class(shown)))
    return pd.DataFrame(rows, columns=["id", "token", "role", "kind", "character_class"])


def names_by_id(tokenizer: Any) -> list[str]:
    """Return the tokens in the order of their ids, from 0 on.

    An id that the vocabulary leaves out, as in camembert-base or where a line of vocab.txt stands
    twice, is named by its number.
    """
    backend = tokenizer.backend_tokenizer
    last = max(backend.get_vocab().values())
    named = ((number, backend.id_to_token(number)) for number in range(last + 1))
    return [f"{NO_TOKEN}{number}" if token is None else token for number, token in named]


def numbered_vocabulary(n_tokens: int) -> pd.DataFrame:
    """Return the table for a model without a tokenizer: the tokens are their own ids."""
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


def kind_of_text(text: str) -> str:
    """Return the kind of a text: digit (ASCII digits), word (letters of any script), or other."""
    if text.isascii() and text.isdigit():
        return "digit"
    return "word" if is_word(text) else "other"


def character_class(text: str) -> str:
    """Return latin, letter, digit, punctuation, symbol, or mixed if the characters differ.

    By Unicode's general category; `latin` are letters of the Latin script, `letter` those of any
    other, combining marks included.
    """
    classes = {_class_of(character) for character in text}
    return classes.pop() if len(classes) == 1 else "mixed"


def check_vocabulary(name: str, model: Network, table: pd.DataFrame, n_rows: int) -> None:
    """Stop unless the rows of the input matrix and the tokens match one to one.

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


def read_tokenizer(folder: Path) -> Any:
    """The fast tokenizer of a folder in the hub's layout.

    The tokenizer has every part of tokenizer.json, if present, and reads special tokens spelled by
    a text as text. Windows begin at the start of a text, whatever side the files would cut.

    Raises:
        InputError: if the tokenizer cannot be read, or only a slow tokenizer exists.
    """
    tokenizer = read_folder(folder).tokenizer
    tokenizer.truncation_side = "right"
    if set(tokenizer.get_vocab()) <= {*tokenizer.all_special_tokens}:
        raise InputError(f"{folder}: the tokenizer has special tokens alone, which no text is of")
    read_as_text(tokenizer)
    return tokenizer


def tokenizer_note(name: str, model: Model) -> str:
    """Notes for a reader: a tokenizer's class differs from the file, or ignored token types.

    "" without notes, and without a tokenizer.
    """
    files = tokenizer_files(model)
    if files is None or isinstance(model, VectorsModel):
        return ""
    folder = locate_files(name, files)
    reading, file = read_folder(folder), folder / FILES[0]
    own = read_file(folder) if file.is_file() else reading.tokenizer.backend_tokenizer
    left_out = any(own.encode("a").type_ids) and model.token_types is None
    return " ".join(filter(None, [reading.note, TYPES_ARE_LEFT_OUT if left_out else ""]))


def _spelling(tokenizer: Any) -> Spelling:
    return spelling_of(json.loads(tokenizer.backend_tokenizer.to_str()))


def _check_marks(name: str, model: Network, spelling: Spelling) -> None:
    for key, marks in {"continuation_prefix": "continuation", "word_prefix": "word_start"}.items():
        given = getattr(model, key)
        if given is not None and (marks, given) != (spelling.marks, spelling.marker):
            raise InputError(
                f"{model_file(name)}: key '{key}': found '{given}', but the tokenizer marks "
                f"{spelling.marks.replace('_', ' ')} with '{spelling.marker}'"
            )


def _roles(tokenizer: Any) -> dict[str, str]:
    named = {
        role.removesuffix("_token"): token
        for role, token in tokenizer.special_tokens_map.items()
        if isinstance(token, str)
    }
    order = [role for role in named if role not in ROLES] + list(reversed(ROLES))
    return {named[role]: role for role in order if role in named}  # the last one stays


def _kind(token: str, body: str, model: Network) -> str:
    if model.unused_tokens and re.fullmatch(model.unused_tokens, token):
        return "unused"
    if model.continuation_prefix and token.startswith(model.continuation_prefix):
        return "subword"
    if model.word_prefix and not token.startswith(model.word_prefix) and is_word(body):
        return "subword"
    return kind_of_text(body)


def _class_of(character: str) -> str:
    category = unicodedata.category(character)[0]
    if category == "L":
        return "latin" if "LATIN" in unicodedata.name(character, "") else "letter"
    return {"M": "letter", "N": "digit", "P": "punctuation", "S": "symbol"}.get(category, "mixed")

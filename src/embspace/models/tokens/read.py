"""Makes a tokenizer of a folder: the file's parts, with names and limits from the class.

transformers rebuilds many classes from vocabulary and merges, and ignores the rest of
tokenizer.json: a cased BERT would be lower-cased. The file itself therefore runs.
"""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embspace.errors import InputError, reason_of
from embspace.files.json_keys import check_pointers, read_keys
from embspace.models.tokens.file import FILE, differing_parts, is_of_library, read_file, readable

CONFIG, NAMES = "tokenizer_config.json", "special_tokens_map.json"
EXTRA = ("extra_special_tokens", "additional_special_tokens")  # now, and in older releases
LONGEST, INPUTS = "model_max_length", "model_input_names"


@dataclass(frozen=True)
class Reading:
    """A tokenizer, with notes for readers of the numbers."""

    tokenizer: Any
    note: str = ""
    """A sentence; "" if class and file agree, or the file is missing."""


def read_folder(folder: Path) -> Reading:
    """The fast tokenizer of a folder in the hub's layout, from tokenizer.json if present.

    Raises:
        InputError: if the tokenizer cannot be read, is only slow, needs code of the folder, or has
            only special tokens.
    """
    check_pointers(folder)
    own = read_file(folder) if (folder / FILE).is_file() else None
    try:
        made = _auto_tokenizer(folder)
    except BaseException as error:
        if not is_of_library(error):
            raise
        if own is None or _needs_code(folder):
            _check_sentencepiece(folder)
            with readable(folder):
                raise
        return _as_file_says(own, _Names.written_in(folder), f"fails ({reason_of(error)})")
    if own is None:
        _check_fast(folder, made)
        return Reading(made)
    names = _Names.known_to(made)
    if not made.is_fast:
        return _as_file_says(own, names, f"is {type(made).__name__}, a slow one")
    if differing := differing_parts(own, made.backend_tokenizer):
        another = " and ".join(", ".join(differing).rsplit(", ", 1))
        return _as_file_says(own, names, f"{type(made).__name__} has another {another}")
    return Reading(made)


def _auto_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    # Without a word on code, transformers asks the user whether to run the folder's own.
    return AutoTokenizer.from_pretrained(
        folder, local_files_only=True, use_fast=True, trust_remote_code=False
    )


def _needs_code(folder: Path) -> bool:
    return "AutoTokenizer" in (_options(folder / CONFIG).get("auto_map") or {})


def _check_sentencepiece(folder: Path) -> None:
    """Name the package that reads a SentencePiece model, if it is missing."""
    from importlib.util import find_spec

    models = sorted(folder.glob("*.model"))
    if models and not (folder / FILE).is_file() and find_spec("sentencepiece") is None:
        raise InputError(
            f"{models[0]}: needs the package sentencepiece, by which transformers makes "
            f"{FILE} of it; install it, or save the tokenizer where it is installed"
        )


def _check_fast(folder: Path, made: Any) -> None:
    if not made.is_fast:
        raise InputError(
            f"{folder}: of its files only a slow tokenizer, {type(made).__name__}, can be made, "
            "which does not say where in the text a token stands; tokenizer.json would: convert it "
            "with transformers.convert_slow_tokenizer, if that knows the class, and save it there"
        )


@dataclass(frozen=True)
class _Names:
    """Facts missing in the file: the roles of special tokens, and how many tokens are read."""

    roles: dict[str, str]
    """For example cls_token -> [CLS]."""
    extra: list[str]
    longest: int | None
    inputs: list[str] | None
    """What a call gives a model: ids, and with some classes the types of tokens."""

    @classmethod
    def known_to(cls, made: Any) -> "_Names":
        roles = {role: str(token) for role, token in made.special_tokens_map.items() if token}
        roles = {role: token for role, token in roles.items() if role not in EXTRA}
        extra = [str(token) for token in made.extra_special_tokens]
        return cls(roles, extra, made.model_max_length, list(made.model_input_names))

    @classmethod
    def written_in(cls, folder: Path) -> "_Names":
        """Read the names from the files beside tokenizer.json, where no class can be made."""
        options = _options(folder / NAMES) | _options(folder / CONFIG)
        roles = {
            key: _content(value)
            for key, value in options.items()
            if key.endswith("_token") and isinstance(value, str | dict)
        }
        listed = [token for key in EXTRA for token in options.get(key) or ()]
        special = [_content(token) for token in listed]
        return cls(roles, special, options.get(LONGEST), options.get(INPUTS))


def _content(token: Any) -> str:
    """Return a token that is written as a text, or with options."""
    return str(token["content"] if isinstance(token, dict) else token)


def _options(file: Path) -> dict[str, Any]:
    return read_keys(file) if file.is_file() else {}


def _as_file_says(own: Any, names: _Names, why: str) -> Reading:
    """Return the file's tokenizer in transformers' general class, and a sentence that says why."""
    from transformers import PreTrainedTokenizerFast

    known = own.get_vocab()
    roles: dict[str, Any] = {role: word for role, word in names.roles.items() if word in known}
    if names.longest is not None:
        roles[LONGEST] = names.longest
    if names.inputs is not None:
        roles[INPUTS] = names.inputs
    extra = [token for token in names.extra if token in known and token not in roles.values()]
    general: Any = PreTrainedTokenizerFast
    tokenizer = general(
        tokenizer_object=own, extra_special_tokens=list(dict.fromkeys(extra)), **roles
    )
    # The class has added a frame where the file has none, and flags to tokens that have a role.
    tokenizer._tokenizer = own
    note = f"The tokenizer is as {FILE} says; what transformers makes of its class {why}."
    logging.getLogger(__name__).info("%s", note)
    return Reading(tokenizer, note)

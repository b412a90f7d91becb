"""Takes the words of a command that names the model first, and the older order for one release."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import typer

from embspace.errors import InputError

USUAL = "minilm"  # the model of an older call that names none


def model_first(
    command: str, words: Sequence[str], model: str | None, rest: Sequence[str]
) -> tuple[str, list[str]]:
    """Return the model and the other words of a command.

    Before, the model was an option: a call with a word less is read so, with a line that says what
    to write.

    Args:
        command: The name of the command.
        words: What stands behind it.
        model: What the older option says.
        rest: What each word behind the model is, for messages.

    Raises:
        InputError: if there are fewer or more words.
    """
    if model is None and len(words) == len(rest) + 1:
        return words[0], [*words[1:]]
    if len(words) != len(rest):
        allowed = " ".join(["MODEL", *rest])
        raise InputError(f"{command}: found {shlex.join(words) or 'nothing'}, allowed: {allowed}")
    return in_new_order(command, model or USUAL, words), [*words]


def model_and_words(
    command: str, words: Sequence[str], model: str | None, rest: str
) -> tuple[str, list[str]]:
    """Return the model and the other words of a command that takes any number of words.

    The first word is the model if one goes by that name and others follow; else the call is read
    as `model_first` reads an older one.

    Raises:
        InputError: if there is no word.
    """
    if model is None and len(words) > 1 and _is_model(words[0]):
        return words[0], [*words[1:]]
    return model_first(command, words, model or USUAL, [rest] * max(len(words), 1))


def in_new_order(command: str, model: str, words: Sequence[str]) -> str:
    """Say how a command of the older order is written now; return its model."""
    typer.echo(f"the model comes first: embspace {command} {shlex.join([model, *words])}", err=True)
    return model


def _is_model(word: str) -> bool:
    """Return whether a word is the name of a model or report, a model's folder, or a repository."""
    from embspace.app.describe import MODELS, placed
    from embspace.app.working_tree import TREES
    from embspace.settings.model import REPOSITORY
    from embspace.settings.roots import find_root

    root, here = find_root(), Path.cwd()
    is_known = (root / MODELS / f"{word}.yaml").is_file() or (root / TREES / word).is_dir()
    is_repository = re.fullmatch(REPOSITORY, word) is not None
    return is_known or is_repository or placed(word, root, here) != word

"""Takes the words of a command that names the model first, and the older order for one release."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import typer

from embspace.errors import InputError, did_you_mean

USUAL = "minilm"  # the model of an older call that names none


def model_first(
    command: str, words: Sequence[str], model: str | None, rest: Sequence[str]
) -> tuple[str, list[str]]:
    """Return the model and the other words of a command.

    In the older order the model was an option: a call with one word too few is read in that order,
    and a line says how to write it now.

    Args:
        command: The name of the command.
        words: The words behind the command.
        model: The value of the older option.
        rest: What each word behind the model means, for messages.

    Raises:
        InputError: if there are too few or too many words.
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

    The first word is the model if a model goes by that name and other words follow; else the call
    is read in the older order, as `model_first` does.

    Raises:
        InputError: if no word is given, or if the first word is nearly the name of a model.
    """
    if model is None and len(words) > 1:
        if _is_model(words[0]):
            return words[0], [*words[1:]]
        _check_spelling(command, words)
    return model_first(command, words, model or USUAL, [rest] * max(len(words), 1))


def in_new_order(command: str, model: str, words: Sequence[str]) -> str:
    """Say how a command in the older order is written now; return its model."""
    typer.echo(f"the model comes first: embspace {command} {shlex.join([model, *words])}", err=True)
    return model


def _is_model(word: str) -> bool:
    """Return whether a word names a model or report, or a model's folder or repository here."""
    from embspace.app.describe.description import MODELS
    from embspace.app.describe.names import is_fetched, placed
    from embspace.app.queries.reported import OPTION, REPORTS
    from embspace.app.working_tree import TREES
    from embspace.settings.roots import find_root

    root, here = find_root(), Path.cwd()
    if placed(word, root, here) != word:
        return True
    path = (here / word).resolve()
    is_report = path.is_dir() and path.parent == (root / REPORTS).resolve()
    if word in ("", "..") or Path(word).name != word:
        return is_report or is_fetched(word, root)
    has_tree = (root / TREES / word.partition(OPTION)[0]).is_dir()
    return is_report or has_tree or (root / MODELS / f"{word}.yaml").is_file()


def _check_spelling(command: str, words: Sequence[str]) -> None:
    """Stop if the first word is nearly the name of a model.

    Raises:
        InputError: with that name, and how to write the command if a word was meant.
    """
    from embspace.app.describe.description import MODELS
    from embspace.settings.roots import find_root

    word, names = words[0], [file.stem for file in (find_root() / MODELS).glob("*.yaml")]
    if meant := did_you_mean(word, names):
        line = shlex.join([USUAL, *words])
        raise InputError(
            f"{command}: '{word}' is no model{meant} If it is a word, name the model before it:\n"
            f"  embspace {command} {line}"
        )

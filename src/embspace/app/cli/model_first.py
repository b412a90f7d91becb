"""Takes the words of a command that names the model first, and the older order for one release."""

import shlex
from collections.abc import Sequence

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
    named = model or USUAL
    typer.echo(f"the model comes first: embspace {command} {shlex.join([named, *words])}", err=True)
    return named, [*words]

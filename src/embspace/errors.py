"""The error for mistakes of a user: the message names file, key, found and allowed."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from reprlib import Repr

_STEERING = r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # what may steer a terminal
_CONTROL = re.compile(f"[{_STEERING}]")
_BREAKING = re.compile(rf"[{_STEERING}\t\n\u2028\u2029]+")
# What was found may be long, or by YAML's aliases longer than memory.
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 200
_SHORT.maxlist = _SHORT.maxdict = 12
_SHORT.maxlevel = 2


class InputError(Exception):
    """An unfit input from outside; commands show the message without a traceback."""

    exit_code = 1
    """The exit code of a command that this error ends."""


class RefusedModel(InputError):
    """A model whose files cannot be read as its makers meant."""

    exit_code = 2


@contextmanager
def within(where: str) -> Iterator[None]:
    """Put `where`, a file or a key, before the message of an `InputError`."""
    try:
        yield
    except InputError as error:
        kind = RefusedModel if isinstance(error, RefusedModel) else InputError
        raise kind(f"{where}: {error}") from error.__cause__


def not_among(name: object, allowed: Collection[str], listed_by: str = "") -> str:
    """Return a message: found, perhaps meant, and allowed.

    For many names, `listed_by` is the command that lists the names.
    """
    meant = did_you_mean(name, allowed)
    start = f"found {name!r}{meant}"
    if listed_by:
        return f"{start}{'' if meant else ';'} `{listed_by}` lists all"
    return f"{start}{'' if meant else ','} allowed: {', '.join(allowed)}"


def did_you_mean(name: object, allowed: Collection[str]) -> str:
    """Return the allowed name most like `name`, to follow a message; "" without such a name."""
    close = get_close_matches(str(name), allowed, n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def visible(text: str) -> str:
    r"""Return `text` with control characters as \x1b, which steers no terminal; lines stay."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Return `text` with a space for every run of line breaks or terminal controls."""
    return _BREAKING.sub(" ", text)


def reason_of(error: BaseException) -> str:
    """Return an error's message in one line, or the kind for an empty message."""
    return " ".join(str(error).split()) or type(error).__name__


def shortened(value: object) -> str:
    """Return `value` as Python writes the value, cut if long or deep."""
    return _SHORT.repr(value)


def counted(n: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"

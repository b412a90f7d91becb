"""Patterns of what a model's files may hold unread: `--allow-unused`, key `allow_unused`."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

LISTED = 3  # names in a message


def not_allowed(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that fit none of the patterns, sorted; `*` stands for any characters."""
    return sorted(
        name for name in names if not any(fnmatchcase(name, pattern) for pattern in patterns)
    )


def way_out(names: Sequence[str]) -> str:
    """Return the end of a refusal: how to read a model without the parts that `names` stand for."""
    return f"if you know that no hidden state hangs on it, `--allow-unused '{names[0]}'`"


def listed(names: Sequence[str]) -> str:
    """Return the first few names, quoted."""
    more = f" and {len(names) - LISTED:,} more" if len(names) > LISTED else ""
    return ", ".join(f"'{name}'" for name in names[:LISTED]) + more

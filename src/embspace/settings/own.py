"""Descriptions of a user's own model or texts, which embspace has written without a file."""

from collections.abc import Mapping
from typing import Any

UNKNOWN = "unknown"


def own_description(label: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is `said` of a user's model or texts, with a label and no known license."""
    return {"label": label, "license": UNKNOWN, "language": UNKNOWN, **said}


def is_own(description: Mapping[str, Any]) -> bool:
    """Return whether a description is one of `own_description`."""
    return description.get("license") == description.get("language") == UNKNOWN


def called(name: str, description: Mapping[str, Any]) -> str:
    """Return what the user calls a model or corpus: their own by its folder or file.

    Its `name` has a suffix that tells equal names apart.
    """
    return str(description["label"]) if is_own(description) else name

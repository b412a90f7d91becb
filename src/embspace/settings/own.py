"""Descriptions of a user's own model or texts, written by embspace without a file."""

from collections.abc import Mapping
from typing import Any

UNKNOWN = "unknown"


def own_description(label: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description `said` of a user's model or texts, with label and unknown license."""
    return {"label": label, "license": UNKNOWN, "language": UNKNOWN, **said}


def is_own(description: Mapping[str, Any]) -> bool:
    """Return whether a description comes from `own_description`."""
    return description.get("license") == description.get("language") == UNKNOWN


def called(name: str, description: Mapping[str, Any]) -> str:
    """Return the user's name of a model or corpus; for own descriptions, the folder or file.

    The `name` itself has a suffix to tell equal names apart.
    """
    return str(description["label"]) if is_own(description) else name

"""Tiny models of other architectures, loaded as embspace loads them."""

from pathlib import Path
from typing import Any

from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.tiny import tiny_description
from tests.tiny_architectures import build_tiny

IDS = range(7, 19)


def load_tiny(kind: str, folder: Path, **different: Any) -> Any:
    """The module of a random model of an architecture."""
    folder = build_tiny(kind, folder / kind, **different)
    return load_model(kind, describe_model(kind, tiny_description(folder)))

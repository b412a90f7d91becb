"""Checks whether transformers can make a model of a config.json, without any weights."""

from pathlib import Path

from embspace.errors import InputError, reason_of
from embspace.models.architecture import empty_model, read_config
from embspace.models.checks.config_file import CONFIG


def check_architecture(folder: Path) -> None:
    """Stop at a config.json without a model in transformers.

    A missing config.json is reported by the loader.

    Raises:
        InputError: naming the file and transformers' message.
    """
    file = folder / CONFIG
    if not file.is_file():
        return
    try:
        empty_model(read_config(folder))
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    except Exception as error:  # what a config class raises depends on the architecture
        raise InputError(f"{file}: cannot be read: {reason_of(error)}") from error

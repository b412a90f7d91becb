"""Checks that a model can be made of the numbers in its config.json."""

import json
from pathlib import Path
from typing import Any

from embspace.errors import InputError, reason_of, shortened

CONFIG = "config.json"
MOST_LAYERS = 10_000  # of more, what is made of them without weights would fill the memory
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
SIZES = ("hidden_size", "vocab_size", "num_attention_heads")


def check_config(folder: Path) -> None:
    """Stop at a config.json that is no JSON, or has numbers that no model has.

    A folder without one is told by what loads the model.

    Raises:
        InputError: naming the file, the key, what was found and what is allowed.
    """
    file = folder / CONFIG
    if not file.is_file():
        return
    content = config_content(file)
    for key in (*LAYERS, *SIZES):
        if content.get(key) is None:
            continue
        most = MOST_LAYERS if key in LAYERS else None
        found, is_whole = content[key], type(content[key]) is int
        if not is_whole or found < 1 or (most is not None and found > most):
            bounds = f"from 1 to {most:,}" if most else "from 1"
            raise InputError(
                f"{file}: key '{key}': found {shortened(found)}, allowed: a whole number {bounds}"
            )


def config_content(file: Path) -> dict[str, Any]:
    """Return the keys and values of a config.json.

    Raises:
        InputError: if it is no JSON, or something else than keys and values.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file}: is no JSON: {reason_of(error)}") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: expected keys and values, found {shortened(content)}")
    return content

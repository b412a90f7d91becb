"""Checks that the numbers in a config.json make a model."""

from pathlib import Path

from embspace.errors import InputError, shortened
from embspace.files.json_keys import read_keys

CONFIG = "config.json"
MOST_LAYERS = 10_000  # of more, what is made of them without weights would fill the memory
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
SIZES = ("hidden_size", "vocab_size", "num_attention_heads")


def check_config(folder: Path) -> None:
    """Stop at a config.json that is no JSON, or has impossible numbers.

    A missing config.json is reported by the loader.

    Raises:
        InputError: naming the file, the key, found and allowed.
    """
    file = folder / CONFIG
    if not file.is_file():
        return
    content = read_keys(file)
    for key in (*LAYERS, *SIZES):
        if content.get(key) is None:
            continue
        most = MOST_LAYERS if key in LAYERS else None
        value, is_whole = content[key], type(content[key]) is int
        if not is_whole or value < 1 or (most is not None and value > most):
            bounds = f"from 1 to {most:,}" if most else "from 1"
            raise InputError(
                f"{file}: key '{key}': found {shortened(value)}, allowed: a whole number {bounds}"
            )

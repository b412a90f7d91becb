"""Scalar results: JSON, six significant digits, keys in the order of writing."""

import json
import math
from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.files.atomic import write_bytes


def save_scalars(scalars: dict[str, Any], path: str) -> None:
    """Write a nested dictionary of numbers and strings; NaN, which JSON lacks, becomes null."""
    text = json.dumps(_six_digits(scalars), indent=2, ensure_ascii=False, allow_nan=False)
    write_bytes(Path(path), f"{text}\n".encode())


def load_scalars(path: str) -> dict[str, Any]:
    """Return the numbers that `save_scalars` wrote."""
    try:
        content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: not found; `dvc repro` makes it") from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise InputError(f"{path}: is no JSON: {error}") from error
    return content


def _six_digits(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _six_digits(item) for key, item in value.items()}
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.6g}")
    return value

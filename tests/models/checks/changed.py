"""Copies of a small model with other keys in its config or other tensors in its weights."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save_file


def with_config(source: Path, target: Path, **different: Any) -> Path:
    """A copy whose config.json has these keys besides."""
    copy = shutil.copytree(source, target)
    content = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(content | different))
    return copy


def with_tensors(source: Path, target: Path, tensors: dict[str, np.ndarray]) -> Path:
    """A copy whose weights have these tensors besides."""
    copy = shutil.copytree(source, target)
    save(copy, load_file(copy / "model.safetensors") | tensors)
    return copy


def with_prefix(source: Path, target: Path, prefix: str) -> Path:
    """A copy in which every name of a tensor begins with `prefix`."""
    copy = shutil.copytree(source, target)
    stored = load_file(copy / "model.safetensors")
    save(copy, {f"{prefix}{name}": values for name, values in stored.items()})
    return copy


def save(folder: Path, tensors: dict[str, np.ndarray], file: str = "model.safetensors") -> None:
    """Write tensors as transformers does."""
    save_file(tensors, folder / file, metadata={"format": "pt"})

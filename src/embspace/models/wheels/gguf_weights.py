"""Reads config, weights and tokenizer of a model out of a GGUF file, in float32."""

import re
import struct
from pathlib import Path
from typing import Any

from embspace.errors import InputError, reason_of
from embspace.models.wheels.needed import needed

BLOCK = re.compile(r"(?:^|\.)blk\.(\d+)\.")  # in the names of a layer's tensors
N_BLOCKS = re.compile(r"[^.]+\.block_count")  # after the architecture


def check_gguf(file: Path) -> None:
    """Stop unless all tensors of a GGUF file are whole and of a known quantization.

    Raises:
        InputError: if it is no GGUF file, is cut off, states another number of layers than it has
            tensors of, or has a tensor of an unknown quantization.
    """
    reader = _reader(file)
    _check_layers(file, reader)
    for tensor in reader.tensors:
        kind = tensor.tensor_type
        try:
            needed("gguf").dequantize(tensor.data[:1], kind)
        except NotImplementedError:
            raise InputError(
                f"{file.name}: '{tensor.name}' is in {kind.name}, which the package gguf does not "
                "read"
            ) from None


def _reader(file: Path) -> Any:
    gguf = needed("gguf")
    try:
        return gguf.GGUFReader(file)
    except (ValueError, KeyError, IndexError, OverflowError, struct.error, OSError) as error:
        raise InputError(
            f"{file.name}: is no GGUF file, is cut off, or has a quantization that the package "
            f"gguf does not know: {error}"
        ) from error


def _check_layers(file: Path, reader: Any) -> None:
    """Stop if transformers would leave layers out, or make more than memory holds."""
    numbers = [int(match[1]) for tensor in reader.tensors if (match := BLOCK.search(tensor.name))]
    n_layers = max(numbers, default=-1) + 1
    for key, field in reader.fields.items():
        if N_BLOCKS.fullmatch(key) and (declared := field.contents()) != n_layers:
            raise InputError(
                f"{file.name}: '{key}': found {declared}, but the tensors are of {n_layers} layers"
            )


def read_gguf(file: Path) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Return config, parameters by their names in transformers, and tokenizer of a GGUF file.

    Raises:
        InputError: if the file is damaged, or of an architecture that transformers does not read,
            or if a parameter is missing.
    """
    check_gguf(file)
    needed("accelerate")
    import torch
    from transformers import AutoModel, AutoTokenizer

    place: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True}
    try:
        module, loading = AutoModel.from_pretrained(
            file.parent, dtype=torch.float32, output_loading_info=True, **place
        )
        tokenizer = AutoTokenizer.from_pretrained(file.parent, **place)
    except Exception as error:  # what is raised depends on the architecture and on the number
        said = reason_of(error)
        raise InputError(f"{file.name}: cannot be read by transformers: {said}") from error
    if missing := sorted(loading["missing_keys"]):
        raise InputError(f"{file.name}: lacks {len(missing)} parameters: {missing[:5]}")
    return _config(module.config), module.state_dict(), tokenizer


def _config(config: Any) -> dict[str, Any]:
    """Return the config without the keys that name a path or a release of transformers."""
    content = config.to_dict()
    for key in ("transformers_version", "_name_or_path", "quantization_config"):
        content.pop(key, None)
    return content

"""Checks that the weights in safetensors are floating-point numbers; reads only their heads."""

from pathlib import Path

from embspace.errors import InputError
from embspace.models.locate import weight_files

FLOATS = ("F64", "F32", "F16", "BF16")


def check_weight_types(folder: Path) -> None:
    """Stop at weights that are whole numbers, which quantization writes beside their scales.

    transformers would read each as the number that it is. Tensors that are no weights, such as
    numbers of positions and masks, may be of any type. Nothing is known of pickles.

    Raises:
        InputError: naming the file, the tensor, its type, and what is allowed.
    """
    for file in weight_files(folder):
        for name, kind in _types(file).items():
            if name.endswith(".weight") and kind not in FLOATS:
                raise InputError(
                    f"{file}: '{name}' is of the type {kind}, allowed: {', '.join(FLOATS)}; "
                    "of a quantized model take the file from before that"
                )


def _types(file: Path) -> dict[str, str]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as tensors:
            return {name: tensors.get_slice(name).get_dtype() for name in tensors.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise InputError(f"{file}: is no whole safetensors file: {error}") from error

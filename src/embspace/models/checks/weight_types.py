"""Checks that the weights in safetensors are floating-point numbers; reads only their heads."""

from pathlib import Path

from embspace.errors import InputError, RefusedModel
from embspace.models.checks.weight_keys import BUFFERS
from embspace.models.locate import weight_files

FLOATS = ("F64", "F32", "F16", "BF16")
WEIGHTS = (".weight", ".bias", ".gamma", ".beta")


def check_weight_types(folder: Path) -> None:
    """Stop at weights of another type, such as quantization writes beside their scales.

    transformers would read each number as it is, without its scale. Tensors that are no weights,
    such as numbers of positions and masks, may be of any type. Nothing is known of pickles.

    Raises:
        RefusedModel: naming the file, the tensor, its type, and what is allowed.
    """
    for file in weight_files(folder):
        for name, kind in _types(file).items():
            if kind not in FLOATS and name.endswith(WEIGHTS) and not BUFFERS.search(name):
                raise RefusedModel(
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

"""Checks that the weights in safetensors are floating-point numbers; reads only the headers."""

from pathlib import Path

from embspace.errors import InputError, RefusedModel
from embspace.models.checks.weight_keys import BUFFERS
from embspace.models.locate import weight_files

FLOATS = ("F64", "F32", "F16", "BF16")
WEIGHTS = (".weight", ".bias", ".gamma", ".beta")


def check_weight_types(folder: Path) -> None:
    """Stop at weights of an unexpected type, such as quantized weights beside scales.

    transformers would read the numbers without the scale. Tensors that are no weights, such as
    position numbers and masks, may be of any type. Pickles are not checked.

    Raises:
        RefusedModel: naming the file, the tensor, the type, and the allowed types.
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

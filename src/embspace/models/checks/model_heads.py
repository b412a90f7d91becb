"""Checks that a checkpoint has the output matrix and the masked head that a model's file names.

The headers of safetensors say so, before any weight is read. A matrix whose rows are not tokens
would be read as words all the same, and wrongly.
"""

from pathlib import Path

from embspace.errors import InputError, did_you_mean
from embspace.files.tensors import listed_shapes
from embspace.models.locate import weight_files
from embspace.settings.model import Model, RandomModel, VectorsModel, model_file

# A norm's parameters have the second ending in checkpoints made of TensorFlow's.
OLD = {".weight": ".gamma", ".bias": ".beta"}


def check_head(name: str, model: Model, folder: Path) -> None:
    """Stop unless `folder` has what `matrices.output` and `masked_head` name, with a row per token.

    Pickles are not checked.

    Raises:
        InputError: naming the key, what was found and what is allowed.
    """
    if isinstance(model, VectorsModel | RandomModel):
        return
    shapes = _shapes(folder)
    n_rows = _rows_of(model.matrices.input, shapes)
    if n_rows is None:
        return
    allowed = {n_rows, n_rows - model.padding_rows}
    if model.matrices.output is not None:
        _check_rows(name, "matrices.output", model.matrices.output, shapes, 2, allowed)
    if (head := model.masked_head) is not None:
        for key, parameter in {"dense": head.dense, "norm": head.norm}.items():
            _shape_of(name, f"masked_head.{key}", f"{parameter}.weight", shapes)
        if head.bias is not None:
            _check_rows(name, "masked_head.bias", head.bias, shapes, 1, allowed)


def rows_of_input(model: Model, folder: Path) -> int | None:
    """Return the rows of the input matrix in a checkpoint; None where the headers do not say."""
    if isinstance(model, VectorsModel | RandomModel):
        return None
    return _rows_of(model.matrices.input, _shapes(folder))


def _shapes(folder: Path) -> dict[str, list[int]]:
    shapes: dict[str, list[int]] = {}
    for file in weight_files(folder):
        shapes |= listed_shapes(str(file))
    return shapes


def _rows_of(table: str, shapes: dict[str, list[int]]) -> int | None:
    """Return the rows of the input matrix; the stored name may have a prefix such as `bert.`."""
    for parameter, shape in shapes.items():
        if parameter == table or parameter.endswith(f".{table}"):
            return shape[0]
    return None


def _shape_of(name: str, key: str, parameter: str, shapes: dict[str, list[int]]) -> list[int]:
    spelled = [parameter, *(f"{parameter.removesuffix(end)}{OLD[end]}" for end in OLD)]
    shape = next((shapes[known] for known in spelled if known in shapes), None)
    if shape is None:
        hint = did_you_mean(parameter, shapes)
        raise InputError(
            f"{model_file(name)}: key '{key}': the weights have no '{parameter}'{hint}"
        )
    return shape


def _check_rows(
    name: str,
    key: str,
    parameter: str,
    shapes: dict[str, list[int]],
    n_axes: int,
    allowed: set[int],
) -> None:
    shape = _shape_of(name, key, parameter, shapes)
    if len(shape) != n_axes or shape[0] not in allowed:
        rows = " or ".join(f"{n_rows:,}" for n_rows in sorted(allowed))
        what = "a matrix of" if n_axes == 2 else "a vector of"
        raise InputError(
            f"{model_file(name)}: key '{key}': found '{parameter}' of the shape {tuple(shape)}, "
            f"allowed: {what} {rows} rows, one a token"
        )

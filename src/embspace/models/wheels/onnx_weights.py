"""Reads the weights of a transformers model out of the ONNX graph that was exported from it."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from embspace.errors import InputError, counted
from embspace.models.architecture import empty_model
from embspace.models.wheels.needed import needed

LEFT_OUT = "pooler."  # is no embedding space, and exports for sentences do without it
SHOWN = 5  # names in a message


def onnx_weights(file: Path, config: Any) -> dict[str, np.ndarray]:
    """Return the parameters of an ONNX file, by names of the architecture `config`.

    An exporter keeps the names of parameters behind a prefix, but stores matrices of products
    transposed and without names: a matrix is identified by the bias added to the product.

    Raises:
        InputError: if the file is no ONNX; if a parameter is missing, unknown to the architecture,
            of a different shape or not in float32.
    """
    graph = _read_graph(file)
    expected = {key: tuple(value.shape) for key, value in empty_model(config).state_dict().items()}
    stored = {tensor.name: tensor for tensor in graph.initializer}
    prefix = _prefix(stored, expected)
    _check_known(file, stored, expected, prefix)
    places = _places(file, graph, stored, expected, prefix)
    transposed = {node.input[1] for node in graph.node if node.op_type == "MatMul"}
    weights = {}
    for name, place in places.items():
        value = _value(file, stored[place])
        weights[name] = np.ascontiguousarray(value.T if place in transposed else value)
        if weights[name].shape != expected[name]:
            raise InputError(
                f"{file.name}: '{name}' has shape {weights[name].shape}, by config {expected[name]}"
            )
    return weights


def _read_graph(file: Path) -> Any:
    onnx = needed("onnx")
    from google.protobuf.message import DecodeError

    try:
        return onnx.load(file, load_external_data=False).graph
    except DecodeError as error:
        raise InputError(f"{file.name}: is no ONNX file: {error}") from error


def _prefix(stored: Collection[str], expected: Collection[str]) -> str:
    """Return the prefix that most names of parameters share."""
    prefixes = Counter(
        name.removesuffix(tail) for name in stored for tail in _tails(name) if tail in expected
    )
    return prefixes.most_common(1)[0][0] if prefixes else ""


def _tails(name: str) -> Iterator[str]:
    """Return a name, and the rest of it after each dot."""
    parts = name.split(".")
    return (".".join(parts[start:]) for start in range(len(parts)))


def _check_known(
    file: Path, stored: Collection[str], expected: Collection[str], prefix: str
) -> None:
    """Stop if the graph has layers that the config does not know."""
    names = {name.removeprefix(prefix) for name in stored if name.startswith(prefix)}
    parameters = {name for name in names if name.endswith((".weight", ".bias"))}
    if unknown := sorted(parameters - set(expected)):
        raise InputError(f"{file.name}: config has no {_listed(unknown)}")


def _places(
    file: Path, graph: Any, stored: Collection[str], expected: Collection[str], prefix: str
) -> dict[str, str]:
    """Return the name in the graph of each parameter."""
    fed = _fed(file, graph, stored)
    places = {}
    for name in expected:
        if f"{prefix}{name}" in stored:
            places[name] = f"{prefix}{name}"
        elif name.endswith(".weight") and f"{prefix}{name[:-6]}bias" in fed:
            places[name] = fed[f"{prefix}{name[:-6]}bias"]
    missing = [name for name in expected if name not in places and not name.startswith(LEFT_OUT)]
    if missing:
        raise InputError(f"{file.name}: has no {_listed(missing)}, which config asks for")
    return places


def _fed(file: Path, graph: Any, stored: Collection[str]) -> dict[str, str]:
    """Return the matrices by the bias added to the product."""
    products = {
        node.output[0]: node.input[1]
        for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in stored
    }
    fed: dict[str, str] = {}
    for one, other in (node.input for node in graph.node if node.op_type == "Add"):
        bias, product = (one, other) if one in stored else (other, one)
        if bias not in stored or product not in products:
            continue
        if fed.setdefault(bias, products[product]) != products[product]:
            raise InputError(f"{file.name}: '{bias}' is the bias of several matrices")
    return fed


def _value(file: Path, tensor: Any) -> np.ndarray:
    onnx = needed("onnx")
    if tensor.data_type != onnx.TensorProto.FLOAT:
        number_type = onnx.TensorProto.DataType.Name(tensor.data_type)
        raise InputError(f"{file.name}: '{tensor.name}' is in {number_type}, allowed: FLOAT")
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise InputError(f"{file.name}: '{tensor.name}' is in another file, which is not read")
    try:
        return onnx.numpy_helper.to_array(tensor)
    except ValueError as error:
        raise InputError(f"{file.name}: '{tensor.name}' is damaged: {error}") from error


def _listed(names: Collection[str]) -> str:
    more = counted(len(names) - SHOWN, "other") if len(names) > SHOWN else ""
    return ", ".join([*list(names)[:SHOWN], *filter(None, [more])])

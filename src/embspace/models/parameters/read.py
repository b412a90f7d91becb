"""Reads all parameters of a model that can be compared with the vocabulary."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.errors import InputError, within
from embspace.models.matrices import learned_matrices
from embspace.models.parameters.arrays import float_array
from embspace.models.parameters.checkpoint import checkpoint_tensors
from embspace.models.parameters.layers import LayerParameters, layer_parameters
from embspace.models.parameters.masked_head import (
    HeadTransform,
    head_of_module,
    read_masked_head,
)
from embspace.models.tokenizer import (
    check_vocabulary,
    load_tokenizer,
    names_by_id,
    numbered_vocabulary,
    tokenizer_files,
    vocabulary_table,
)
from embspace.models.weights import load_model
from embspace.settings.model import Model, Network, VectorsModel, model_file


@dataclass(frozen=True, eq=False)
class FinalNorm:
    """The norm after the last block: scale * (h - mean) / spread + shift."""

    scale: Float[np.ndarray, " dim"]
    shift: Float[np.ndarray, " dim"] | None
    epsilon: float
    is_centered: bool
    """True if the mean is subtracted, False for a root mean square norm."""

    def __call__(self, x: Float[np.ndarray, "row dim"]) -> Float[np.ndarray, "row dim"]:
        """Return states after the norm."""
        states = x - x.mean(axis=1, keepdims=True) if self.is_centered else x
        spread = np.sqrt(np.square(states).mean(axis=1, keepdims=True) + self.epsilon)
        normed = states / spread * self.scale
        return normed if self.shift is None else normed + self.shift


@dataclass(frozen=True, eq=False)
class ModelParameters:
    """The parameters of a model, and the matrices that lead to and from the vocabulary."""

    layers: list[LayerParameters]
    """1..L."""
    input_embedding: Float[np.ndarray, "token dim"]
    """Mapped to the model's width where embeddings are factorised; without padding rows."""
    output_embedding: Float[np.ndarray, "token dim"]
    """The language-model head's own matrix, if present, else the input embedding."""
    head_transform: HeadTransform | None
    """None for a model that predicts no masked words."""
    final_norm: FinalNorm | None
    tokens: list[str]
    """As the tokenizer writes them, by row."""
    is_tied: bool
    """True if the output matrix is the input's."""


def read_parameters(name: str, model: Model, module: Any | None = None) -> ModelParameters:
    """The parameters of a model of conf/model, with the language-model head if present.

    `module` is the loaded model, if loaded already, such as a model with random weights. Heads are
    read from the checkpoint, for `AutoModel` leaves heads out.

    Raises:
        InputError: for vectors alone, for an architecture with unknown blocks, naming the
            architecture, and if the model's file names parts missing from model, checkpoint or
            tokenizer.
    """
    if isinstance(model, VectorsModel):
        raise InputError(f"{model_file(name)}: vectors without a model have no parameters")
    module = load_model(name, model) if module is None else module
    matrices = learned_matrices(name, model, module)
    kept = len(matrices["input"]) - model.padding_rows
    own = _own_output(name, model)
    table = (matrices["input"] if own is None else own)[:kept]
    head = None
    if model.masked_head is not None:
        head = read_masked_head(name, model, model.masked_head, module.config, table)
    with within(model_file(name)):
        last = _module_at(module, model.final_norm)
        output = _to_width(table, module, last, model.matrices.mapping)
    return ModelParameters(
        layers=layer_parameters(module, last),
        input_embedding=matrices.get("input_mapped", matrices["input"])[:kept],
        output_embedding=output,
        head_transform=head,
        final_norm=_final_norm(last),
        tokens=_tokens(name, model, len(matrices["input"])),
        is_tied=own is None,
    )


def run_parameters(module: Any, tokenizer: Any, final_norm: str | None) -> ModelParameters:
    """The parameters of a run's checkpoint, from the module of `train.heads.load_head`.

    A masked head is found by place; a head of classes is ignored. Factorised embeddings are mapped
    by the mapping module. `final_norm` is the path in the base model.

    Raises:
        InputError: for an architecture with unknown blocks, naming the architecture.
    """
    base = module.base_model
    tokens = names_by_id(tokenizer)
    weight = base.get_input_embeddings().weight
    decoder = module.get_output_embeddings()
    is_tied = decoder is None or decoder.weight.data_ptr() == weight.data_ptr()
    table = float_array(weight if is_tied else decoder.weight)[: len(tokens)]
    last = _module_at(base, final_norm)
    mapping = _mapping_of(base, weight.shape[1])
    made = _mapped(base, mapping, float_array(weight)[: len(tokens)])
    return ModelParameters(
        layers=layer_parameters(module, last),
        input_embedding=made,
        output_embedding=_to_width(table, base, last, mapping),
        head_transform=head_of_module(module, table),
        final_norm=_final_norm(last),
        tokens=tokens,
        is_tied=is_tied,
    )


def _own_output(name: str, model: Network) -> np.ndarray | None:
    path = model.matrices.output
    return None if path is None else checkpoint_tensors(name, model, [path])[path]


def _to_width(table: np.ndarray, module: Any, last: Any, mapping: str | None) -> np.ndarray:
    """Return the output matrix for states of the model's width.

    Where a linear map leads back to the embedding size, this is that map times the table; where
    there is none, as behind a masked head, the map of the input is used for the output too.

    Raises:
        InputError: if nothing leads from one size to the other.
    """
    width = module.config.hidden_size
    weight = getattr(last, "weight", None)
    if weight is not None and weight.ndim == 2:
        return table @ float_array(weight)
    if table.shape[1] == width:
        return table
    if mapping is None:
        raise InputError(
            f"key 'matrices.mapping': the output matrix has {table.shape[1]} dimensions, the model "
            f"{width}, and no linear layer is named"
        )
    return table @ float_array(module.get_submodule(mapping).weight).T


def _mapped(base: Any, mapping: str | None, table: np.ndarray) -> np.ndarray:
    if mapping is None:
        return table
    layer = base.get_submodule(mapping)
    mapped = table @ float_array(layer.weight).T
    return mapped if layer.bias is None else mapped + float_array(layer.bias)


def _mapping_of(base: Any, dim: int) -> str | None:
    """Return the path of the linear layer from another embedding size to the model's width."""
    import torch

    width = base.config.hidden_size
    paths = [
        path
        for path, part in base.named_modules()
        if isinstance(part, torch.nn.Linear)
        and (part.in_features, part.out_features) == (dim, width)
    ]
    return paths[0] if dim != width and paths else None


def _module_at(module: Any, path: str | None) -> Any:
    """Return the module after the last block.

    Raises:
        InputError: if the model has no module at that path.
    """
    if path is None:
        return None
    try:
        return module.get_submodule(path)
    except AttributeError:
        raise InputError(f"key 'final_norm': the model has no '{path}'") from None


def _final_norm(last: Any) -> FinalNorm | None:
    weight = getattr(last, "weight", None)
    if weight is None or weight.ndim != 1:
        return None
    bias = getattr(last, "bias", None)
    is_centered = "rms" not in type(last).__name__.lower()
    names = ("eps", "variance_epsilon")
    epsilon = next(float(getattr(last, name)) for name in names if hasattr(last, name))
    shift = None if bias is None else float_array(bias)
    return FinalNorm(float_array(weight), shift, epsilon, is_centered)


def _tokens(name: str, model: Network, n_rows: int) -> list[str]:
    if tokenizer_files(model) is None:
        return numbered_vocabulary(n_rows - model.padding_rows)["token"].tolist()
    table = vocabulary_table(name, load_tokenizer(name, model), model)
    check_vocabulary(name, model, table, n_rows)
    return table["token"].tolist()

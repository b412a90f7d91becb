"""Reads every weight of a model once, by purpose and by layers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.models.components import in_ranges
from embspace.models.parameters.arrays import float_array
from embspace.models.parameters.parts import knows_parts, parts_of
from embspace.models.parameters.read import ModelParameters, read_parameters
from embspace.models.parameters.token_kinds import token_kinds
from embspace.models.tokenizer import (
    load_tokenizer,
    numbered_vocabulary,
    tokenizer_files,
    vocabulary_table,
)
from embspace.models.weights import POOLER, load_model
from embspace.settings.model import Model, Network, VectorsModel

TOKENS, POSITIONS, SEGMENTS = "token_embedding", "position_embedding", "segment_embedding"
TABLES = {"input": TOKENS, "positional": POSITIONS, "segment": SEGMENTS}
NORM, BIAS, OTHER = "norm", "bias", "other"
OUTPUT, HEAD, OWN_POOLER = "output_embedding", "masked_head", "pooler"
SHARED_BY_HEADS = ("attention_key", "attention_value")
OPTIONAL = (OUTPUT, HEAD, OWN_POOLER)
"""Groups that a model may lack: parts on top, present in some checkpoints only."""
_IN_BLOCK = re.compile(r"(?P<block>(?:.*?\.)?(?P<number>\d+))\.(?P<inside>.+)")


@dataclass(frozen=True, eq=False)
class Weight:
    """A weight of a model; a vector is a column."""

    group: str
    """Purpose of the weight: a group of `LayerParameters.groups`, or a group of this module."""
    layer: int | None
    """The first layer that has the parameter, from 1; None outside of the layers."""
    layers: str
    """All layers with this weight, "1-12" for a shared block; "" outside of the layers."""
    name: str
    """In words, or as the model calls it."""
    values: Float[np.ndarray, "row dim"]

    @property
    def key(self) -> tuple[str, int | None, str]:
        """Return the name that two models of the same architecture share."""
        return self.group, self.layer, self.name


@dataclass(frozen=True, eq=False)
class AllWeights:
    """The weights of a model and, for known blocks, the parameters for reading weights as words."""

    weights: list[Weight]
    architecture: str
    n_layers: int
    tokens: list[str]
    """By row of the token embeddings."""
    kinds: list[str]
    """The kinds of the tokens, from `vocabulary_table`."""
    parameters: ModelParameters | None
    """None for an architecture whose blocks are not known."""


def read_all_weights(name: str, model: Network, module: Any) -> AllWeights:
    """Return all weights of a loaded model of conf/model, and of the head in its checkpoint.

    Raises:
        InputError: as `read_parameters` does.
    """
    parameters = read_parameters(name, model, module) if knows_parts(module) else None
    tokens = _tokens(name, model, module)
    return AllWeights(
        weights=list(weights_of(model, module, parameters, len(tokens))),
        architecture=type(module).__name__,
        n_layers=module.config.num_hidden_layers,
        tokens=tokens,
        kinds=token_kinds(name, model, len(tokens)),
        parameters=parameters,
    )


def load_all_weights(name: str, model: Model) -> AllWeights | None:
    """Return the weights of a model of conf/model; None for vectors alone.

    Raises:
        InputError: as `read_all_weights`.
    """
    if isinstance(model, VectorsModel):
        return None
    return read_all_weights(name, model, load_model(name, model))


def weights_of(
    model: Network, module: Any, parameters: ModelParameters | None, n_tokens: int
) -> Iterator[Weight]:
    """Yield every weight of a module once: tables, other parts, blocks, then the head.

    Known blocks give the matrices of `LayerParameters`, with rows of the model's width; unknown
    blocks give matrices by name. A block shared by several layers comes once, and so do keys and
    values shared by heads. Left out are rows of no token and rows before position 0.
    """
    shared = _layers_by_block(module)
    yield from _by_name(model, module, shared, n_tokens, has_matrices=parameters is None)
    if parameters is None:
        return
    n_key_heads = {part.layer: part.n_key_heads for part in parts_of(module)}
    for layers in shared.values():
        layer = parameters.layers[layers[0] - 1]
        for group, rows in layer.groups().items():
            if group in SHARED_BY_HEADS:
                rows = one_copy(rows, layer.n_heads, n_key_heads[layer.layer])
            yield Weight(group, layers[0], in_ranges(layers), group, rows)
    if not parameters.is_tied:
        yield Weight(OUTPUT, None, "", OUTPUT, parameters.output_embedding)
    if (head := parameters.head_transform) is not None:
        parts = ("dense", "dense_bias", "scale", "shift", "bias")
        for part in parts:
            if (values := getattr(head, part)) is not None:
                yield Weight(HEAD, None, "", part, _as_rows(values))


def one_copy(
    rows: Float[np.ndarray, "row dim"], n_heads: int, n_key_heads: int
) -> Float[np.ndarray, "_ dim"]:
    """Return the rows of keys or values once, not repeated for each of `n_heads` queries."""
    if n_heads == n_key_heads:
        return rows
    by_head = rows.reshape(n_key_heads, n_heads // n_key_heads, -1, rows.shape[1])
    return by_head[:, 0].reshape(-1, rows.shape[1])


def _layers_by_block(module: Any) -> dict[str, tuple[int, ...]]:
    """Return the layers of every block, by path of the block; empty for unknown architectures."""
    if not knows_parts(module):
        return {}
    paths = {id(part): path for path, part in module.named_modules()}
    shared: dict[str, list[int]] = {}
    for part in parts_of(module):
        match = _IN_BLOCK.fullmatch(paths[id(part.attention_norm)])
        assert match is not None, f"{type(module).__name__}: a norm of a block is in no list"
        shared.setdefault(match["block"], []).append(part.layer)
    return {block: tuple(layers) for block, layers in shared.items()}


def _by_name(
    model: Network,
    module: Any,
    shared: dict[str, tuple[int, ...]],
    n_tokens: int,
    *,
    has_matrices: bool,
) -> Iterator[Weight]:
    """Yield the weights by name: all but the matrices of known blocks."""
    tables = {getattr(model.matrices, space): group for space, group in TABLES.items()}
    for name, parameter in module.named_parameters():
        values = _as_rows(float_array(parameter))
        match = _IN_BLOCK.fullmatch(name)
        if name in tables:
            first = model.position_offset if tables[name] == POSITIONS else 0
            last = n_tokens if tables[name] == TOKENS else None
            yield Weight(tables[name], None, "", name, values[first:last])
        elif name.startswith(POOLER):
            yield Weight(OWN_POOLER, None, "", name, values)
        elif match is None:
            yield Weight(name.rpartition(".")[0] or name, None, "", name, values)
        elif parameter.ndim < 2 or has_matrices:
            layers = shared.get(match["block"], (int(match["number"]) + 1,))
            group = _group(module, name, match["inside"], parameter.ndim)
            yield Weight(group, layers[0], in_ranges(layers), match["inside"], values)


def _group(module: Any, name: str, inside: str, n_axes: int) -> str:
    """Return what a parameter of a block is for; for a matrix, the path within the block."""
    owner = module.get_submodule(name.rpartition(".")[0])
    weight = getattr(owner, "weight", None)
    if n_axes > 1:
        return inside.rpartition(".")[0] or inside
    if weight is not None and weight.ndim == 1:
        return NORM
    return BIAS if "bias" in name.rpartition(".")[2] else OTHER


def _as_rows(values: np.ndarray) -> Float[np.ndarray, "row dim"]:
    return values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)


def _tokens(name: str, model: Network, module: Any) -> list[str]:
    if tokenizer_files(model) is None:
        n_rows = len(module.state_dict()[model.matrices.input])
        return numbered_vocabulary(n_rows - model.padding_rows)["token"].tolist()
    table = vocabulary_table(name, load_tokenizer(name, model), model)
    tokens: list[str] = table["token"].tolist()
    return tokens

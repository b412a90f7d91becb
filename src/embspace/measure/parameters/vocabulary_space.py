"""Loads a model's parameters and tokens, for the stages that read parameters as words."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool

from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.parts import knows_parts
from embspace.models.parameters.read import ModelParameters, read_parameters
from embspace.models.parameters.token_kinds import nameable, token_kinds
from embspace.models.weights import load_model
from embspace.settings.model import Model, VectorsModel

# The kinds of `VocabularySpace.facts`.
FACTS = {"known": "count", "architecture": "name", "n_*": "count"}
FACTS |= dict.fromkeys(("dim", "tied", "masked_head", "final_norm"), "count")


@dataclass(frozen=True, eq=False)
class VocabularySpace:
    """The parameters of a model whose blocks are known, and the kind of every token."""

    parameters: ModelParameters | None
    """None for vectors alone, and for an architecture that is not known."""
    architecture: str | None
    kinds: list[str]
    """The kind of every token, from `vocabulary_table`; empty if there are no parameters."""

    def allowed(self, left_out: Collection[str]) -> Bool[np.ndarray, " token"]:
        """Return True for the tokens that may be named according to `nameable`."""
        return nameable(self.kinds, left_out)

    def facts(self) -> dict[str, Any]:
        """Return the model's architecture and sizes, for the tables."""
        facts: dict[str, Any] = {
            "known": self.parameters is not None,
            "architecture": self.architecture,
        }
        if self.parameters is None:
            return facts
        first = self.parameters.layers[0]
        return facts | {
            "n_layers": len(self.parameters.layers),
            "n_heads": first.n_heads,
            "dim": int(first.query.shape[1]),
            "n_units": len(first.ff_values),
            "n_tokens": len(self.parameters.tokens),
            "tied": self.parameters.is_tied,
            "masked_head": self.parameters.head_transform is not None,
            "final_norm": self.parameters.final_norm is not None,
        }


def distinct_layers(layers: Iterable[LayerParameters]) -> list[LayerParameters]:
    """Return the layers; of layers that share a block, as in ALBERT, only the first."""
    distinct: list[LayerParameters] = []
    for layer in layers:
        if not any(_is_same(layer, other) for other in distinct):
            distinct.append(layer)
    return distinct


def _is_same(layer: LayerParameters, other: LayerParameters) -> bool:
    return np.array_equal(layer.query, other.query) and np.array_equal(
        layer.ff_values, other.ff_values
    )


def load_vocabulary_space(name: str, model: Model) -> VocabularySpace:
    """Return the parameters of a model of conf/model, if its blocks are known."""
    module = load_model(name, model)
    architecture = None if module is None else type(module).__name__
    if isinstance(model, VectorsModel) or not knows_parts(module):
        return VocabularySpace(None, architecture, [])
    parameters = read_parameters(name, model, module)
    kinds = token_kinds(name, model, len(parameters.tokens))
    return VocabularySpace(parameters, architecture, kinds)

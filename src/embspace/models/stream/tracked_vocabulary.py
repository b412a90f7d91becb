"""The vocabulary that states are compared with, as the model has it or with positions added."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.geometry.pairs.vocabulary_ranks import VocabularyRanks, vocabulary_ranks
from embspace.models.matrices import learned_matrices
from embspace.models.parameters.masked_head import HeadTransform
from embspace.settings.model import Model, VectorsModel, model_file

Positions = Literal["none", "own", "first"]
"""The vector added to the rows of the vocabulary: none; the position vector of the compared token;
the vector of the first position for any token, as in Avery's token tracker.
"""
VocabularyNearness = Literal["cosine", "euclidean_distance", "head"]
"""`head`: the scores of a head that predicts masked tokens; the first token is the likeliest."""


@dataclass(frozen=True, eq=False)
class TrackedVocabulary:
    """The input embeddings of a model, the positions, and the masked head if present."""

    rows: Float[np.ndarray, "token dim"]
    """Raw, before any LayerNorm; mapped to the model's width where embeddings are factorized."""
    positional: Float[np.ndarray, "position dim"] | None
    """Row 0 is position 0; None without position vectors of the model's width."""
    head: HeadTransform | None = None
    final_norm: Any | None = None
    """The module after the last block, through which states go to the head."""

    def ranks(
        self,
        x: Float[np.ndarray, "n dim"],
        ids: Int[np.ndarray, " n"],
        position: Int[np.ndarray, " n"],
        *,
        positions: Positions = "none",
        nearness: VocabularyNearness = "cosine",
        k: int = 0,
    ) -> VocabularyRanks:
        """Return how near each state is to the row of its token, the token's rank, the `k` nearest.

        `position` counts from 0 in the text, special tokens included. Through the head, `cosine`
        and `euclidean_distance` compare what the head compares: its output with the output matrix.

        Raises:
            InputError: if the model has no position vectors, too few, or no masked head.
        """
        if nearness == "head":
            return self._ranks_by_head(x, ids, positions, k)
        used, shift_of = self._shifts(position, positions)
        return vocabulary_ranks(
            x, ids, self.rows, nearness=nearness, k=k, shift=used, shift_of=shift_of
        )

    def _shifts(
        self, position: Int[np.ndarray, " n"], positions: Positions
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        if positions == "none":
            return None, None
        if self.positional is None:
            raise InputError(
                f"positions '{positions}': the model has no table of position vectors of the width "
                "of its states, allowed: none"
            )
        if positions == "first":
            return self.positional[:1], np.zeros(len(position), dtype=np.int64)
        if len(position) and position.max() >= len(self.positional):
            raise InputError(f"position {position.max()}: the model has {len(self.positional)}")
        used, shift_of = np.unique(position, return_inverse=True)
        return self.positional[used], shift_of

    def _ranks_by_head(
        self,
        x: Float[np.ndarray, "n dim"],
        ids: Int[np.ndarray, " n"],
        positions: Positions,
        k: int,
    ) -> VocabularyRanks:
        if self.head is None:
            raise InputError("nearness 'head': the model has no head that predicts masked tokens")
        if positions != "none":
            raise InputError(f"positions '{positions}': found with the head, allowed: none")
        read = self.head(normed(self.final_norm, x))
        return vocabulary_ranks(
            read, ids, self.head.output, nearness="dot_product", k=k, bias=self.head.bias
        )


def tracked_vocabulary(
    name: str, model: Model, module: Any, head: HeadTransform | None = None
) -> TrackedVocabulary:
    """Return the vocabulary of a loaded model of conf/model/, without padding rows.

    Raises:
        InputError: for vectors alone, and if the model's file names something that the model does
            not have.
    """
    if isinstance(model, VectorsModel):
        raise InputError(f"{model_file(name)}: vectors without a model read no text")
    matrices = learned_matrices(name, model, module)
    rows = matrices.get("input_mapped", matrices["input"])
    rows = rows[: len(rows) - model.padding_rows]
    positional = matrices.get("positional")
    if positional is not None and positional.shape[1] != rows.shape[1]:
        positional = None
    try:
        last = module.get_submodule(model.final_norm) if model.final_norm else None
    except AttributeError:
        raise InputError(
            f"{model_file(name)}: key 'final_norm': the model has no '{model.final_norm}'"
        ) from None
    return TrackedVocabulary(rows, positional, head, last)


def normed(final_norm: Any | None, x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Return states after the module behind the last block, if present, in float32."""
    import torch

    if final_norm is None:
        return x.astype(np.float32, copy=False)
    device = next(final_norm.parameters()).device
    with torch.no_grad():
        made = final_norm(torch.from_numpy(np.ascontiguousarray(x)).float().to(device))
    array: np.ndarray = made.cpu().numpy()
    return array

"""Loads models whose blocks are stitched to each other's, and the texts that both read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.errors import InputError
from embspace.measure.tables.even_places import evenly
from embspace.models.encoder import padded
from embspace.models.parameters.groups import require_same_tokens
from embspace.models.parameters.read import read_parameters, run_parameters
from embspace.models.stream.entered import TokenIds, can_be_entered
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model, with_random_weights
from embspace.models.windows import cut_windows, largest_window
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.schema import read_yaml


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model whose blocks can be entered at any layer."""

    name: str
    module: Any
    embedding: Float[np.ndarray, "token dim"]
    tokens: list[str]
    tokenizer: Any
    window: int
    final_norm: str | None

    def untrained(self, seed: int) -> "OpenModel":
        """Return the same architecture at random weights."""
        module = with_random_weights(self.module, seed)
        parameters = run_parameters(module, self.tokenizer, self.final_norm)
        embedding = parameters.input_embedding[: len(self.tokens)]
        return replace(self, module=module, embedding=embedding)


@dataclass(frozen=True)
class ClosedModel:
    """A model that cannot be stitched, with the reason."""

    reason: str


StitchedModel = OpenModel | ClosedModel


def load_stitched_model(described: str, _: str) -> StitchedModel:
    """Return a model of conf/model, or the reason why it cannot be stitched."""
    name = Path(described).stem
    model = describe_model(name, read_yaml(Path(described)))
    if isinstance(model, VectorsModel):
        return ClosedModel(f"{name}: vectors alone have no blocks")
    if not tokenizer_files(model):
        return ClosedModel(f"{name}: reads no text without a tokenizer")
    module = load_model(name, model)
    if not can_be_entered(module):
        return ClosedModel(f"{name}: the blocks of {type(module).__name__} cannot be entered")
    parameters = read_parameters(name, model, module)
    return OpenModel(
        name,
        module,
        parameters.output_embedding,
        parameters.tokens,
        load_tokenizer(name, model),
        largest_window(model, module),
        model.final_norm,
    )


def reason_against(one: StitchedModel, other: StitchedModel) -> str:
    """Return why two models cannot be stitched; "" if they can."""
    for model in (one, other):
        if isinstance(model, ClosedModel):
            return model.reason
    assert isinstance(one, OpenModel) and isinstance(other, OpenModel)
    try:
        require_same_tokens(one.tokens, other.tokens, (one.name, other.name))
    except InputError as error:
        return str(error)
    return ""


@dataclass(frozen=True, eq=False)
class ChosenTexts:
    """Texts of the corpus with most documents, a text per document."""

    corpus: str
    compared: list[str]
    """Texts whose outputs are compared."""
    training: list[str]
    """Further texts, for the trained stitch."""


def choose_texts(
    texts: Mapping[str, pd.DataFrame], *, n_texts: int, n_training: int, least_texts: int
) -> ChosenTexts:
    """Return texts at equal distances over the corpus with most documents, the first of equals.

    Of few documents half, or `least_texts`, are compared, and the rest is for training.
    """
    if not texts:
        return ChosenTexts("", [], [])
    corpus = max(texts, key=lambda name: int(texts[name]["document"].nunique()))
    first = texts[corpus].drop_duplicates("document")["text"].to_numpy(dtype=object)
    chosen = evenly(len(first), min(n_texts, max(least_texts, len(first) // 2)))
    rest = np.delete(first, chosen)
    return ChosenTexts(corpus, [*first[chosen]], [*rest[evenly(len(rest), n_training)]])


@dataclass(frozen=True, eq=False)
class Beginnings:
    """The first tokens of texts, as read by a model."""

    tokens: TokenIds
    shown: Bool[np.ndarray, "text token"]
    """True for ordinary tokens, at least 1 per text."""


def read_beginnings(texts: Sequence[str], tokenizer: Any, longest: int) -> Beginnings:
    """Return the first `longest` tokens of texts, without texts that have no ordinary token."""
    windows = [
        window
        for window in cut_windows(texts, tokenizer, longest, length_key="key 'longest'")
        if not window.number and not window.special.all()
    ]
    if not windows:
        empty = np.zeros((0, 1), dtype=bool)
        return Beginnings(TokenIds(empty.astype(np.int64), empty), empty)
    ids, mask = padded([window.ids for window in windows])
    shown = np.zeros(mask.shape, dtype=bool)
    for row, window in zip(shown, windows, strict=True):
        row[: len(window.ids)] = ~window.special
    return Beginnings(TokenIds(ids, mask.astype(bool)), shown)

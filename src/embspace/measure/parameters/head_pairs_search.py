"""Searches the top pairs of the heads of a model, and makes the rows of their table."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from jaxtyping import Int

from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.geometry.parameters.vocabulary_pairs import Classes, TokenFactor
from embspace.measure.parameters.head_pairs_forms import (
    HeadForm,
    Matrix,
    TopPairs,
    find_pairs,
    head_factors,
    shuffled,
    token_factors,
)
from embspace.measure.parameters.head_pairs_words import Words
from embspace.measure.parameters.vocabulary_space import distinct_layers
from embspace.models.parameters.read import ModelParameters

Made = TypeVar("Made")
ChosenTokens = Int[np.ndarray, " some"]


@dataclass(frozen=True)
class PairSearch:
    """The search for the top pairs of heads, among every set of chosen tokens."""

    parameters: ModelParameters
    classes: Classes
    """The class of every token; tokens that are equal share a class."""
    chosen: Mapping[str, ChosenTokens]
    n_pairs: int

    def factors(self, layer: int, head: int, form: HeadForm) -> tuple[TokenFactor, TokenFactor]:
        """Return both sides of a head's form; layer and head count from 1."""
        factors = head_factors(self.parameters.layers, layer, head, form)
        return token_factors(self.parameters.output_embedding, factors)

    def pairs(self, x: TokenFactor, y: TokenFactor) -> dict[str, TopPairs]:
        """Return the top pairs among every set of chosen tokens."""
        return {
            name: find_pairs(x, y, self.n_pairs, self.classes, tokens)
            for name, tokens in self.chosen.items()
        }

    def shuffled(
        self, places: pd.DataFrame, form: HeadForm, n_heads: int, generator: np.random.Generator
    ) -> dict[str, list[TopPairs]]:
        """Return the pairs of heads at equal distances among all, with shuffled entries."""
        some = places.iloc[np.arange(n_heads) * len(places) // n_heads]
        heads = [
            shuffled(head_factors(self.parameters.layers, layer, head, form), generator)
            for layer, head in listed(some)
        ]

        def head_pairs(*factors: Matrix) -> dict[str, TopPairs]:
            x, y = factors
            return self.pairs(*token_factors(self.parameters.output_embedding, (x, y)))

        tops = in_threads(head_pairs, heads)
        return {name: [pairs[name] for pairs in tops] for name in self.chosen}


def in_threads(function: Callable[..., Made], arguments: Iterable[tuple[Any, ...]]) -> list[Made]:
    """Return a function's results for all arguments, in order, one argument per core at a time.

    Products use one thread meanwhile: several threads would wait for each other at every small
    block.
    """
    import torch
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1, user_api="blas"):
            calls = (delayed(function)(*some) for some in arguments)
            return list(Parallel(n_jobs=-1, prefer="threads")(calls))
    finally:
        torch.set_num_threads(n_threads)


def head_places(parameters: ModelParameters) -> pd.DataFrame:
    """Return layer and head of all heads, both from 1; the heads of a shared block only once."""
    layers = distinct_layers(parameters.layers)
    places = [(layer.layer, head + 1) for layer in layers for head in range(layer.n_heads)]
    return pd.DataFrame(places, columns=["layer", "head"])


def listed(places: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the same as pairs of numbers."""
    return [(int(layer), int(head)) for layer, head in places.to_numpy()]


def check_size(parameters: ModelParameters, words: Words) -> None:
    """Stop unless the vocabulary has a token for every row of the output embedding.

    Raises:
        InputError: with both numbers.
    """
    if len(words.shown) != len(parameters.output_embedding):
        raise InputError(
            f"the vocabulary has {len(words.shown)} tokens, the output embedding "
            f"{len(parameters.output_embedding)} rows; expected a row a token"
        )


def pair_rows(
    pair_lists: list[TopPairs], heads: pd.DataFrame, words: Words, n_listed: int
) -> list[Row]:
    """Return a row per pair, without pairs of equal tokens; `heads` has a row per list."""
    rows: list[Row] = []
    for pairs, record in zip(pair_lists, heads.to_dict("records"), strict=True):
        some, place = pairs.unequal, {str(key): value for key, value in record.items()}
        first, second = some.rows[:n_listed], some.columns[:n_listed]
        held = {name: relation(first, second) for name, relation in words.relations.items()}
        for number, (row, column) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            rows.append(
                place
                | {
                    "rank": number + 1,
                    "row": words.shown[row],
                    "column": words.shown[column],
                    "score": some.scores[number],
                    "categories": " ".join(name for name, holds in held.items() if holds[number]),
                }
            )
    return rows

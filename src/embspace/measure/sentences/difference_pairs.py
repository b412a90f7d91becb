"""Pairs of sentences by category, their vectors, and what is drawn at random of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.geometry.inference.matched_draws import two_unrelated_pairs, unrelated_pairs

# First and second sentences; as many draws and pairs as there are.
Drawn = tuple[Int[np.ndarray, "_draw _pair"], Int[np.ndarray, "_draw _pair"]]


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """The pairs of sentences, with categories."""

    categories: list[str]
    """In the order of the table of sentences."""
    names: list[str]
    """Names of the pairs; another category may have the same."""
    category: Int[np.ndarray, " pair"]
    first: Int[np.ndarray, " pair"]
    """Rows of the table, as `second`."""
    second: Int[np.ndarray, " pair"]
    different_tokens: Bool[np.ndarray, "pair pair"]
    """Whether two pairs have no changed token in common."""

    def of(self, category: int) -> Int[np.ndarray, " pair"]:
        """Return the numbers of the pairs of a category."""
        return np.flatnonzero(self.category == category)


def sentence_pairs(table: pd.DataFrame, tokens: pd.DataFrame) -> SentencePairs:
    """Return the pairs of a table of sentences: category, pair and side, first or second.

    `tokens` has the ids of the tokens, and the row of the sentence as `window`.
    """
    rows = table.reset_index(drop=True).reset_index(names="row").set_index(["category", "pair"])
    order = rows.index[rows["side"] == "first"]
    first, second = (
        rows.loc[rows["side"] == side, "row"].reindex(order).to_numpy(np.int64)
        for side in ("first", "second")
    )
    ids = tokens.groupby("window")["id"].agg(set)
    changed = [ids[i] ^ ids[j] for i, j in zip(first, second, strict=True)]
    different = [[one.isdisjoint(other) for other in changed] for one in changed]
    category, categories = pd.factorize(order.get_level_values("category"))
    return SentencePairs(
        categories=[str(name) for name in categories],
        names=[str(name) for name in order.get_level_values("pair")],
        category=category.astype(np.int64),
        first=first,
        second=second,
        different_tokens=np.array(different, dtype=bool).reshape(len(order), len(order)),
    )


@dataclass(frozen=True, eq=False)
class PairedStates:
    """The vectors of the sentences of pairs, at all layers and poolings: the cells."""

    pairs: SentencePairs
    cells: pd.DataFrame
    """Layer and pooling by cell."""
    sentences: Float[np.ndarray, "cell sentence dim"]
    random_weights: Float[np.ndarray, "cell sentence dim"]
    """The same of a model with random weights."""

    def grams(self) -> list[Float[np.ndarray, "sentence sentence"]]:
        """Return the inner products of the cells' vectors about the mean."""
        centered = self.sentences - self.sentences.mean(axis=1, dtype=np.float64, keepdims=True)
        return [vectors @ vectors.T for vectors in centered]

    def differences(self) -> Float[np.ndarray, "cell pair dim"]:
        """Return the vector of the second sentence minus that of the first."""
        return self._differences(self.sentences)

    def random_differences(self) -> Float[np.ndarray, "cell pair dim"]:
        """Return the same at random weights."""
        return self._differences(self.random_weights)

    def _differences(
        self, x: Float[np.ndarray, "cell sentence dim"]
    ) -> Float[np.ndarray, "cell pair dim"]:
        return x[:, self.pairs.second].astype(np.float64) - x[:, self.pairs.first]


@dataclass(frozen=True, eq=False)
class Draws:
    """The draws that are the same in all cells. Pairs are rows of the sentences."""

    signs: Float[np.ndarray, "flip pair"]
    """1 or -1."""
    re_paired: list[Drawn]
    """The second sentences of a category, dealt out anew to the first, by category."""
    unrelated: list[Drawn]
    """By category, pairs of sentences of other categories; -1 for none."""
    two_unrelated: Drawn
    """Two pairs each, four sentences of four categories."""


def draw_pairs(
    pairs: SentencePairs,
    n_tokens: Int[np.ndarray, " sentence"],
    *,
    length_tolerance: int,
    n_sign_flips: int,
    n_pairing_draws: int,
    n_direction_draws: int,
    generator: np.random.Generator,
) -> Draws:
    """Signs of the differences, pairs dealt out anew, and pairs of unrelated sentences.

    An unrelated pair replaces a pair of the category: two sentences of two other categories, with
    as many tokens as the replaced sentences, up to `length_tolerance`.
    """
    for_signs, for_pairing, for_unrelated, for_directions = generator.spawn(4)
    sentence = np.concatenate([pairs.first, pairs.second])
    frame, category = np.tile(np.arange(len(pairs.names)), 2), np.tile(pairs.category, 2)
    re_paired, unrelated = [], []
    for number in range(len(pairs.categories)):
        first, second = (
            np.tile(rows[pairs.of(number)], (n_pairing_draws, 1))
            for rows in (pairs.first, pairs.second)
        )
        re_paired.append((first, for_pairing.permuted(second, axis=1)))
        others = np.flatnonzero(category != number)
        drawn = unrelated_pairs(
            n_tokens[sentence[others]],
            frame[others],
            category[others],
            n_tokens[np.stack([first[0], second[0]], axis=1)],
            tolerance=length_tolerance,
            n_draws=n_pairing_draws,
            generator=for_unrelated,
        )
        number_of = np.append(sentence[others], -1)  # so that -1 stays -1
        unrelated.append((number_of[drawn[0]], number_of[drawn[1]]))
    two_unrelated = two_unrelated_pairs(
        n_tokens[sentence],
        category,
        tolerance=length_tolerance,
        n_draws=n_direction_draws,
        generator=for_directions,
    )
    return Draws(
        signs=for_signs.choice([-1.0, 1.0], (n_sign_flips, len(pairs.names))),
        re_paired=re_paired,
        unrelated=unrelated,
        two_unrelated=(sentence[two_unrelated[0]], sentence[two_unrelated[1]]),
    )

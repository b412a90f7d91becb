"""What tells the two uses of a word apart: the words around, and examples."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.clouds.in_context import in_context
from embspace.files.tables import Row
from embspace.geometry.groups.bisection import bisection, principal_coordinates
from embspace.geometry.inference.holm import holm_p_values
from embspace.measure.practice.uses.occurrences import WordsOfTexts

N_NEAR = 8  # tokens on each side whose words are counted
N_NAMED = 4  # words that are named of a use
N_EXAMPLES = 2
SURE = 0.05


class Uses(NamedTuple):
    """The occurrences of a word, in two parts."""

    word: str
    rows: Int[np.ndarray, " occurrence"]
    """Rows of the table of tokens."""
    x: Float[np.ndarray, "occurrence component"]
    is_second: Bool[np.ndarray, " occurrence"]
    """The part with fewer occurrences."""


def uses_of(
    word: str,
    rows: Int[np.ndarray, " occurrence"],
    vectors: Float[np.ndarray, "occurrence dim"],
    n_components: int,
) -> Uses:
    """Return a word's occurrences in two parts; the second has no more than the first."""
    x = principal_coordinates(vectors, n_components)
    is_second = bisection(x).is_second
    return Uses(word, rows, x, is_second if 2 * is_second.sum() <= len(rows) else ~is_second)


def described_uses(uses: Sequence[Uses], texts: WordsOfTexts) -> Iterator[Row]:
    """Yield two rows a word: how many occurrences, which words stand near, and examples."""
    for place, one in enumerate(uses, start=1):
        near = [_near(row, texts) for row in one.rows.tolist()]
        for number, chosen in enumerate((~one.is_second, one.is_second), start=1):
            rows = one.rows[chosen]
            yield {
                "number": place,
                "use": number,
                "word": one.word,
                "n": len(rows),
                "words_near": " ".join(_telling(near, chosen, one.word)),
                "examples": " … ".join(
                    in_context(int(row), texts.read.tokens)
                    for row in _nearest_to_mean(one.x, chosen, one.rows)
                ),
            }


def placed_uses(uses: Sequence[Uses]) -> pd.DataFrame:
    """Return the occurrences of words in their first two principal components."""
    return pd.DataFrame(
        [
            {"number": number, "occurrence": place, "word": one.word, "use": int(second) + 1}
            | {"first": x[0], "second": x[1]}
            for number, one in enumerate(uses, start=1)
            for place, (x, second) in enumerate(
                zip(one.x[:, :2], one.is_second, strict=True), start=1
            )
        ]
    )


def _near(row: int, texts: WordsOfTexts) -> set[str]:
    window = texts.read.tokens["window"].to_numpy()
    around = np.arange(max(0, row - N_NEAR), min(len(window), row + N_NEAR + 1))
    return {*texts.word[around[window[around] == window[row]]]} - {""}


def _telling(near: Sequence[set[str]], chosen: Bool[np.ndarray, " row"], word: str) -> list[str]:
    """Return the words that stand near more of the chosen occurrences than of the others.

    By Fisher's exact test, one-sided, with the method of Holm over all words near.
    """
    from scipy.stats import hypergeom

    all_words = sorted(set().union(*near) - {word})
    if not all_words:
        return []
    stands = np.array([[one in words for one in all_words] for words in near])
    n_chosen, n_near = stands[chosen].sum(axis=0), stands.sum(axis=0)
    p_values = holm_p_values(hypergeom.sf(n_chosen - 1, len(near), n_near, chosen.sum()))
    order = np.argsort(p_values, kind="stable")[:N_NAMED]
    return [all_words[number] for number in order if p_values[number] <= SURE]


def _nearest_to_mean(
    x: Float[np.ndarray, "row component"],
    chosen: Bool[np.ndarray, " row"],
    rows: Int[np.ndarray, " row"],
) -> Int[np.ndarray, " example"]:
    distance = np.linalg.norm(x[chosen] - x[chosen].mean(axis=0), axis=1)
    return rows[chosen][np.argsort(distance, kind="stable")[:N_EXAMPLES]]

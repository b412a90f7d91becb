"""Measures whether differences of a category point in the same direction: a row per category."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.geometry.groups.offsets import (
    consistency_of_draws,
    flipped_offset_consistency,
    mean_offsets,
    mean_weights,
    offset_consistency,
)
from embspace.geometry.inference.resampling import half_sample_interval, stream_of
from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.measure.sentences.difference_pairs import Drawn, Draws, PairedStates
from embspace.measure.tables.deviations import UNITS, by_row, units_named
from embspace.measure.tables.nulls import Columns, null_columns, p_values, with_q_values

NULLS = ("sign_flips", "re_paired", "unrelated")
COLUMNS = ["layer", "pooling", "category", "n", "norm_of_mean", "mean_norm", "reliability"]
COLUMNS += ["consistency", "consistency_low", "consistency_high", "random_weights_consistency"]
for _name in NULLS:
    COLUMNS += [f"null_consistency_{_name}{end}" for end in ("", "_low", "_high")]
    COLUMNS += [f"p_value_{_name}", f"q_value_{_name}"]
COLUMNS += ["n_compared_different_tokens", "consistency_different_tokens"]
COLUMNS += ["random_weights_consistency_different_tokens"]
COLUMNS += ["p_value_different_tokens", "q_value_different_tokens"]
COLUMNS += [*UNITS, "consistency_deviations"]


@dataclass(frozen=True, eq=False)
class _Category:
    """The pairs of one category, in all cells."""

    differences: Float[np.ndarray, "cell pair dim"]
    cosines: Float[np.ndarray, "cell pair pair"]
    random_cosines: Float[np.ndarray, "cell pair pair"]
    different_tokens: Bool[np.ndarray, "pair pair"]
    signs: Float[np.ndarray, "flip pair"]

    @property
    def n(self) -> int:
        return len(self.different_tokens)

    @property
    def n_compared(self) -> int:
        """Return how many two pairs change different tokens."""
        return int(np.triu(self.different_tokens, 1).sum())

    @property
    def every(self) -> Bool[np.ndarray, "pair pair"]:
        """Return the mask by which all pairs are compared with each other."""
        return np.ones((self.n, self.n), dtype=bool)


def consistency_table(
    states: PairedStates,
    draws: Draws,
    *,
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Length, reliability and consistency of the differences, by category and cell.

    The columns of a null end in the null's name: `sign_flips` of the differences; `re_paired`,
    second sentences dealt out anew within the category, with the mean difference kept and the rest
    cancelled: without an offset n differences have about -1 / (n - 1); `unrelated`, differences of
    sentences of different categories. Columns in `different_tokens` use the `n_compared_...` pairs
    of differences without a token that changes in both, to exclude the effect of a single word's
    vector; the p-value is by sign flips.
    """
    if not states.pairs.categories:
        return pd.DataFrame(columns=COLUMNS)
    grams = states.grams()
    parts = []
    for number, (name, category) in enumerate(_categories(states, draws).items()):
        drawn = {"re_paired": draws.re_paired[number], "unrelated": draws.unrelated[number]}
        columns = _lengths(category)
        columns |= _consistency(category, n_half_samples, level, stream_of(generator, name))
        columns |= _against_nulls(category, grams, drawn, level) | _different_tokens(category)
        counts = {"n": category.n, "n_compared_different_tokens": category.n_compared}
        units = units_named(states.pairs.names[row] for row in states.pairs.of(number))
        parts.append(states.cells.assign(category=name, **counts, **units, **columns))
    table = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    return with_q_values(table, ["layer", "pooling"])[COLUMNS]


def _categories(states: PairedStates, draws: Draws) -> dict[str, _Category]:
    differences, random_differences = states.differences(), states.random_differences()
    by_category = {}
    for number, name in enumerate(states.pairs.categories):
        rows = states.pairs.of(number)
        cosines, random_cosines = (
            np.stack([cosine_matrix(vectors) for vectors in d[:, rows]])
            for d in (differences, random_differences)
        )
        by_category[name] = _Category(
            differences=differences[:, rows],
            cosines=cosines,
            random_cosines=random_cosines,
            different_tokens=states.pairs.different_tokens[np.ix_(rows, rows)],
            signs=draws.signs[:, rows],
        )
    return by_category


def _lengths(category: _Category) -> Columns:
    one = np.zeros(category.n, dtype=np.int64)
    means = [mean_offsets(d @ d.T, one, mean_weights(one)) for d in category.differences]
    return {
        "norm_of_mean": np.array([mean.norm[0, 0] for mean in means]),
        "mean_norm": np.array([norms(d).mean() for d in category.differences]),
        "reliability": np.array([mean.reliability[0, 0] for mean in means]),
    }


def _consistency(
    category: _Category, n_half_samples: int, level: float, generator: np.random.Generator
) -> Columns:
    interval = half_sample_interval(
        lambda pairs: offset_consistency(
            category.cosines[:, pairs][:, :, pairs], category.every[np.ix_(pairs, pairs)]
        ),
        category.n,
        n_resamples=n_half_samples,
        level=level,
        generator=generator,
    )
    return {
        "consistency": offset_consistency(category.cosines, category.every),
        "random_weights_consistency": offset_consistency(category.random_cosines, category.every),
        "consistency_low": interval.low,
        "consistency_high": interval.high,
        "consistency_deviations": by_row(interval.deviations),
    }


def _against_nulls(
    category: _Category,
    grams: list[Float[np.ndarray, "sentence sentence"]],
    drawn: dict[str, Drawn],
    level: float,
) -> Columns:
    given = (category.cosines, category.every)
    nulls = {"sign_flips": flipped_offset_consistency(*given, category.signs)} | {
        name: np.stack([consistency_of_draws(gram, first, second) for gram in grams])
        for name, (first, second) in drawn.items()
    }
    values = offset_consistency(*given)
    columns: Columns = {}
    for name in NULLS:
        columns |= null_columns(
            "consistency", f"_{name}", values, nulls[name].T, level=level, two_sided=False
        )
    return columns


def _different_tokens(category: _Category) -> Columns:
    compared = category.different_tokens
    values = offset_consistency(category.cosines, compared)
    null = flipped_offset_consistency(category.cosines, compared, category.signs)
    return {
        "consistency_different_tokens": values,
        "random_weights_consistency_different_tokens": offset_consistency(
            category.random_cosines, compared
        ),
        "p_value_different_tokens": p_values(values, null.T, two_sided=False),
    }

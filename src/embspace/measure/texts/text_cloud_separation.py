"""Measures how far two corpora lie apart, for a table of `measure_text_clouds`."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.files.tables import NumberRow
from embspace.geometry.groups.held_out_scores import held_out_scores, wins_by_stratum
from embspace.geometry.groups.two_clouds import dealt_anew
from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.texts.text_cloud_shapes import central

Wins = tuple[Float[np.ndarray, " stratum"], Int[np.ndarray, " stratum"]]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The windows of two corpora, one after the other: all that is known besides the vectors."""

    is_first: Bool[np.ndarray, " n"]
    n_tokens: Int[np.ndarray, " n"]
    folds: Int[np.ndarray, " n"]
    labels: Float[np.ndarray, "n label"]
    """Whether a window is of the first corpus, then the same dealt anew several times."""

    @classmethod
    def of(
        cls,
        first: pd.DataFrame,
        second: pd.DataFrame,
        *,
        n_folds: int,
        n_shuffles: int,
        rng: np.random.Generator,
    ) -> "Comparison":
        """Return the comparison of two tables of windows with the numbers of their documents."""
        is_first = np.repeat([True, False], [len(first), len(second)])
        both = pd.concat([first, second], ignore_index=True)
        documents = both["document_number"].to_numpy(dtype=np.int64)
        shuffled = [dealt_anew(is_first, documents, rng) for _ in range(n_shuffles)]
        return cls(
            is_first=is_first,
            n_tokens=both["n_tokens"].to_numpy(dtype=np.int64),
            folds=folds_of(is_first, documents, n_folds, rng),
            labels=np.column_stack([is_first, *shuffled]).astype(np.float64),
        )


def comparisons_of(
    windows: Mapping[str, pd.DataFrame], *, n_folds: int, n_shuffles: int, rng: np.random.Generator
) -> dict[tuple[str, str], Comparison]:
    """Return the comparison of each pair of corpora, from the tables of `windows_by_document`."""
    return {
        (a, b): Comparison.of(
            windows[a], windows[b], n_folds=n_folds, n_shuffles=n_shuffles, rng=rng
        )
        for a, b in combinations(windows, 2)
    }


def separation_table(
    clouds: Mapping[str, GroupedVectors],
    comparisons: Mapping[tuple[str, str], Comparison],
    *,
    ridge: float,
    level: float,
) -> pd.DataFrame:
    """Return a row per pair of corpora, for a pooling and layer."""
    rows = []
    for (a, b), about in comparisons.items():
        row = separation_row(clouds[a], clouds[b], about, ridge=ridge, level=level)
        rows.append({"corpus": a, "other_corpus": b, **row})
    return pd.DataFrame(rows)


def folds_of(
    is_first: Bool[np.ndarray, " n"],
    documents: Int[np.ndarray, " n"],
    n_folds: int,
    rng: np.random.Generator,
) -> Int[np.ndarray, " n"]:
    """Return the fold of each row: a document lies in one fold, each corpus evenly in all."""
    first = rng.permutation(np.unique(documents[is_first]))
    second = rng.permutation(np.setdiff1d(documents, first))
    order = np.concatenate([first, second])
    fold = np.empty(documents.max() + 1, dtype=np.int64)
    fold[order] = np.arange(len(order)) % n_folds
    return fold[documents]


def separation_row(
    x: GroupedVectors, y: GroupedVectors, about: Comparison, *, ridge: float, level: float
) -> NumberRow:
    """Return how well a direction found on other documents tells corpora apart: see the stage."""
    vectors = np.concatenate([x.vectors, y.vectors])
    scores = held_out_scores(vectors, about.labels, about.folds, ridge=ridge)
    wins = wins_by_stratum(scores[:, 0], about.is_first, about.folds)
    null = [
        auc(wins_by_stratum(score, label > 0, about.folds))
        for score, label in zip(scores.T[1:], about.labels.T[1:], strict=True)
    ]
    lengths = about.n_tokens.astype(np.float64)
    by_length = auc(wins_by_stratum(lengths, about.is_first, about.folds))
    same_length = about.folds * (about.n_tokens.max() + 1) + about.n_tokens
    fair = wins_by_stratum(scores[:, 0], about.is_first, same_length)
    return {
        "n": len(x.centered),
        "n_other": len(y.centered),
        "n_shared_documents": len(np.intersect1d(x.groups, y.groups)),
        "between_corpora_share": between_share(x, y),
        "auc": auc(wins),
        "auc_standard_deviation": spread(wins),
        **central("null_auc", np.array(null), level),
        "length_auc": max(by_length, 1 - by_length),
        "equal_length_auc": auc(fair),
        "n_equal_length_pairs": int(fair[1].sum()),
    }


def between_share(x: GroupedVectors, y: GroupedVectors) -> float:
    """Return the share of variance between the means of two corpora of equal weight."""
    between = float(np.square(x.mean - y.mean).sum()) / 4
    around = sum(float(np.square(cloud.centered).sum(axis=1).mean()) for cloud in (x, y)) / 2
    return between / (between + around) if between + around > 0 else float("nan")


def auc(wins: Wins) -> float:
    """Return the area under the ROC curve within strata; NaN without a pair."""
    won, n_pairs = wins
    return float(won.sum() / n_pairs.sum()) if n_pairs.sum() else float("nan")


def spread(wins: Wins) -> float:
    """Return the standard deviation of the area between strata."""
    won, n_pairs = (array[wins[1] > 0] for array in wins)
    return float(np.std(won / n_pairs, ddof=1)) if len(won) > 1 else float("nan")

"""Stage `measure_outliers`: which texts lie far from the rest of their corpus, or from another.

`embspace outliers` asks the same of any corpus.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.inference.null_clouds import draws_of
from embspace.geometry.practice.outliers import FEWEST, nearest_of, tail_p_values
from embspace.measure.practice.corpora import (
    CorpusStates,
    clouds_at,
    gathered,
    load_corpora,
    shares_documents,
)
from embspace.measure.practice.judged_texts import (
    FALSE_DISCOVERIES,
    Judged,
    chosen_of,
    judged_among,
    judged_table,
    judged_within,
    kinds_of,
)
from embspace.measure.practice.scored_versions import K, half_of_documents
from embspace.measure.practice.text_vectors import TextVectors
from embspace.settings.stage import run_stage

FEW = 0.1  # of texts, at most, that must lie beyond all documents before any is an outlier
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
PLACE: dict[str, Column] = {"corpus": ("row", "texts of"), "among": ("row", "held against")}
Clouds = Mapping[str, TextVectors]


OUTLIERS = Analysis(
    noun="outliers",
    question="Which texts lie far from all others of a corpus, and from another corpus?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table(
            {
                **PLACE,
                "layer": ("row", "layer"),
                "n": ("count", "texts"),
                "n_documents": ("count", "documents there"),
                # Of texts with p <= .05: 0.05 or less by chance, beside halves of `among`.
                "share_below": ("outlier_share", "p ≤ 0.05"),
                "null_share_below": ("null_value", "in halves"),
                "null_share_below_high": ("null_value", "in halves at most"),
                # None where few documents allow outliers in crowds alone.
                "share": ("outlier_share", "outliers"),
                # Of Gaussian clouds for a corpus itself, else of halves of `among`.
                "null_share": ("null_value", "by chance"),
                "null_share_high": ("null_value", "at most"),
                "smallest_p": ("moment", "smallest p"),
            }
        ),
        # At the last layer, as are `texts` and `kinds`.
        "distances": Table(
            {
                **PLACE,
                "n": ("count", "texts"),
                "quantile_0.05": ("quantile", "5 %"),
                "quantile_0.25": ("quantile", "25 %"),
                "quantile_0.5": ("quantile", "median distance"),
                "quantile_0.75": ("quantile", "75 %"),
                "quantile_0.95": ("quantile", "95 %"),
            }
        ),
        "texts": Table(
            {
                **PLACE,
                "rank": "row",
                "id": ("name", "text"),
                "distance": ("distance", "distance"),
                "adjusted_p_value": ("moment", "adjusted p"),
                "is_outlier": ("name", "outlier"),
                "nearest": ("name", "nearest"),
                "text": ("name", "begins"),
            }
        ),
        "kinds": Table(
            {
                **PLACE,
                "trait": ("row", "trait"),
                "outliers": ("profile", "outliers"),
                "others": ("profile", "others"),
            }
        ),
    },
)


def measure_outliers(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=2 * (K + 1))],
    most_texts: Annotated[int, Field(ge=30)],
    n_null_draws: PositiveInt,
    n_listed: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how many texts lie far from the ten nearest, in their corpus and in another one.

    The distance of a text is the mean of 1 - cosine to the ten nearest texts of other documents.
    Within a corpus, p is by the tail of all distances (100 texts or more); the null is Gaussian
    clouds of equal mean and covariance. Against another corpus p is conformal; the null is halves
    of this corpus's documents against the other halves. `share_below` is of texts with p <= .05,
    `share` of outliers at a false discovery rate of 5 %. Conformal p have a `smallest_p`; where any
    would be chosen only if more than a tenth of the texts had it, `share` and its null are NaN.
    `distances`, `texts` (the farthest) and `kinds` (traits of outliers beside other texts) are of
    the last layer. Corpora that share most documents, as articles and their sentences do, are not
    compared.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in OUTLIERS.tables}
    some = {name: corpus.some(most_texts) for name, corpus in corpora.items()}
    n_layers = min((len(corpus.states[pooling]) for corpus in some.values()), default=0)
    for layer in range(n_layers):
        clouds = clouds_at(some, layer, pooling, fewest_documents)
        nulls = {name: _halves(cloud, n_null_draws, seed) for name, cloud in clouds.items()}
        judgments = [*_judgments(clouds)]
        for judged in judgments:
            null = nulls[judged.among.corpus]
            row = _row(judged, null, n_null_draws, seed)
            tables["csv"].append(pd.DataFrame([row | {"layer": layer}]))
        if layer == n_layers - 1:
            for judged in judgments:
                for name, table in _at_last(judged, n_listed).items():
                    tables[name].append(table)
    return gathered(OUTLIERS, tables)


def _judgments(clouds: Clouds) -> Iterator[Judged]:
    for cloud in clouds.values():
        if len(cloud) >= FEWEST:
            yield judged_within(cloud, K)
    for texts, among in permutations(clouds.values(), 2):
        if not shares_documents(texts, among):
            yield judged_among(texts, among, K)


def _halves(cloud: TextVectors, n: int, seed: int) -> np.ndarray:
    """Return shares of outliers and of p <= .05 among halves of the documents: (half, 2)."""
    shares = []
    for number in range(n):
        is_in = half_of_documents(cloud, seed + number)
        judged = judged_among(cloud.among(~is_in), cloud.among(is_in), K)
        shares.append((_chosen(judged), _below(judged)))
    return np.array(shares)


def _chosen(judged: Judged) -> float:
    """Return the share of outliers; NaN if the smallest p takes a crowd to be chosen."""
    is_crowd = judged.smallest_p > FALSE_DISCOVERIES * FEW
    return np.nan if is_crowd else float(judged.is_outlier.mean())


def _below(judged: Judged) -> float:
    return float((judged.p_value <= FALSE_DISCOVERIES).mean())


def _row(judged: Judged, halves: np.ndarray, n_draws: int, seed: int) -> dict[str, Any]:
    null = _gaussian(judged.texts, n_draws, seed) if judged.is_within else halves[:, 0]
    row = _place(judged) | {
        "n": len(judged.texts),
        "n_documents": judged.n_documents,
        "share": _chosen(judged),
        "null_share": null.mean(),
        "null_share_high": null.max(),
    }
    if judged.is_within:  # 5 % are below by construction
        return row
    return row | {
        "share_below": _below(judged),
        "null_share_below": halves[:, 1].mean(),
        "null_share_below_high": halves[:, 1].max(),
        "smallest_p": judged.smallest_p,
    }


def _gaussian(cloud: TextVectors, n: int, seed: int) -> np.ndarray:
    """Return the share of outliers in each of `n` Gaussian clouds."""
    rng, documents = np.random.default_rng(seed), cloud.documents
    draw = draws_of("gaussian_of_covariance", cloud.vectors.astype(np.float64))
    drawn = [draw(rng).astype(np.float32) for _ in range(n)]
    distances = [nearest_of(x, x, documents, documents, k=K).mean for x in drawn]
    return np.array([chosen_of(tail_p_values(distance)).mean() for distance in distances])


def _place(judged: Judged) -> dict[str, str]:
    return {"corpus": judged.texts.corpus, "among": judged.among.corpus}


def _at_last(judged: Judged, n_listed: int) -> dict[str, pd.DataFrame]:
    place, distance = _place(judged), judged.nearest.mean
    quantiles = np.nanquantile(distance, QUANTILES)
    row = {f"quantile_{name:g}": value for name, value in zip(QUANTILES, quantiles, strict=True)}
    table = judged_table(judged)
    listed = table.drop(columns="percentile").head(n_listed)
    return {
        "distances": pd.DataFrame([place | {"n": len(distance)} | row]),
        "texts": listed.assign(**place, rank=1 + np.arange(len(listed))),
        "kinds": kinds_of(table).assign(**place),
    }


main = OUTLIERS.main(measure_outliers)

if __name__ == "__main__":
    run_stage(main, measure_outliers)

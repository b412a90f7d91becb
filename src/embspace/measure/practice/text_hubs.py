"""Stage `measure_text_hubs`: whether some texts are neighbors of unusually many others.

`embspace hubs` asks the same of any corpus.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.inference.null_clouds import draws_of
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.practice.hub_reduction import (
    Reduction,
    k_occurrences,
    nearest_by,
    occurrence_skewness,
    reduced_similarity,
    scales_among,
)
from embspace.measure.practice.corpora import CorpusStates, gathered, held_out_corpora, load_corpora
from embspace.measure.practice.scored_versions import (
    CENTERED,
    EFFECT,
    RAW,
    SEED,
    K,
    centering,
    cosines,
    prepared,
    scored_labels,
    scored_search,
    search_ranks,
    table_of,
)
from embspace.measure.practice.text_vectors import HalfVectors, TextVectors
from embspace.settings.stage import run_stage

N_NULL = 39  # draws: the least p-value is 0.025
MOST_NULL = 3000  # texts of a cloud that is held against its null; of more, texts are drawn
MOST_REDUCED = 20_000  # texts up to which mutual proximity is computed
# How vectors are prepared, and the similarity by which neighbors are found.
VERSIONS: dict[str, tuple[str, Reduction]] = {
    "cosine": (RAW, "cosine"),
    "centered": (CENTERED, "cosine"),
    "local_scaling": (RAW, "local_scaling"),
    "mutual_proximity": (RAW, "mutual_proximity"),
    "csls": (RAW, "csls"),
}


def versions_for(n: int) -> list[str]:
    """Return the versions computed for `n` texts."""
    return [name for name in VERSIONS if name != "mutual_proximity" or n <= MOST_REDUCED]


def nearest_by_version(cloud: TextVectors, version: str) -> Int[np.ndarray, "text k"]:
    """Return the 10 nearest texts of further documents."""
    preparation, reduction = VERSIONS[version]
    x = prepared(cloud, preparation)
    return nearest_by(x, k=K, reduction=reduction, scale_k=K, document=cloud.documents)


class HubNull:
    """Gaussian clouds of the mean and covariance of a cloud, or of some texts of it."""

    def __init__(
        self, x: Float[np.ndarray, "n dim"], documents: Int[np.ndarray, " n"], seed: int = SEED
    ) -> None:
        """Draw the clouds."""
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.permutation(len(x))[:MOST_NULL])
        self.rows = rows
        some, document = x[rows].astype(np.float64), documents[rows]

        def counts_of(drawn: Float[np.ndarray, "n dim"]) -> Int[np.ndarray, " n"]:
            single = drawn.astype(np.float32)
            return k_occurrences(nearest_by(single, k=K, reduction="cosine", document=document))

        self.counts = counts_of(some)
        draw = draws_of("gaussian_of_covariance", some)
        drawn = [counts_of(draw(rng)) for _ in range(N_NULL)]
        self.skewness = np.array([occurrence_skewness(counts) for counts in drawn])
        self.largest = np.array([counts.max() for counts in drawn], dtype=float)
        self.antihubs = np.array([(counts == 0).mean() for counts in drawn])


def hubness_table(
    cloud: TextVectors, nearest: Mapping[str, Int[np.ndarray, "text k"]], null: HubNull
) -> pd.DataFrame:
    """Return hubness by version, beside the null."""
    rows = []
    for name, neighbors in nearest.items():
        rows.append({"version": name, "n": len(cloud), **_count_summary(k_occurrences(neighbors))})
    some = _count_summary(null.counts)
    rows.append({"version": "cosine, of the texts of the null", "n": len(null.counts), **some})
    rows.append(
        {
            "version": "null",
            "n": len(null.counts),
            "skewness": np.nanmean(null.skewness),
            "skewness_low": np.nanmin(null.skewness),
            "skewness_high": np.nanmax(null.skewness),
            "largest": null.largest.mean(),
            "antihubs": null.antihubs.mean(),
            "p_value": upper_p_value(some["skewness"], null.skewness),
        }
    )
    return pd.DataFrame(rows).assign(k=K)


def _count_summary(counts: Int[np.ndarray, " text"]) -> dict[str, float]:
    return {
        "skewness": occurrence_skewness(counts),
        "largest": float(counts.max()),
        "antihubs": float((counts == 0).mean()),
    }


def hub_tasks(
    cloud: TextVectors,
    halves: HalfVectors | None,
    nearest: Mapping[str, Int[np.ndarray, "text k"]],
    seed: int = SEED,
) -> pd.DataFrame:
    """Return search and labels by version, with differences from the plain cosine."""
    scored = []
    if halves is not None:
        ranks = {
            name: search_ranks(halves, _searched(cloud, halves, *VERSIONS[name]))
            for name in versions_for(len(cloud))
        }
        scored.append(scored_search(halves, ranks))
    if cloud.has_labels:
        scored.append(scored_labels(cloud, nearest))
    return table_of(scored, seed)


def _searched(
    cloud: TextVectors, halves: HalfVectors, preparation: str, reduction: Reduction
) -> Float[np.ndarray, "query candidate"]:
    """Return the similarities of queries with candidates, on the scales of the candidates."""
    queries, candidates = halves.queries, halves.candidates
    if preparation == CENTERED:
        queries, candidates = map(centering(cloud), (queries, candidates))
    cosine = cosines(queries, candidates)
    if reduction == "cosine":
        return cosine
    k = min(K, len(candidates) - 1)
    left = scales_among(queries, candidates, k=k)
    right = scales_among(candidates, candidates, k=k, is_same=True)
    return reduced_similarity(cosine, left, right, reduction)


TEXT_HUBS = Analysis(
    noun="text_hubs",
    question="Are some texts neighbors of unusually many, and does a remedy cost search?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "hubness": Table(
            {
                "corpus": ("row", "corpus"),
                "version": ("row", "similarity"),
                "n": ("count", "texts"),
                "skewness": ("profile", "hubness"),
                "null_skewness": ("null_value", "Gaussian clouds"),
                "null_skewness_low": "null_value",
                "null_skewness_high": "null_value",
                "p_value": ("p_value", "p"),
                "p_value_of_all": ("p_value", "p, all corpora"),
                "largest": ("profile", "largest"),
                "null_largest": "null_value",
                "antihubs": ("neighbor_share", "antihubs"),
                "null_antihubs": "null_value",
            }
        ),
        "tasks": Table({**EFFECT}),
    },
)


def measure_text_hubs(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_texts: Annotated[int, Field(ge=30)],
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how often texts are among the ten nearest of other texts, at the last layer.

    `skewness` is of these counts, `largest` the largest count, `antihubs` the share of texts that
    are nobody's neighbor: by cosine, centered, and with local scaling, mutual proximity and CSLS.
    The null, Gaussian clouds of the texts' mean and covariance, stands beside the plain cosine;
    `p_value_of_all` is p times the number of corpora (Bonferroni). `tasks` has what each version
    changes in search and labels, paired over documents. Corpora are chosen as by
    `measure_compression`; all of their texts are measured.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in TEXT_HUBS.tables}
    held = held_out_corpora(corpora, pooling, fewest_documents, most_texts, seed)
    for name, corpus in held.items():
        cloud = corpus.cloud
        nearest = {
            version: nearest_by_version(cloud, version) for version in versions_for(len(cloud))
        }
        hubness = hubness_table(cloud, nearest, HubNull(cloud.vectors, cloud.documents, seed))
        hubness = _beside_null(hubness)
        corrected = (hubness["p_value"] * len(held)).clip(upper=1)
        tables["hubness"].append(hubness.assign(corpus=name, p_value_of_all=corrected))
        tasks = hub_tasks(cloud, corpus.all_halves, nearest, seed)
        tables["tasks"].append(tasks.assign(corpus=name))
    return gathered(TEXT_HUBS, tables)


def _beside_null(hubness: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of versions, with the null in the row of the cosine."""
    null = hubness[hubness["version"] == "null"].iloc[0]
    rows = hubness[hubness["version"].isin(VERSIONS)].drop(columns="p_value", errors="ignore")
    columns = ["skewness", "skewness_low", "skewness_high", "largest", "antihubs"]
    beside = {f"null_{column}": null[column] for column in columns} | {"p_value": null["p_value"]}
    is_plain = rows["version"] == "cosine"
    return rows.assign(
        **{name: np.where(is_plain, value, np.nan) for name, value in beside.items()}
    )


main = TEXT_HUBS.main(measure_text_hubs)

if __name__ == "__main__":
    run_stage(main, measure_text_hubs)

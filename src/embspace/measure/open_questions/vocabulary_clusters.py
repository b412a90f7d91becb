"""Stage `measure_vocabulary_clusters`: the parts that make up the cloud of token embeddings.

The fourth question of Luisto's thesis, section 5.2, by the rules of docs/open_questions.md.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.files.rows import save_rows
from embspace.geometry.groups.density_clusters import best_jaccard
from embspace.geometry.groups.stable_clusters import (
    Clusters,
    Search,
    clusters_of,
    clusters_of_draws,
)
from embspace.geometry.inference.null_clouds import draws_of
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.practice.clusters import adjusted_rand_index
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

YES, NO = "yes", "no"
FREE, ON_SPHERE = "of the same covariance", "of the same covariance, at unit length"
CLOUDS = (FREE, ON_SPHERE)
VOCABULARY_CLUSTERS = Analysis(
    noun="vocabulary_clusters",
    question="Of which parts is the cloud of token embeddings made?",
    over="profiled",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
    },
    tables={
        "parts": Table(
            {
                "smallest": ("row", "smallest cluster"),
                "part": ("row", "part"),
                "n_tokens": ("count", "tokens"),
                "kind": ("name", "kind"),
                "kind_share": ("rank_share", "share of the kind"),
                "matched": ("rank_share", "halves with a match"),
                "jaccard": ("rank_share", "mean Jaccard index"),
                "stands": ("name", "stands"),
                "is_repeated": ("name", "also at a smaller size"),
                "tokens": ("name", "most typical tokens"),
            }
        ),
        "kinds": Table(
            {
                "smallest": ("row", "smallest cluster"),
                "part": ("row", "part"),
                "kind": ("row", "kind"),
                "n_tokens": ("count", "tokens"),
            }
        ),
        "sizes": Table(
            {
                "smallest": ("row", "smallest cluster"),
                "n_parts": ("count", "clusters"),
                "n_standing": ("count", "parts that stand"),
                "share_clustered": ("rank_share", "tokens in a cluster"),
                "share_standing": ("rank_share", "tokens in a part that stands"),
                "adjusted_rand_index": ("rank_share", "adjusted Rand index with kinds"),
                "adjusted_rand_index_clustered": ("rank_share", "among tokens in a cluster"),
            }
        ),
        "clouds": Table(
            {
                "smallest": ("row", "smallest cluster"),
                "cloud": ("row", "Gaussian clouds"),
                "n_clouds": ("setting", "clouds"),
                "n_parts": ("null_value", "clusters, mean"),
                "largest_matched": ("null_value", "halves with a match, at least"),
                "n_standing": ("null_value", "clouds with a cluster that stands"),
            }
        ),
    },
    data={"parquet": save_rows},  # the plane of two components, with the part of each token
    scalars={"n_tokens": "count", "n_parts": "count"},
)


def measure_vocabulary_clusters(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_neighbors: Annotated[int, Field(ge=2)],
    n_density: PositiveInt,
    smallest: Annotated[list[Annotated[int, Field(ge=4)]], Field(min_length=1)],
    n_half_samples: PositiveInt,
    share: Probability,
    jaccard: Probability,
    n_clouds: PositiveInt,
    n_listed: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Find clusters of the token embeddings at unit length, and mark the clusters that stand.

    `vocabulary` has token and kind for every row of the matrix `input`. `parts` has a row per
    cluster and smallest cluster, `sizes` a row per smallest cluster, `clouds` the values of
    Gaussian clouds. `json` counts the parts that stand, repeated parts only once. Verdicts are by
    docs/open_questions.md.
    """
    x = unit_rows(matrices["input"].astype(np.float32))
    if len(x) <= 2 * n_neighbors:
        return VOCABULARY_CLUSTERS.empty(n_tokens=0, n_parts=0)
    searches = [Search(size, n_density, n_half_samples, share, jaccard) for size in smallest]
    for_halves, for_clouds = np.random.default_rng(seed).spawn(2)
    graph = neighbor_graph_of(x, n_neighbors)
    own = [
        clusters_of(graph, how, rng)
        for how, rng in zip(searches, for_halves.spawn(len(searches)), strict=True)
    ]
    declared = VOCABULARY_CLUSTERS.tables
    clouds = declared["clouds"].of(_cloud_rows(x, n_neighbors, searches, n_clouds, for_clouds))
    null_standing = clouds.groupby("smallest")["n_standing"].sum()
    stand = [
        clusters.stands(how) & (null_standing[how.smallest] == 0)
        for clusters, how in zip(own, searches, strict=True)
    ]
    kinds = vocabulary["kind"].to_numpy()
    parts = declared["parts"].of(_parts(x, vocabulary, smallest, own, stand, n_listed, jaccard))
    plane = principal_components(x, n_components=2).coordinates
    labels = {f"part_{size}": y.labels + 1 for size, y in zip(smallest, own, strict=True)}
    standing = parts[(parts["stands"] == YES) & (parts["is_repeated"] == NO)] if len(parts) else ()
    return {
        "parts": parts,
        "kinds": declared["kinds"].of(_kinds(kinds, smallest, own)),
        "sizes": declared["sizes"].of(_sizes(kinds, smallest, own, stand)),
        "clouds": clouds,
        "parquet": pd.DataFrame(
            {"id": vocabulary["id"], "x": plane[:, 0], "y": plane[:, 1], **labels}
        ),
        "json": {"n_tokens": len(x), "n_parts": len(standing)},
    }


def _cloud_rows(
    x: Float[np.ndarray, "n dim"],
    n_neighbors: int,
    searches: Sequence[Search],
    n_clouds: int,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield the values of Gaussian clouds, by kind of cloud and smallest cluster."""
    draw = draws_of("gaussian_of_covariance", x.astype(np.float64))
    for kind, own in zip(CLOUDS, rng.spawn(len(CLOUDS)), strict=True):
        facts = clusters_of_draws(
            draw, n_neighbors, searches, n_clouds, own, on_sphere=kind == ON_SPHERE
        )
        for how, row in zip(searches, facts, strict=True):
            yield {"smallest": how.smallest, "cloud": kind, "n_clouds": n_clouds, **row}


def _parts(
    x: Float[np.ndarray, "n dim"],
    vocabulary: pd.DataFrame,
    smallest: Sequence[int],
    own: Sequence[Clusters],
    stand: Sequence[Bool[np.ndarray, " cluster"]],
    n_listed: int,
    jaccard: float,
) -> Iterator[dict[str, Any]]:
    """Yield a row per cluster, from the smallest clusters on; typical tokens name a cluster."""
    kinds, tokens = vocabulary["kind"], vocabulary["token"]
    for number, (size, clusters, standing) in enumerate(zip(smallest, own, stand, strict=True)):
        repeated = _repeated(jaccard, clusters.labels, own[:number], stand[:number])
        for part in range(len(clusters.matched)):
            rows = np.flatnonzero(clusters.labels == part)
            counts = kinds.iloc[rows].value_counts()
            typical = np.argsort(-(x[rows] @ x[rows].mean(axis=0)), kind="stable")[:n_listed]
            yield {
                "smallest": size,
                "part": part + 1,
                "n_tokens": len(rows),
                "kind": counts.index[0],
                "kind_share": counts.iloc[0] / len(rows),
                "matched": clusters.matched[part],
                "jaccard": clusters.jaccard[part],
                "stands": YES if standing[part] else NO,
                "is_repeated": YES if repeated[part] else NO,
                "tokens": " ".join(tokens.iloc[rows[typical]]),
            }


def _repeated(
    jaccard: float,
    labels: Int[np.ndarray, " n"],
    before: Sequence[Clusters],
    stand: Sequence[Bool[np.ndarray, " cluster"]],
) -> Bool[np.ndarray, " cluster"]:
    """Mark the parts that also stand at a smaller size, the same but for few tokens."""
    n = int(labels.max(initial=-1)) + 1
    repeated = np.zeros(n, dtype=np.bool_)
    for clusters, standing in zip(before, stand, strict=True):
        kept = np.append(standing, False)[clusters.labels]  # -1 is the last
        other = np.where(kept, clusters.labels, -1)
        repeated |= best_jaccard(labels, other, n) > jaccard
    return repeated


def _kinds(
    kinds: np.ndarray, smallest: Sequence[int], own: Sequence[Clusters]
) -> Iterator[dict[str, Any]]:
    for size, clusters in zip(smallest, own, strict=True):
        table = pd.DataFrame({"part": clusters.labels + 1, "kind": kinds})
        counts = table.value_counts(sort=False).reset_index(name="n_tokens")
        for row in counts.to_dict("records"):
            yield {"smallest": size} | {str(name): value for name, value in row.items()}


def _sizes(
    kinds: np.ndarray,
    smallest: Sequence[int],
    own: Sequence[Clusters],
    stand: Sequence[Bool[np.ndarray, " cluster"]],
) -> Iterator[dict[str, Any]]:
    codes = np.unique(kinds, return_inverse=True)[1]
    for size, clusters, standing in zip(smallest, own, stand, strict=True):
        inside = clusters.labels >= 0
        yield {
            "smallest": size,
            "n_parts": len(clusters.matched),
            "n_standing": int(standing.sum()),
            "share_clustered": inside.mean(),
            "share_standing": np.append(standing, False)[clusters.labels].mean(),
            "adjusted_rand_index": adjusted_rand_index(clusters.labels + 1, codes),
            "adjusted_rand_index_clustered": adjusted_rand_index(
                clusters.labels[inside], codes[inside]
            ),
        }


main = VOCABULARY_CLUSTERS.main(measure_vocabulary_clusters)

if __name__ == "__main__":
    run_stage(main, measure_vocabulary_clusters)

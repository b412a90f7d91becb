"""Stage `measure_nearest_neighbors`: the exact nearest neighbors of every vector, and the hubs.

One graph per cloud, from all pairs. Maps, their quality and dimension estimates share it.
"""

from functools import partial

import numpy as np
import pandas as pd
from pydantic import PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import LearnedCloud, clouds_of
from embspace.device import Device, on_device
from embspace.files.graphs import save_graphs
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.summary import summary_of
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

NEAREST_NEIGHBORS = Analysis(
    noun="nearest_neighbors",
    question="What lies near what? Exact neighbors of all vectors, and hubs",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
        "regimes": "results/regimes/positions/{model}.csv",
    },
    tables={
        # Distances to the first and the last neighbor kept, and k-occurrences.
        "summary": Table({"cloud": "row", "k": "row", "quantity": "row", **SUMMARY}),
        # How many vectors are how often among the nearest of others.
        "occurrence": Table({"cloud": "row", "k": "row", "k_occurrence": "row", "count": "count"}),
        "hubs": Table(
            {
                "cloud": "row",
                "rank": "row",
                "space": ("row", "space"),
                "id": ("id", "id"),
                "token": ("name", "token"),
                "k_occurrence": ("count", "k-occurrence"),
            }
        ),
    },
    data={"safetensors": save_graphs},  # by cloud
    undrawn=["safetensors"],
)


def measure_nearest_neighbors(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    regimes: pd.DataFrame,
    *,
    n_neighbors: PositiveInt,
    hubness_n_neighbors: PositiveInt,
    n_hubs: PositiveInt,
    quantiles: list[Probability],
    device: Device,
) -> Outcome:
    """Return the neighbors by Euclidean distance in every cloud of `clouds_of`.

    In a cloud of at most `n_neighbors` vectors, every vector has all others as neighbors. Hubness
    is the skewness of the k-occurrences (Radovanovic, Nanopoulos and Ivanovic 2010). `regimes` is
    the table of positions of `measure_regimes`.
    """
    from tqdm import tqdm

    graphs, summary, occurrence, hubs = {}, [], [], []
    for name, cloud in clouds_of(matrices, regimes).items():
        progress = partial(tqdm, desc=f"neighbors, {name}", unit="block", disable=None)
        x = on_device(cloud.vectors, device)
        graph = scan_pairs(x, n_neighbors=n_neighbors, progress=progress).neighbors
        assert graph is not None  # it was asked for
        graphs[name] = graph
        nearest = graph.first(min(hubness_n_neighbors, graph.k))
        in_degrees = nearest.in_degrees()
        summary += [
            {"cloud": name, "k": k, "quantity": quantity, **summary_of(values, quantiles)}
            for k, quantity, values in (
                (1, "euclidean_distance", graph.distances[:, 0]),
                (graph.k, "euclidean_distance", graph.distances[:, -1]),
                (nearest.k, "k_occurrence", in_degrees.astype(np.float64)),
            )
        ]
        counts = np.bincount(in_degrees)
        present = np.flatnonzero(counts)
        table = {"cloud": name, "k": nearest.k, "k_occurrence": present, "count": counts[present]}
        occurrence.append(pd.DataFrame(table))
        hubs.append(_hubs(name, cloud, vocabulary, in_degrees, n_hubs))
    return {
        "safetensors": graphs,
        "summary": pd.DataFrame(summary),
        "occurrence": pd.concat(occurrence, ignore_index=True),
        "hubs": pd.concat(hubs, ignore_index=True),
    }


def _hubs(
    name: str, cloud: LearnedCloud, vocabulary: pd.DataFrame, in_degrees: np.ndarray, n_hubs: int
) -> pd.DataFrame:
    """Return the most frequent neighbors; at equal counts, the first rows."""
    rows = np.argsort(-in_degrees, kind="stable")[:n_hubs]
    tokens = vocabulary["token"].to_numpy()
    spaces = [cloud.spaces[row] for row in rows]
    return pd.DataFrame(
        {
            "cloud": name,
            "rank": np.arange(1, len(rows) + 1),
            "space": spaces,
            "id": cloud.ids[rows],
            "token": [
                tokens[number] if space == "input" else ""
                for space, number in zip(spaces, cloud.ids[rows], strict=True)
            ],
            "k_occurrence": in_degrees[rows],
        }
    )


main = NEAREST_NEIGHBORS.main(measure_nearest_neighbors)

if __name__ == "__main__":
    run_stage(main, measure_nearest_neighbors)

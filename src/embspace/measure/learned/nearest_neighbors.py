"""Stage `measure_nearest_neighbors`: the exact nearest neighbors of every vector, and the hubs.

One graph a cloud, from all pairs. Maps, their quality and dimension estimates share it.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from pydantic import PositiveInt

from embspace.clouds.learned import LearnedCloud, clouds_of
from embspace.device import Device, on_device
from embspace.files.graphs import save_graphs
from embspace.files.rows import load_rows
from embspace.files.tables import load_table, save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.measure.tables.summary import summary_of
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability


@dataclass(frozen=True)
class Neighbors:
    """The graphs by cloud, and three tables."""

    graphs: dict[str, NeighborGraph]
    summary: pd.DataFrame
    """Distances to the first and the last neighbor kept, and k-occurrences."""
    occurrence: pd.DataFrame
    """How many vectors are how often among the nearest of others."""
    hubs: pd.DataFrame


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
) -> Neighbors:
    """Neighbors by Euclidean distance in every cloud of `clouds_of`, at most all others.

    Hubness is the skewness of the k-occurrences (Radovanovic, Nanopoulos and Ivanovic 2010).
    `regimes` is the table of positions of `measure_regimes`.
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
    return Neighbors(
        graphs,
        pd.DataFrame(summary),
        pd.concat(occurrence, ignore_index=True),
        pd.concat(hubs, ignore_index=True),
    )


def _hubs(
    name: str, cloud: LearnedCloud, vocabulary: pd.DataFrame, in_degrees: np.ndarray, n_hubs: int
) -> pd.DataFrame:
    """The most frequent neighbors; of equal ones the first."""
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_nearest_neighbors(
        load_tensors(f"data/extracted/embeddings/{name}.safetensors"),
        load_rows(f"data/extracted/embeddings/{name}.parquet"),
        load_table(f"results/regimes/positions/{name}.csv"),
        **config.settings,
    )
    save_graphs(found.graphs, f"data/measured/nearest_neighbors/{name}.safetensors")
    save_table(found.summary, f"results/nearest_neighbors/summary/{name}.csv")
    save_table(found.occurrence, f"results/nearest_neighbors/occurrence/{name}.csv")
    save_table(found.hubs, f"results/nearest_neighbors/hubs/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_nearest_neighbors)

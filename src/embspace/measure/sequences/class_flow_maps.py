"""Maps of the first token of sequences at some layers, and what the maps keep."""

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.tables import Row
from embspace.geometry.maps.maps import map_quality
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.project.layouts.tsne import tsne_layout

COORDINATES = ["pca_1", "pca_2", "tsne_1", "tsne_2"]


@dataclass(frozen=True)
class Layout:
    """Settings of t-SNE, for `tsne_layout`."""

    perplexity: float
    early_exaggeration: float
    early_exaggeration_iter: int
    n_iter: int
    jitter: float
    seed: int


def class_maps(
    cls: Float[np.ndarray, "layer text dim"],
    sequences: Sequences,
    layout: Layout,
    *,
    n_layers: int,
    n_neighbors: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return principal components and t-SNE of all texts at some layers, and the maps' quality.

    A layer at which all texts have one vector has no map; neither has any of too few texts for
    the neighbors.
    """
    from joblib import Parallel, delayed

    last = len(cls) - 1
    layers = sorted({round(layer) for layer in np.linspace(1, last, min(n_layers, last))})
    enough = cls.shape[1] > 2 * n_neighbors
    drawn = [layer for layer in layers if enough and np.ptp(cls[layer], axis=0).any()]
    calls = (delayed(_maps_of)(cls[layer], layout, n_neighbors) for layer in drawn)
    tables, rows = list[pd.DataFrame](), list[Row]()
    for layer, (coordinates, quality) in zip(drawn, Parallel(n_jobs=-1)(calls), strict=True):
        table = pd.DataFrame(coordinates, columns=COORDINATES)
        table["layer"] = layer
        table["text"] = np.arange(len(table))
        table["document"] = sequences.document
        table["class"] = [sequences.classes[number] for number in sequences.label]
        tables.append(table)
        rows += [{"layer": layer, **row} for row in quality]
    maps = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    return maps, pd.DataFrame(rows)


def _maps_of(
    x: Float[np.ndarray, "text dim"], layout: Layout, n_neighbors: int
) -> tuple[Float[np.ndarray, "text 4"], list[Row]]:
    components = principal_components(x, n_components=2)
    graph = neighbor_graph_of(x, min(len(x) - 1, int(np.ceil(3 * layout.perplexity))))
    tsne = tsne_layout(graph, components.coordinates, **asdict(layout))
    rows: list[Row] = []
    for method, coordinates in (("pca", components.coordinates), ("tsne", tsne)):
        quality = map_quality(x, coordinates, n_neighbors=n_neighbors)
        row: Row = {"method": method, "n": quality.n, "n_neighbors": n_neighbors}
        if method == "pca":
            for number, share in enumerate(components.explained_variance, 1):
                row[f"explained_variance_{number}"] = float(share)
        row["trustworthiness"] = quality.trustworthiness
        row["chance_trustworthiness"] = quality.chance_trustworthiness
        row |= {"continuity": quality.continuity, "neighbor_recall": quality.neighbor_recall}
        rows.append(row)
    return np.hstack([components.coordinates, tsne]), rows

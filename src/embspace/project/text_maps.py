"""Stage `project_text_maps`: texts of several corpora on maps, by PCA, t-SNE and UMAP.

Luisto's thesis, section 4.4.3, figure 25, has as many texts of one source as of another.
"""

import logging
from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.documents import large_enough
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS, TextCloud, load_text_clouds
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.geometry.maps.maps import map_quality
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.maps.prepared import Preparation, prepared
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.project.layouts.tsne import tsne_layout
from embspace.project.layouts.umap import umap_layout
from embspace.project.maps import LayoutFunction, most_neighbors, quality_columns
from embspace.project.text_map_neighbors import Draws, rows_of_neighbors
from embspace.settings.params import CorpusName
from embspace.settings.roles import Role, corpora_in_roles
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

Sources = Annotated[list[str], Field(min_length=2)]
MapSpace = tuple[str, Pooling, Preparation]
"""The name of a map, a pooling and a preparation."""
PlaneLayout = Float[np.ndarray, "n 2"]
FEWEST = 4  # points that have a map, and neighbors in it
ROUNDING = 1e-5  # of the largest norm: how far rounding in float32 may part equal vectors
KEYS = ["map", "pooling", "preparation", "layer", "method"]
COORDINATES = [*KEYS, "corpus", "text", "window", "document", "domain", "subject", "x", "y"]


MAP: dict[str, Column] = dict.fromkeys(KEYS, "row")
TEXT_MAPS = Analysis(
    noun="text_maps",
    question="How do texts of several kinds lie on a plane? Fig. 25",
    verb="project",
    reads={"clouds": Source(load_text_clouds, TEXT_FOLDERS, lists=["corpora"])},
    data={"parquet": save_rows},  # the coordinates, a row for each map and window
    tables={
        "quality": Table(  # of each map, beside chance
            {
                **MAP,
                "n": "count",
                "k": "row",
                "trustworthiness": "map_quality",
                "chance_trustworthiness": "moment",
                "continuity": "map_quality",
                "chance_continuity": "moment",
                "neighbor_recall": "map_recall",
                "chance_neighbor_recall": "moment",
            }
        ),
        # How alike the nearest are on each map, or in the `space` that it shows, by corpus.
        "neighbors": Table(
            {
                **MAP,
                "corpus": "row",
                "n": "count",
                "k": "row",
                "same_corpus_share": "map_alike",
                "chance_same_corpus_share": "moment",
                "same_document_share": "map_alike",
                "chance_same_document_share": "moment",
                "same_domain_share": "map_alike",
                "chance_same_domain_share": "moment",
                "shuffled_same_corpus_share_low": "map_alike",
                "shuffled_same_corpus_share_high": "map_alike",
                "same_corpus_share_low": "map_alike",
                "same_corpus_share_high": "map_alike",
                "mean_k_occurrence": "map_occurrence",
            }
        ),
    },
)


def project_text_maps(
    clouds: dict[str, TextCloud],
    *,
    fewest_documents: PositiveInt,
    maps: dict[str, Sources | None],
    preparations: dict[Pooling, list[Preparation]],
    layer: int,
    perplexity: PositiveFloat,
    early_exaggeration: PositiveFloat,
    early_exaggeration_iter: NonNegativeInt,
    n_iter: NonNegativeInt,
    n_neighbors: Annotated[int, Field(ge=2)],
    min_dist: Annotated[float, Field(ge=0, le=1)],
    n_epochs: PositiveInt,
    negative_sample_rate: PositiveInt,
    jitter: PositiveFloat,
    quality_n_neighbors: PositiveInt,
    n_shuffles: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    roles: dict[Role, CorpusName],
    seed: NonNegativeInt,
) -> Outcome:
    """Maps of the vectors of several corpora together, at a layer, by pooling and preparation.

    A map of `maps` has the named corpora, or the corpora with the roles named in braces, with as
    many randomly drawn vectors as the smallest corpus; a map without names has all vectors of all
    corpora. Vectors are `raw`, of `unit_length` (distances order as cosines do), or of unit length
    about the mean of all. t-SNE and UMAP use the exact Euclidean neighbors and start from two
    principal components. Left out are a corpus of fewer than `fewest_documents`, and, with a
    warning, maps of this corpus and vectors that are all equal, as from one repeated text.

    `neighbors` has the share of a vector's `k` nearest from the same corpus, document or domain,
    averaged over the corpus, beside the share by chance; for the corpus also the central `level` of
    the share with the vectors' corpora shuffled `n_shuffles` times, and an interval at this level
    over `n_resamples` halves of the documents, given the map; and how often a vector of the corpus
    is among the nearest of any vector, `k` on average: a high number means a hub.
    """
    named = {name: _in_roles(sources, roles) for name, sources in maps.items()}
    generator = np.random.default_rng(seed)
    chosen = _on_maps(large_enough(clouds, fewest_documents), named, generator)
    about = {name: _windows(kept) for name, kept in chosen.items()}
    layer, spaces = _spaces(chosen, preparations, layer)
    if not spaces:
        return TEXT_MAPS.empty() | {"parquet": pd.DataFrame(columns=COORDINATES)}
    ks = {name: most_neighbors(len(rows), quality_n_neighbors) for name, rows in about.items()}
    n_sought = max(ceil(3 * perplexity), n_neighbors - 1)
    graphs = {space: _nearest(x, max(n_sought, ks[space[0]])) for space, x in spaces.items()}
    methods: dict[str, LayoutFunction] = {
        "tsne": partial(
            tsne_layout,
            perplexity=perplexity,
            early_exaggeration=early_exaggeration,
            early_exaggeration_iter=early_exaggeration_iter,
            n_iter=n_iter,
            jitter=jitter,
            seed=seed,
        ),
        "umap": partial(
            umap_layout,
            n_neighbors=n_neighbors,
            min_dist=min_dist,
            n_epochs=n_epochs,
            negative_sample_rate=negative_sample_rate,
            jitter=jitter,
            seed=seed,
        ),
    }
    layouts = _layouts(spaces, graphs, methods)
    draws = Draws(n_shuffles, n_resamples, level, *generator.spawn(2))
    tables = [
        _tables(
            about[space[0]],
            (*space, layer),
            x,
            layouts[space],
            graphs[space].first(ks[space[0]]),
            draws,
        )
        for space, x in spaces.items()
    ]
    joined = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    return dict(zip(("parquet", "quality", "neighbors"), joined, strict=True))


def _windows(clouds: Mapping[str, TextCloud]) -> pd.DataFrame:
    """Return a row per window of all corpora, in order."""
    parts = [cloud.windows.assign(corpus=corpus) for corpus, cloud in clouds.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _in_roles(sources: Sources | None, roles: Mapping[Role, str]) -> Sources | None:
    return sources and corpora_in_roles(sources, roles)


def _on_maps(
    clouds: Mapping[str, TextCloud], maps: Mapping[str, Sources | None], rng: np.random.Generator
) -> dict[str, dict[str, TextCloud]]:
    """The corpora of every map with enough vectors, with the vectors on the map."""
    chosen: dict[str, dict[str, TextCloud]] = {}
    for (name, named), stream in zip(maps.items(), rng.spawn(len(maps)), strict=True):
        lacking = [corpus for corpus in named or () if corpus not in clouds]
        if lacking and clouds:
            logging.getLogger(__name__).warning(
                "%s: no map, for there are not enough texts of %s", name, " and ".join(lacking)
            )
        elif named is None:
            chosen[name] = dict(clouds)
        elif not lacking:
            chosen[name] = _equally_many({corpus: clouds[corpus] for corpus in named}, stream)
    sizes = {
        name: sum(len(cloud.windows) for cloud in kept.values()) for name, kept in chosen.items()
    }
    return {name: kept for name, kept in chosen.items() if sizes[name] >= FEWEST}


def _equally_many(
    clouds: Mapping[str, TextCloud], rng: np.random.Generator
) -> dict[str, TextCloud]:
    """Return as many windows of every corpus as the smallest has, at random, in order."""
    n = min(len(cloud.windows) for cloud in clouds.values())
    drawn = {}
    for corpus, cloud in clouds.items():
        rows = np.sort(rng.choice(len(cloud.windows), n, replace=False))
        states = {pooling: x[:, rows] for pooling, x in cloud.states.items()}
        drawn[corpus] = TextCloud(states, cloud.windows.iloc[rows])
    return drawn


def _spaces(
    chosen: Mapping[str, Mapping[str, TextCloud]],
    preparations: Mapping[Pooling, list[Preparation]],
    layer: int,
) -> tuple[int, dict[MapSpace, Float[np.ndarray, "n dim"]]]:
    """Return the number of the layer, and its vectors on every map where they are not all equal."""
    spaces: dict[MapSpace, Float[np.ndarray, "n dim"]] = {}
    n_layers = 1
    for name, clouds in chosen.items():
        n_layers = len(next(iter(next(iter(clouds.values())).states.values())))
        if not -n_layers <= layer < n_layers:
            raise InputError(
                f"conf/project/text_maps.yaml: key 'layer': found {layer}, allowed: {-n_layers} to "
                f"{n_layers - 1}, the layers of this model"
            )
        for pooling, wanted in preparations.items():
            x = np.concatenate([cloud.states[pooling][layer] for cloud in clouds.values()])
            differing = _that_differ(x, wanted)
            spaces |= {(name, pooling, preparation): y for preparation, y in differing.items()}
            for lost in (preparation for preparation in wanted if preparation not in differing):
                logging.getLogger(__name__).warning(
                    "%s, %s, %s: no map, for all %s vectors are equal", name, pooling, lost, len(x)
                )
    return layer % n_layers, spaces


def _that_differ(
    x: Float[np.ndarray, "n dim"], preparations: list[Preparation]
) -> dict[Preparation, Float[np.ndarray, "n dim"]]:
    """Return the prepared vectors by preparation, if they differ both before and after it."""
    spaces = {preparation: prepared(x, preparation) for preparation in preparations if _differ(x)}
    return {preparation: y for preparation, y in spaces.items() if _differ(y)}


def _differ(x: Float[np.ndarray, "n dim"]) -> bool:
    """Return whether some row differs from the first beyond rounding."""
    return bool(norms(x - x[0]).max() > ROUNDING * norms(x).max())


def _nearest(x: Float[np.ndarray, "n dim"], k: int) -> NeighborGraph:
    neighbors = scan_pairs(x, n_neighbors=k).neighbors
    assert neighbors is not None  # they were asked for
    return neighbors


def _layouts(
    spaces: Mapping[MapSpace, Float[np.ndarray, "n dim"]],
    graphs: Mapping[MapSpace, NeighborGraph],
    methods: Mapping[str, LayoutFunction],
) -> dict[MapSpace, dict[str, PlaneLayout]]:
    """Return the maps of each space by method, PCA first; every core makes one map at a time."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    maps: dict[MapSpace, dict[str, PlaneLayout]] = {
        space: {"pca": principal_components(x, n_components=2).coordinates}
        for space, x in spaces.items()
    }
    tasks = [(space, method) for method in methods for space in spaces]
    calls = (delayed(methods[method])(graphs[space], maps[space]["pca"]) for space, method in tasks)
    layouts = Parallel(n_jobs=-1, return_as="generator")(calls)
    progress = tqdm(layouts, total=len(tasks), desc="maps of texts", disable=None)
    for (space, method), layout in zip(tasks, progress, strict=True):
        maps[space][method] = layout
    return maps


def _tables(
    about: pd.DataFrame,
    place: tuple[str, Pooling, Preparation, int],
    x: Float[np.ndarray, "n dim"],
    layouts: Mapping[str, PlaneLayout],
    graph: NeighborGraph,
    draws: Draws,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables of a space's maps: coordinates, quality, and neighbors by kind."""
    key: dict[str, Any] = dict(zip(KEYS, place, strict=False))
    coordinates, quality = [], []
    neighbors = rows_of_neighbors(about, graph, {**key, "method": "space"}, draws)
    for method, layout in layouts.items():
        map_key = {**key, "method": method}
        coordinates.append(_coordinates(about, layout, map_key))
        measured = map_quality(x, layout.astype(np.float64), n_neighbors=graph.k, graph=graph)
        quality.append({**map_key, **quality_columns(measured)})
        neighbors += rows_of_neighbors(about, _nearest(layout, graph.k), map_key, draws)
    return pd.concat(coordinates), pd.DataFrame(quality), pd.DataFrame(neighbors)


def _coordinates(about: pd.DataFrame, layout: PlaneLayout, key: dict[str, Any]) -> pd.DataFrame:
    x, y = layout.T.astype(np.float32)
    return about.assign(**key, x=x, y=y)[COORDINATES]


main = TEXT_MAPS.main(project_text_maps)

if __name__ == "__main__":
    run_stage(main, project_text_maps)

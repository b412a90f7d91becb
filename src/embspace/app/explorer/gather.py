"""Gathers what the explorer shows of a model from the files of a computed tree."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.explorer.cosines import (
    ABOUT_MEAN,
    CENTERED,
    COSINE,
    in_hundredths,
    learned_vectors,
)
from embspace.app.explorer.layers_of import layers_of
from embspace.app.explorer.packing import Pack
from embspace.app.explorer.text_windows import (
    NEARNESS,
    counted_words,
    snippet,
    window_texts,
    window_vectors,
)
from embspace.draw.page.looks import CLOUDS, MAP_METHODS, SPACES, TOKEN_KINDS, corpus_looks
from embspace.draw.page.token_kinds import token_kinds
from embspace.files.graphs import load_graphs
from embspace.files.rows import load_rows
from embspace.files.tables import load_table

METHODS = ("pca", "tsne", "umap")
N_NEIGHBORS = 6  # of each point, that the page holds: enough for a list beside the map
MOST_POINTS = 65_535  # row numbers have two bytes; of a larger vocabulary no neighbors are held
VARIANT = ["pooling", "preparation", "layer"]  # columns that tell the maps of one set of texts
ROW = ["corpus", "text", "window"]

Part = dict[str, Any]
"""A part of what the page's script reads, in JSON's types."""


def gathered(
    folder: Path, model: str, pack: Pack, nouns: Collection[str] | None = None
) -> Part | None:
    """Return the sets of points of a model and their maps; the numbers go into `pack`.

    None if the tree in `folder` has no map of the model; with `nouns`, of these analyses.
    """
    has_all = nouns is None or "projections" in nouns
    methods = [method for method in METHODS if has_all or method in (nouns or ())]
    sets = [*_learned(folder, model, pack, methods)]
    if nouns is None or "text_maps" in nouns:
        sets += _texts(folder, model, pack)
    mapped = [part for part in sets if part["maps"]]
    if not mapped:
        return None
    for part in mapped:
        part["start"] = _truest(part["maps"])
    return {
        "model": model,
        "sets": mapped,
        "trails": _trails(folder, model),
        "layers": layers_of(folder, model, pack),
    }


def _truest(maps: list[Part]) -> int:
    """Return the map with the largest share of kept neighbors; among equal maps the first."""
    return max(range(len(maps)), key=lambda number: maps[number]["recall"])


def _learned(folder: Path, model: str, pack: Pack, methods: Collection[str]) -> Iterator[Part]:
    """Yield the learned vectors together, and the positions alone."""
    coordinates = {
        method: load_rows(str(path))
        for method in methods
        if (path := folder / f"data/projected/{method}/{model}.parquet").exists()
    }
    if not coordinates:
        return
    first = next(iter(coordinates.values()))
    name = "joint" if (first["cloud"] == "joint").any() else "input"
    rows = first[first["cloud"] == name].reset_index(drop=True)
    if len(rows):
        whole = _vectors(folder, model, rows, pack)
        whole["maps"] = list(
            _maps(folder, model, [name, f"{name}_centered"], coordinates, rows, pack)
        )
        yield whole
    positions = first[first["cloud"] == "positional"].reset_index(drop=True)
    if len(positions):
        number = pack.add_scaled(positions["id"].to_numpy(dtype=float))
        look = SPACES["positional"]
        yield {
            "title": "positions",
            "names": [str(position) for position in positions["id"]],
            "categories": [
                _category(
                    "kind",
                    pd.Series("positional", positions.index),
                    {"positional": (look.name, look.color)},
                    pack,
                )
            ],
            "scalars": [{"name": "position", **number}],
            "maps": list(_maps(folder, model, ["positional"], coordinates, positions, pack)),
        }


def _vectors(folder: Path, model: str, rows: pd.DataFrame, pack: Pack) -> Part:
    """Return tokens and positions with kinds, norms and cosines to the mean."""
    is_token = (rows["space"] == "input").to_numpy()
    kinds = pd.Series("positional", rows.index)
    vocabulary = folder / f"data/extracted/embeddings/{model}.parquet"
    if vocabulary.exists():
        kind_by_token = token_kinds(load_rows(str(vocabulary)))
        kinds[is_token] = kind_by_token.reindex(rows.loc[is_token, "id"]).fillna("other").to_numpy()
    else:
        kinds[is_token] = "word"
    looks = {kind: (look.name, look.color) for kind, look in TOKEN_KINDS.items()}
    looks["positional"] = ("positions", SPACES["positional"].color)
    scalars = []
    near = folder / f"data/measured/mean_embedding/{model}.parquet"
    if near.exists():
        measured = load_rows(str(near)).set_index("id")
        for column, title in (("norm", "norm"), ("cosine", "cosine to the mean embedding")):
            values = np.full(len(rows), np.nan)
            values[is_token] = measured[column].reindex(rows.loc[is_token, "id"]).to_numpy()
            scalars.append({"name": title, **pack.add_scaled(values)})
    places = "position " + rows["id"].astype(str)
    return {
        "title": "vocabulary",
        "names": [str(name) for name in np.where(is_token, rows["token"], places)],
        "categories": [_category("kind", kinds, looks, pack)],
        "scalars": scalars,
    }


def _category(name: str, values: pd.Series, looks: dict[str, tuple[str, str]], pack: Pack) -> Part:
    """Return a way to tell points apart: names, colors, and the number of each point's category."""
    present = [key for key in looks if (values == key).any()]
    numbers = values.map({key: number for number, key in enumerate(present)})
    return {
        "name": name,
        "labels": [looks[key][0] for key in present],
        "colors": [_hex(looks[key][1]) for key in present],
        "array": pack.add(numbers.to_numpy(dtype=np.int64), n_bytes=1),
    }


def _hex(color: str) -> str:
    """Return a color as #rrggbb; Matplotlib writes a gray as a number from 0 to 1."""
    return color if color.startswith("#") else "#" + f"{round(255 * float(color)):02x}" * 3


def _maps(
    folder: Path,
    model: str,
    clouds: list[str],
    coordinates: dict[str, pd.DataFrame],
    rows: pd.DataFrame,
    pack: Pack,
) -> Iterator[Part]:
    """Yield the maps of clouds with the points of `rows`, by every method."""
    path = folder / f"data/measured/nearest_neighbors/{model}.safetensors"
    graphs = load_graphs(str(path)) if path.exists() and len(rows) <= MOST_POINTS else {}
    held = dict[str, Part]()
    for cloud in clouds:
        if cloud in graphs and graphs[cloud].n == len(rows):
            nearest = graphs[cloud].first(min(N_NEIGHBORS, graphs[cloud].k)).indices
            x = learned_vectors(folder, model, cloud)
            has_mean = not cloud.endswith(CENTERED)
            by = "Euclidean distance" if has_mean else ABOUT_MEAN
            held[cloud] = _held(nearest, x, by, COSINE if has_mean else ABOUT_MEAN, pack)
    for method, table in coordinates.items():
        quality = load_table(str(folder / f"results/{method}/quality/{model}.csv"))
        for cloud in clouds:
            points = table[table["cloud"] == cloud]
            judged = quality[(quality["cloud"] == cloud) & (quality["n_axes"] == 2)]
            if len(points) != len(rows) or judged.empty:
                continue
            axes = ["x", "y", "z"] if len(rows) < 5000 and "z" in points else ["x", "y"]
            name = CLOUDS[cloud].name
            yield _map(method, name, judged.iloc[0], points[axes], held.get(cloud), pack)


def _held(nearest: np.ndarray, x: np.ndarray | None, by: str, cosine: str, pack: Pack) -> Part:
    """Return the neighbors of points, with cosines if the vectors `x` are given."""
    held = {"array": pack.add(nearest.ravel().astype(np.int64), n_bytes=2),
            "k": nearest.shape[1], "by": by}  # fmt: skip
    if x is not None and len(x) == len(nearest):
        cosines = pack.add(in_hundredths(x, nearest).ravel(), n_bytes=1)
        held |= {"cosines": cosines, "cosine": cosine}
    return held


def _map(
    method: str,
    variant: str,
    quality: pd.Series,
    points: pd.DataFrame,
    neighbors: Part | None,
    pack: Pack,
) -> Part:
    axes = {axis: pack.add_scaled(points[axis].to_numpy(dtype=float)) for axis in points}
    return {
        "method": MAP_METHODS[method].name,
        "variant": variant,
        "recall": float(quality["neighbor_recall"]),
        "chance": float(quality["chance_neighbor_recall"]),
        "k": int(quality["k"]),
        "trustworthiness": float(quality["trustworthiness"]),
        "continuity": float(quality["continuity"]),
        "axes": axes,
        "neighbors": neighbors,
    }


def _texts(folder: Path, model: str, pack: Pack) -> Iterator[Part]:
    """Yield the texts of all corpora, on every map of texts."""
    path = folder / f"data/projected/text_maps/{model}.parquet"
    if not path.exists():
        return
    table = load_rows(str(path))
    quality = load_table(str(folder / f"results/text_maps/quality/{model}.csv"))
    for name, set_rows in table.groupby("map", sort=False):
        groups = list(set_rows.groupby([*VARIANT, "method"], sort=False))
        rows = groups[0][1].reset_index(drop=True)
        corpora = {
            key: (look.name, look.color) for key, look in corpus_looks(rows["corpus"]).items()
        }
        held = dict[tuple[str, str, int], Part | None]()
        texts = window_texts(folder, model, rows) if len(rows) <= MOST_POINTS else None
        maps = []
        for key, points in groups:
            is_same = (quality["map"] == name) & (quality["method"] == key[-1])
            for column, value in zip(VARIANT, key, strict=False):
                is_same &= quality[column] == value
            if not is_same.any() or not points[ROW].reset_index(drop=True).equals(rows[ROW]):
                continue
            place = (str(key[0]), str(key[1]), int(str(key[2])))
            if place not in held:
                held[place] = _neighbors_of_texts(folder, model, rows, place, pack)
            variant = f"{place[0]} pooling, {place[1].replace('_', ' ')}, layer {place[2]}"
            judged = quality[is_same].iloc[0]
            maps.append(_map(str(key[-1]), variant, judged, points[["x", "y"]], held[place], pack))
        yield {
            "title": f"texts: {str(name).replace('_', ' ')}",
            "names": _names_of_texts(rows, texts),
            "words": counted_words(texts, pack) if texts else None,
            "categories": [_category("corpus", rows["corpus"], corpora, pack),
                           *_domains(rows, pack)],
            "scalars": [],
            "maps": maps,
        }  # fmt: skip


def _names_of_texts(rows: pd.DataFrame, texts: list[str] | None) -> list[str]:
    names = [f"{row.text} · {row.window}" for row in rows.itertuples()]
    if texts is None:
        return names
    return [f"{name}: {snippet(text)}" for name, text in zip(names, texts, strict=True)]


def _neighbors_of_texts(
    folder: Path, model: str, rows: pd.DataFrame, place: tuple[str, str, int], pack: Pack
) -> Part | None:
    """Return the exact nearest neighbors in the space of a map; None if the vectors are missing."""
    from embspace.geometry.pairs.pairs import scan_pairs

    if not N_NEIGHBORS < len(rows) <= MOST_POINTS:
        return None
    vectors = window_vectors(folder, model, rows, place)
    if vectors is None:
        return None
    graph = scan_pairs(vectors, n_neighbors=N_NEIGHBORS).neighbors
    assert graph is not None  # they were asked for
    cosine = ABOUT_MEAN if NEARNESS[place[1]] == ABOUT_MEAN else COSINE
    return _held(graph.indices, vectors, NEARNESS[place[1]], cosine, pack)


def _domains(rows: pd.DataFrame, pack: Pack) -> list[Part]:
    from embspace.draw.page.looks import PALETTE

    domain = rows["domain"].fillna("").astype(str).replace("", "not known")
    domains = sorted(set(domain))
    if not 1 < len(domains) <= len(PALETTE):
        return []
    looks = {name: (name, PALETTE[number]) for number, name in enumerate(domains)}
    return [_category("domain", domain, looks, pack)]


def _trails(folder: Path, model: str) -> list[Part]:
    """Return the paths of the evolution sentences' tokens through the layers, each on one plane."""
    path = folder / f"results/evolution/path/{model}.csv"
    if not path.exists():
        return []
    table = load_table(str(path))
    trails = []
    for (view, text), rows in table.groupby(["view", "text"], sort=False):
        tokens = [
            {
                "token": str(token),
                "layers": token_rows["layer"].tolist(),
                "x": token_rows["component_1"].round(4).tolist(),
                "y": token_rows["component_2"].round(4).tolist(),
            }
            for (_, token), token_rows in rows.groupby(["position", "token"], sort=True)
        ]
        trails.append({"view": str(view), "text": str(text), "tokens": tokens})
    return trails

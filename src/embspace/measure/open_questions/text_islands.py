"""Stage `measure_text_islands`: are islands of texts on a map topics, lengths or sources?

Luisto's thesis, section 5.1, looked at parts of its maps of texts, but does not report any. Rules
stand in conf/measure/open_questions/text_islands.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.rows import save_rows
from embspace.geometry.groups.density_clusters import best_jaccard
from embspace.geometry.groups.stable_clusters import Search
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.maps.prepared import prepared
from embspace.measure.layers.layer_steps import layers_in_steps
from embspace.measure.open_questions.islands.labels import (
    Families,
    families_of_islands,
    labels_of_texts,
    most_frequent,
)
from embspace.measure.open_questions.islands.places import (
    Islands,
    are_alike,
    islands_of_map,
    islands_of_space,
    map_of,
    no_islands,
)
from embspace.measure.open_questions.islands.texts import (
    CorpusOnMap,
    at_random_weights,
    load_corpora_on_map,
    names_of_islands,
    vectors_of,
    windows_on_map,
    words_of_windows,
)
from embspace.measure.tables.columns import shown
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.models.weights import load_model
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

TRAINED, RANDOM = "trained", "random"
YES, NO = "yes", "no"
RAW = "raw"  # vectors that are not of unit length
TSNE_MAP = "tsne"
SPACE = "space"  # the method of islands in all dimensions
KEYS = ["map", "pooling", "preparation", "weights", "layer", "method"]
NAMED_BY = ("corpus", "domain", "subject")
KEY_COLUMNS: dict[str, Column] = shown("row", *KEYS)
MAPS = "conf/project/text_maps.yaml"
TSNE = ("perplexity", "early_exaggeration", "early_exaggeration_iter", "n_iter", "jitter")


def load_map_settings(path: str) -> dict[str, Any]:
    """Return the settings of the maps."""
    return read_yaml(Path(path))


TEXT_ISLANDS = Analysis(
    noun="text_islands",
    question="Are islands of texts on a map topics, lengths or sources?",
    over="profiled",
    reads={
        "read": Source(load_corpora_on_map, TEXT_FOLDERS, lists=["corpora"]),
        "coordinates": "data/projected/text_maps/{model}.parquet",
        "maps": Source(load_map_settings, MAPS),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
    },
    tables={
        "csv": Table(
            {
                **KEY_COLUMNS,
                "n_texts": ("count", "texts"),
                "n_islands": ("map_parts", "islands"),
                "n_standing": ("map_parts", "islands that stand"),
                "share_in_islands": ("map_share", "texts in islands"),
                "null_n_islands": ("map_parts", "islands of Gaussian clouds"),
                "null_largest_matched": ("map_share", "halves with a match there, at least"),
                "stability": ("island_verdict", "islands by stability"),
                "verdict": ("island_verdict", "all islands are"),
                "verdict_inside": ("island_verdict", "all, inside a source"),
            }
        ),
        "labels": Table(
            {
                **KEY_COLUMNS,
                "label": ("row", "label"),
                "family": ("name", "family"),
                "information": ("map_share", "adjusted mutual information"),
                "null_largest": ("map_share", "largest of deals"),
                "first": ("map_share", "halves in which the family is first"),
                "adjusted_rand_index": ("map_share", "adjusted Rand index"),
                "information_inside": ("map_share", "information inside a source"),
                "null_largest_inside": ("map_share", "largest of deals inside"),
                "first_inside": ("map_share", "halves in which first inside"),
            }
        ),
        "islands": Table(
            {
                **shown("row", "map", "pooling", "preparation", "method", "island"),
                "n_texts": ("map_island", "texts"),
                "matched": ("map_share", "halves with a match"),
                "other_seed": ("map_share", "Jaccard index, map of another seed"),
                "in_space": ("map_share", "Jaccard index, islands in space"),
                "stands": ("island_verdict", "stands"),
                "n_tokens": ("map_island", "tokens, median"),
                **{
                    name: column
                    for label in NAMED_BY
                    for name, column in {
                        label: ("island_verdict", label),
                        f"{label}_share": ("map_share", f"share of the {label}"),
                    }.items()
                },
                "words": ("island_verdict", "words"),
            }
        ),
    },
    data={"parquet": save_rows},  # the maps of the last space, with the island of each text
    scalars={"n_texts": "count", "n_space_islands": "count", "n_space_standing": "count"},
)


class Place(NamedTuple):
    """Where islands are sought: the keys of a row."""

    map: str
    pooling: str
    preparation: str
    weights: str
    layer: int
    method: str


class How(NamedTuple):
    """Settings of all steps."""

    search: Search
    families: Families
    n_neighbors: int
    n_clouds: int
    n_words: int
    tsne: dict[str, Any]
    seed: int

    def stream(self, *names: object) -> np.random.Generator:
        """Return a separate generator for these names."""
        return stream_of(np.random.default_rng(self.seed), *map(str, names))


def measure_text_islands(
    read: Mapping[str, CorpusOnMap],
    coordinates: pd.DataFrame,
    maps: dict[str, Any],
    module: Any,
    final_norm: str | None,
    *,
    smallest: Annotated[int, Field(ge=4)],
    n_neighbors: Annotated[int, Field(ge=2)],
    n_density: PositiveInt,
    n_half_samples: PositiveInt,
    share: Probability,
    jaccard: Probability,
    n_clouds: PositiveInt,
    n_deals: PositiveInt,
    most_layers: Annotated[int, Field(ge=2)],
    n_words: PositiveInt,
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Find islands of texts by layer and space, and on t-SNE maps of the last space.

    `csv` has a row per place: the number of islands, how many stand, whether that is decidable,
    and their family by the rule.
    `labels` compares islands with every label, `islands` describes the islands on maps.
    """
    if coordinates.empty or module is None:
        return TEXT_ISLANDS.empty(n_texts=0, n_space_islands=0, n_space_standing=0)
    how = How(
        Search(smallest, n_density, n_half_samples, share, jaccard),
        Families(n_half_samples, share, n_deals, smallest),
        n_neighbors,
        n_clouds,
        n_words,
        {key: maps[key] for key in TSNE},
        seed,
    )
    spaces = [(pooling, name) for pooling, own in maps["preparations"].items() for name in own]
    poolings = [*maps["preparations"]]
    states = {
        TRAINED: {corpus: own.cloud.states for corpus, own in read.items()},
        RANDOM: at_random_weights(
            read, module, final_norm, poolings, tokens_per_batch, choose_device(device), seed
        ),
    }
    layers = layers_in_steps(_n_layers(states[TRAINED]), most_layers)
    made = [
        _on_map(str(name), points, read, states, spaces, layers, how)
        for name, points in coordinates.groupby("map", sort=False)
    ]
    tables = {
        name: declared.of(row for part in made for row in part[name])
        for name, declared in TEXT_ISLANDS.tables.items()
    }
    return {
        **tables,
        "parquet": pd.concat([part["parquet"] for part in made], ignore_index=True),
        "json": _counts(tables["csv"]),
    }


def _n_layers(states: Mapping[str, Mapping[str, np.ndarray]]) -> int:
    return min(len(x) for own in states.values() for x in own.values())


def _counts(table: pd.DataFrame) -> dict[str, int]:
    """Return the counts of the last space, at its last layer, on the map with most texts."""
    own = table[(table["weights"] == TRAINED) & (table["method"] == SPACE)]
    last = own.groupby("map").tail(1).nlargest(1, "n_texts")
    return {
        "n_texts": int(last["n_texts"].sum()),
        "n_space_islands": int(last["n_islands"].sum()),
        "n_space_standing": int(last["n_standing"].sum()),
    }


def _on_map(
    name: str,
    points: pd.DataFrame,
    read: Mapping[str, CorpusOnMap],
    states: Mapping[str, Mapping[str, Any]],
    spaces: Sequence[tuple[str, str]],
    layers: Sequence[int],
    how: How,
) -> dict[str, Any]:
    """Return the rows of all tables for the texts of a map, and the t-SNE map of the last space."""
    pooling, preparation = spaces[-1]
    is_last = (points["pooling"] == pooling) & (points["preparation"] == preparation)
    points = points[is_last & (points["method"] == TSNE_MAP)].reset_index(drop=True)
    windows = windows_on_map(points, read)
    labels = labels_of_texts(windows)
    rows: dict[str, Any] = {"csv": [], "labels": [], "islands": []}
    shown_layer = int(points["layer"].iloc[0])
    words = words_of_windows(windows, read)
    places = [
        Place(name, *space, weights, layer, SPACE)
        for space in spaces
        for weights in states
        for layer in layers
    ]
    last = no_islands(len(points))
    for place in places:
        islands = _in_space(_vectors(windows, states, place), place, how)
        _add(rows, place, islands, labels, how)
        if place[3:5] == (TRAINED, shown_layer):
            last = islands
            rows["islands"] += _described(place, islands, None, windows, words, how)
    for weights in states:
        place = Place(name, *spaces[-1], weights, shown_layer, TSNE_MAP)
        seen = _seen(_vectors(windows, states, place), points, place, how)
        _add(rows, place, seen, labels, how)
        if weights == TRAINED:
            rows["islands"] += _described(place, seen, last, windows, words, how)
            rows["parquet"] = points.assign(island=seen.labels + 1, island_in_space=last.labels + 1)
    return rows


def _seen(
    x: Float[np.ndarray, "text dim"], points: pd.DataFrame, place: Place, how: How
) -> Islands:
    """Return the islands on the model's map, or on a map of vectors at random weights."""
    if len(x) <= 2 * how.n_neighbors or are_alike(x):
        return no_islands(len(x))
    x = prepared(x, place.preparation)
    layout = points[["x", "y"]].to_numpy()
    if place.weights == RANDOM:
        layout = map_of(x, how.tsne, how.seed)
    return islands_of_map(
        x,
        layout,
        how.search,
        how.n_neighbors,
        how.n_clouds,
        how.tsne,
        how.seed,
        how.stream(*place),
    )


def _vectors(
    windows: pd.DataFrame, states: Mapping[str, Mapping[str, Any]], place: Place
) -> Float[np.ndarray, "text dim"]:
    own = {corpus: by[place.pooling] for corpus, by in states[place.weights].items()}
    return vectors_of(windows, own, place.layer)


def _in_space(x: Float[np.ndarray, "text dim"], place: Place, how: How) -> Islands:
    if len(x) <= 2 * how.n_neighbors or are_alike(x):
        return no_islands(len(x))
    return islands_of_space(
        prepared(x, place.preparation),
        how.search,
        how.n_neighbors,
        how.n_clouds,
        how.stream(*place),
        on_sphere=place.preparation != RAW,
    )


def _add(
    rows: dict[str, Any], place: Place, islands: Islands, labels: pd.DataFrame, how: How
) -> None:
    """Add the row of a place to `csv`, and its comparison with labels to `labels`."""
    stream = how.stream("labels", *place)
    verdicts, compared = families_of_islands(islands.labels, labels, how.families, stream)
    rows["labels"] += [{**place._asdict(), **row} for row in compared]
    rows["csv"].append(
        {
            **place._asdict(),
            "n_texts": len(islands.labels),
            "n_islands": islands.n,
            "n_standing": int(islands.stands.sum()),
            "share_in_islands": float((islands.labels >= 0).mean()),
            "null_n_islands": islands.null.get("n_parts", np.nan),
            "null_largest_matched": islands.null.get("largest_matched", np.nan),
            "stability": islands.stability,
            **verdicts,
        }
    )


def _described(
    place: Place,
    islands: Islands,
    in_space: Islands | None,
    windows: pd.DataFrame,
    words: Sequence[set[str]],
    how: How,
) -> Iterator[dict[str, Any]]:
    """Yield a row per island; `in_space` has the islands of the space that the map shows."""
    jaccard = np.full(islands.n, np.nan)
    if in_space is not None:
        jaccard = best_jaccard(islands.labels, in_space.labels, islands.n)
    frequent = most_frequent(islands.labels, islands.n, windows, NAMED_BY)
    names = names_of_islands(words, islands.labels, islands.n, how.n_words)
    keys = {key: getattr(place, key) for key in ("map", "pooling", "preparation", "method")}
    for island, (row, name) in enumerate(zip(frequent, names, strict=True)):
        yield {
            **keys,
            "island": island + 1,
            "n_texts": int((islands.labels == island).sum()),
            "matched": islands.matched[island],
            "other_seed": islands.other_seed[island],
            "in_space": jaccard[island],
            "stands": YES if islands.stands[island] else NO,
            **row,
            "words": name,
        }


main = TEXT_ISLANDS.main(measure_text_islands)

if __name__ == "__main__":
    run_stage(main, measure_text_islands)

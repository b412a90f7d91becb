"""Stage `measure_synonyms`: do sentences with the same meaning lie together, and by meaning?

Luisto's thesis, section 4.4.1, figure 23 and research question 3a. Beside the thesis's groups of
like sentences stand meanings in other words, and other meanings in the same words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.files.rows import load_rows, save_rows
from embspace.geometry.maps.pca import principal_components
from embspace.measure.sentences.synonym_contrasts import contrast_table
from embspace.measure.sentences.synonym_groups import (
    Sentences,
    group_pair_table,
    group_table,
    sentences_of,
)
from embspace.measure.sentences.synonym_slots import slot_table
from embspace.measure.sentences.synonym_vectors import Stimuli
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.tables.shown_pooling import shown_pooling_of
from embspace.measure.tables.text_poolings import WEIGHTS, load_text_states
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

MAPPED = ("groups", "groups_and_random")
SETS = ("synonyms", "paraphrases", "controls")
FILES = (  # of each set: its sentences, their tokens and their states
    "data/prepared/stimuli/{set}.parquet",
    "data/extracted/stimuli/{{model}}/{set}.tokens.parquet",
    "data/extracted/stimuli/{{model}}/{set}.safetensors",
)


def load_sets(*paths: str) -> dict[str, Stimuli]:
    """Return the `SETS` from their `FILES`, in this order; all at the same poolings."""
    n = len(FILES)
    files = {name: paths[n * number : n * (number + 1)] for number, name in enumerate(SETS)}
    states = load_text_states({name: file for name, (_, _, file) in files.items()}, WEIGHTS)
    return {
        name: Stimuli(load_rows(sentences), load_rows(tokens), states[name])
        for name, (sentences, tokens, _) in files.items()
    }


def with_random(
    quantity: str, kind: str, heading: str = "", at_random: str = "", *, has_bounds: bool = False
) -> dict[str, Column]:
    """Return a quantity with bounds, named for readers, and the value at random weights."""
    columns = with_bounds(quantity, kind, heading if has_bounds else "")
    if heading:
        columns[quantity] = (kind, heading)
    columns[f"random_weights_{quantity}"] = (kind, at_random) if at_random else kind
    return columns


PLACE: dict[str, Column] = {"pooling": ("row", "pooling"), "layer": ("row", "layer")}
SYNONYMS = Analysis(
    noun="synonyms",
    question=(
        "Do sentences that say one thing lie together, and is it their meaning or their words? "
        "Fig. 23, research question 3a"
    ),
    reads={
        "sets": Source(load_sets, [file.format(set=name) for name in SETS for file in FILES]),
    },
    tables={
        "groups": Table(
            {
                "sentences": ("row", "sentences"),
                **PLACE,
                "n": ("count", "n"),
                "n_groups": "count",
                **with_random("within_cosine", "cosine", "cosine within"),
                **with_random("between_cosine", "cosine", "cosine between"),
                **with_random("within_minus_between_cosine", "moment"),
                **with_random("within_euclidean_distance", "distance"),
                **with_random("between_euclidean_distance", "distance"),
                **with_random(
                    "silhouette", "relative_value", "silhouette", "silhouette, random weights"
                ),
                **with_random(
                    "nearest_in_group",
                    "sentence_share",
                    "nearest is of the group",
                    "the same, random weights",
                ),
                "purity": ("cluster_share", "purity"),
                "random_weights_purity": "cluster_share",
                "null_purity": ("cluster_share", "purity, shuffled"),
                **with_bounds("null_within_minus_between_cosine", "null_value"),
                "within_minus_between_cosine_p_value": "p_value",
                **with_bounds("null_silhouette", "null_value"),
                "null_silhouette": ("null_value", "shuffled"),
                "silhouette_p_value": ("p_value", "p"),
            },
            compared=[
                *("within_cosine", "between_cosine", "within_minus_between_cosine"),
                *("within_euclidean_distance", "between_euclidean_distance"),
                *("silhouette", "nearest_in_group"),
            ],
            along="layer",
        ),
        "group_pairs": Table(
            {
                "group_1": "row",
                "group_2": "row",
                **PLACE,
                "n_pairs": "count",
                **with_random("cosine", "cosine"),
                **with_random("euclidean_distance", "distance"),
            },
            compared=["cosine", "euclidean_distance"],
            along="layer",
        ),
        "slots": Table(
            {
                "group": "row",
                **PLACE,
                "n_changed": ("row", "words changed"),
                "n_pairs": ("count", "n"),
                **with_random("cosine", "cosine", "cosine"),
                **with_random("euclidean_distance", "distance"),
                **with_random(
                    "relative_distance",
                    "relative_value",
                    "distance over that of two frames",
                    "random weights",
                    has_bounds=True,
                ),
                **with_random("additivity", "relative_value", "additivity"),
            },
            compared=["cosine", "euclidean_distance", "relative_distance", "additivity"],
            along="layer",
        ),
        "contrasts": Table(
            {
                "kind": ("row", "pairs"),
                **PLACE,
                "n_pairs": ("count", "n"),
                **with_random("cosine", "cosine", "cosine", "random weights", has_bounds=True),
                **with_random("paraphrase_minus_kind_cosine", "moment", "paraphrases minus these"),
                **with_random(
                    "relative_similarity",
                    "relative_value",
                    "paraphrases between unrelated, 0, and these, 1",
                ),
                **with_random(
                    "auc",
                    "pair_auc",
                    "probability that a paraphrase is more alike",
                    has_bounds=True,
                ),
            },
            compared=["cosine", "paraphrase_minus_kind_cosine", "relative_similarity", "auc"],
            along="layer",
        ),
        "map": Table(
            {
                "sentences": "row",
                "pooling": "row",
                "id": "row",
                "group": "name",
                "component_1": "distance",
                "component_2": "distance",
            }
        ),
    },
    scalars={"n": "count", "explained_variance_*": "relative_value"},  # of each map
    data={"parquet": save_rows},  # deviations of halves
    undrawn=["parquet"],
)


def measure_synonyms(
    sets: Mapping[str, Stimuli],
    *,
    map_poolings: list[Pooling],
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how groups of sentences hold together, how words change them, and what decides.

    By layer and pooling (for a decoder also the last token), trained and at random weights, and as
    a bag of words. Cosines are of raw vectors: a center would have to be chosen, while ranks,
    clusters and p values compare layers without one. Intervals, `level`, are of `n_half_samples`;
    nulls of `n_shuffles` of the labels of groups. Maps are of the last layer, and of the mean in
    the place of a first token without context. `sets` are the `SETS`. Tables are empty for a model
    that reads no text.
    """
    synonyms, paraphrases, controls = (sets[name] for name in SETS)
    streams = np.random.default_rng(seed).spawn(4)
    groups = sentences_of(synonyms, paraphrases)
    options: dict[str, Any] = {"n_half_samples": n_half_samples, "level": level}
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        states = synonyms.states["cls"]
        poolings = [shown_pooling_of(pooling, states) for pooling in map_poolings]
        map_table, scalars = maps_of(groups, synonyms.table, poolings)
        all_groups = next(sentences for sentences in groups if sentences.name == MAPPED[-1])
        tables, deviations = without_deviations(
            {
                "groups": group_table(
                    groups, n_shuffles=n_shuffles, generator=streams[0], **options
                ),
                "group_pairs": group_pair_table(all_groups, generator=streams[1], **options),
                "slots": slot_table(synonyms, generator=streams[2], **options),
                "contrasts": contrast_table(paraphrases, controls, generator=streams[3], **options),
            }
        )
    return {**tables, "map": map_table, "json": scalars, "parquet": deviations}


def maps_of(
    groups: Sequence[Sentences], table: pd.DataFrame, poolings: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The sentences of a set on the first two principal components, with the explained variance.

    A map of fewer sentences is a new projection, not a part of the larger map.
    """
    parts, scalars = [], {}
    for sentences in groups:
        for vectors in sentences.vectors:
            if sentences.name not in MAPPED or vectors.pooling not in poolings:
                continue
            components = principal_components(vectors.trained[-1], n_components=2)
            rows = table.loc[sentences.group.index, ["id", "group"]]
            rows[["component_1", "component_2"]] = components.coordinates
            parts.append(rows.assign(sentences=sentences.name, pooling=vectors.pooling))
            scalars[f"{vectors.pooling}_{sentences.name}"] = {
                "n": len(rows),
                "explained_variance_1": float(components.explained_variance[0]),
                "explained_variance_2": float(components.explained_variance[1]),
            }
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return SYNONYMS.tables["map"].of(rows), scalars


main = SYNONYMS.main(measure_synonyms)

if __name__ == "__main__":
    run_stage(main, measure_synonyms)

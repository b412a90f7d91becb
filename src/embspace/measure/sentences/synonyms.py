"""Stage `measure_synonyms`: do sentences with the same meaning lie together, and by meaning?

Luisto's thesis, section 4.4.1, figure 23 and research question 3a. Beside the thesis's groups of
like sentences stand meanings in other words, and other meanings in the same words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pydantic import NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.clouds.pooling import Pooling
from embspace.files.rows import load_rows, save_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
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
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.tables.shown_pooling import shown_pooling_of
from embspace.measure.tables.text_poolings import WEIGHTS, load_text_states
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

MAPPED = ("groups", "groups_and_random")
MAP_COLUMNS = ["sentences", "pooling", "id", "group", "component_1", "component_2"]


@dataclass(frozen=True)
class Synonyms:
    """The tables of the stage, of each map the variance that it shows, the deviations of halves."""

    groups: pd.DataFrame
    group_pairs: pd.DataFrame
    slots: pd.DataFrame
    contrasts: pd.DataFrame
    map: pd.DataFrame
    scalars: dict[str, Any]
    deviations: pd.DataFrame


def measure_synonyms(
    synonyms: Stimuli,
    paraphrases: Stimuli,
    controls: Stimuli,
    *,
    map_poolings: list[Pooling],
    n_half_samples: PositiveInt,
    n_shuffles: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Synonyms:
    """Measure how groups of sentences hold together, how words change them, and what decides.

    Each by layer and pooling (of a decoder also the last token), trained and at random weights, and
    as a bag of words. Cosines are of raw vectors: a center would have to be chosen, while ranks,
    clusters and p values compare layers as they are. Intervals, `level`, are of `n_half_samples`;
    nulls of `n_shuffles` of the labels of groups. Maps are of the last layer, and of the mean in
    the place of a first token that has seen no other. Tables are empty for a model that reads no
    text.
    """
    streams = np.random.default_rng(seed).spawn(4)
    sets = sentences_of(synonyms, paraphrases)
    options: dict[str, Any] = {"n_half_samples": n_half_samples, "level": level}
    # One thread: on more BLAS would add in another order.
    with threadpool_limits(1, user_api="blas"):
        poolings = [shown_pooling_of(each, synonyms.states["cls"]) for each in map_poolings]
        map_table, scalars = maps_of(sets, synonyms.table, poolings)
        all_groups = next(each for each in sets if each.name == MAPPED[-1])
        tables, deviations = without_deviations(
            {
                "groups": group_table(sets, n_shuffles=n_shuffles, generator=streams[0], **options),
                "group_pairs": group_pair_table(all_groups, generator=streams[1], **options),
                "slots": slot_table(synonyms, generator=streams[2], **options),
                "contrasts": contrast_table(paraphrases, controls, generator=streams[3], **options),
            }
        )
    return Synonyms(**tables, map=map_table, scalars=scalars, deviations=deviations)


def maps_of(
    sets: Sequence[Sentences], table: pd.DataFrame, poolings: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The sentences of a set on the first two principal components, with the explained variance.

    A map of fewer sentences is a new projection, not a part of the larger map.
    """
    parts, scalars = [], {}
    for each in sets:
        for vectors in each.vectors:
            if each.name not in MAPPED or vectors.pooling not in poolings:
                continue
            found = principal_components(vectors.trained[-1], n_components=2)
            rows = table.loc[each.group.index, ["id", "group"]]
            rows[["component_1", "component_2"]] = found.coordinates
            parts.append(rows.assign(sentences=each.name, pooling=vectors.pooling)[MAP_COLUMNS])
            scalars[f"{vectors.pooling}_{each.name}"] = {
                "n": len(rows),
                "explained_variance_1": float(found.explained_variance[0]),
                "explained_variance_2": float(found.explained_variance[1]),
            }
    if not parts:
        return pd.DataFrame(columns=MAP_COLUMNS), {}
    return pd.concat(parts, ignore_index=True), scalars


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    sets = ("synonyms", "paraphrases", "controls")
    states = load_text_states(
        {each: f"data/extracted/stimuli/{name}/{each}.safetensors" for each in sets}, WEIGHTS
    )
    synonyms, paraphrases, controls = (
        Stimuli(
            load_rows(f"data/prepared/stimuli/{each}.parquet"),
            load_rows(f"data/extracted/stimuli/{name}/{each}.tokens.parquet"),
            states[each],
        )
        for each in sets
    )
    found = measure_synonyms(synonyms, paraphrases, controls, **config.settings)
    save_table(found.groups, f"results/synonyms/groups/{name}.csv")
    save_table(found.group_pairs, f"results/synonyms/group_pairs/{name}.csv")
    save_table(found.slots, f"results/synonyms/slots/{name}.csv")
    save_table(found.contrasts, f"results/synonyms/contrasts/{name}.csv")
    save_table(found.map, f"results/synonyms/map/{name}.csv")
    save_rows(found.deviations, f"data/measured/synonyms/{name}.parquet")
    save_scalars(found.scalars, f"results/synonyms/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_synonyms)

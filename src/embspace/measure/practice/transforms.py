"""Stage `measure_transforms`: what centering, whitening and similar changes do to texts.

`embspace transform` asks the same of any corpus.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.inference.half_samples import half_units, units_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.changes import CHANGES, Affine, Ranks, fitted_change
from embspace.geometry.practice.hub_reduction import k_occurrences, nearest_by, occurrence_skewness
from embspace.geometry.practice.paired import paired_statistics
from embspace.measure.practice.corpora import CorpusStates, gathered, held_out_corpora, load_corpora
from embspace.measure.practice.scored_versions import (
    EFFECT,
    LEVEL,
    SEED,
    K,
    Scored,
    cosines,
    rows_of,
    scored_labels,
    scored_search,
    search_ranks,
    table_of,
)
from embspace.measure.practice.text_vectors import HalfVectors, TextVectors
from embspace.settings.stage import run_stage

N_HALVES = 20  # for statistics that are computed anew of each half
MOST_HALVED = 4000  # texts of which halves are taken; of more, texts are drawn
AppliedChange = Affine | Ranks


USES = ("search", "pairs", "labels")
SHAPES = {"anisotropy": "mean cosine of two texts", "hubness": f"skewness of {K}-occurrences"}


def uses_table(
    cloud: TextVectors,
    halves: HalfVectors | None,
    changes: Mapping[str, AppliedChange],
    seed: int = SEED,
) -> pd.DataFrame:
    """Return search, pairs and labels by change, with differences from the raw vectors."""
    scored = []
    if halves is not None:
        scores = {
            name: cosines(change(halves.queries), change(halves.candidates))
            for name, change in changes.items()
        }
        ranks = {str(name): search_ranks(halves, cosine) for name, cosine in scores.items()}
        scored.append(scored_search(halves, ranks))
        below = {str(name): _less_alike(halves, cosine) for name, cosine in scores.items()}
        quantity = "share of other texts less alike than the other half"
        scored.append(Scored("pairs", quantity, below, halves.documents, 0.5))
    if cloud.has_labels:
        nearest = {
            name: nearest_by(
                change(cloud.vectors), k=K, reduction="cosine", document=cloud.documents
            )
            for name, change in changes.items()
        }
        scored.append(scored_labels(cloud, nearest))
    return table_of(scored, seed)


def _less_alike(
    halves: HalfVectors, scores: Float[np.ndarray, "query candidate"]
) -> Float[np.ndarray, " query"]:
    own = np.where(halves.relevant, scores, -np.inf).max(axis=1, keepdims=True)
    less = (scores < own) + (scores == own) / 2
    others = ~halves.relevant
    return np.asarray((less * others).sum(axis=1) / others.sum(axis=1))


def shapes_table(
    cloud: TextVectors, changes: Mapping[str, AppliedChange], seed: int = SEED
) -> pd.DataFrame:
    """Return mean cosine and hubness, of halves too, whose neighbors are among the half alone."""
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(cloud))[:MOST_HALVED])
    document = cloud.documents[rows]
    unit = units_of(document)
    n_units = int(unit.max()) + 1
    halves = half_units(n_units, N_HALVES, rng)
    chosen = np.concatenate([np.ones((1, n_units), dtype=bool), halves])[:, unit]
    shapes = np.array(
        [
            _shape(unit_rows(change(cloud.vectors[rows])), unit, chosen)
            for change in changes.values()
        ]
    )
    parts = []
    for number, (task, quantity) in enumerate(SHAPES.items()):
        values = shapes[:, :, number].T
        paired = paired_statistics(values[0], values[1:], n_units, level=LEVEL)
        parts.append(rows_of(task, quantity, [*changes], paired, document))
    return pd.concat(parts, ignore_index=True)


def _shape(
    directions: Float[np.ndarray, "text dim"],
    document: Int[np.ndarray, " text"],
    chosen: Bool[np.ndarray, "choice text"],
) -> Float[np.ndarray, "choice shape"]:
    shapes = []
    for inside in chosen:
        some, n = directions[inside], int(inside.sum())
        k = min(K, n - int(np.bincount(document[inside]).max()))
        total = some.sum(axis=0)
        mean = (total @ total - np.square(some).sum()) / (n * (n - 1))
        if k < 1:  # a half of one document
            shapes.append((mean, np.nan))
            continue
        nearest = nearest_by(
            some.astype(np.float32), k=k, reduction="cosine", document=document[inside]
        )
        shapes.append((mean, occurrence_skewness(k_occurrences(nearest))))
    return np.round(np.array(shapes), 12)  # what rounding leaves is no difference


def fitted_changes(cloud: TextVectors) -> dict[str, Affine]:
    """Return all changes, fitted on the texts."""
    return {name: fitted_change(cloud.vectors, name) for name in CHANGES}


def best_of(effects: pd.DataFrame) -> str:
    """Return the change that surely helps a use most and surely harms none; else `raw`."""
    uses = effects[effects["task"].isin(USES)]
    better = uses[uses["difference_low"] > 0]
    worse = {*uses.loc[uses["difference_high"] < 0, "version"]}
    allowed = better[~better["version"].isin(worse)]
    for task in USES:
        rows = allowed[allowed["task"] == task]
        if len(rows):
            return str(rows["version"].to_numpy()[rows["difference"].argmax()])
    return "raw"


TRANSFORMS = Analysis(
    noun="transforms",
    question="Do centering, whitening and their kin help search and labels of texts?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table({**EFFECT}),
        # The change that surely helps a task most and surely harms none; raw if there is none.
        "best": Table({"corpus": ("row", "corpus"), "version": ("name", "best change")}),
    },
)


def measure_transforms(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_texts: Annotated[int, Field(ge=30)],
    seed: NonNegativeInt,
) -> Outcome:
    """Measure what changes of coordinates do to texts at the last layer.

    Changes are fitted on half of the documents and measured on the other half: unit length,
    centered, without the top 1 to 3 components, standardized, whitened; `ranks` compares by
    Spearman's correlation. `search` is the mean reciprocal rank of first halves of texts for their
    second halves, `pairs` the share of other texts that are less similar than the text's other
    half, `labels` the share of ten neighbors of the same label; `anisotropy` is the mean cosine,
    `hubness` the skewness of 10-occurrences. `difference` is from `raw`; the intervals over
    documents are simultaneous for all changes. `best` has the change that surely helps a task most
    and surely harms none. Corpora are chosen as by `measure_compression`.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in TRANSFORMS.tables}
    held = held_out_corpora(corpora, pooling, fewest_documents, most_texts, seed)
    for name, corpus in held.items():
        changes: dict[str, AppliedChange] = {
            **fitted_changes(corpus.cloud.among(corpus.is_fitted)),
            "ranks": Ranks(),
        }
        uses = uses_table(corpus.measured, corpus.halves, changes, seed)
        shapes = shapes_table(corpus.measured, changes, seed)
        effects = pd.concat([uses, shapes], ignore_index=True)
        tables["csv"].append(effects.assign(corpus=name))
        tables["best"].append(pd.DataFrame({"corpus": [name], "version": [best_of(effects)]}))
    return gathered(TRANSFORMS, tables)


main = TRANSFORMS.main(measure_transforms)

if __name__ == "__main__":
    run_stage(main, measure_transforms)

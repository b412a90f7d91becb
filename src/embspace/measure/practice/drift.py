"""Stage `measure_drift`: where corpora are apart, and how far halves of one corpus are.

How far two corpora are apart by layer is of `measure_two_corpora`. `embspace drift` asks both of
any two corpora.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.groups.two_clouds import TwoClouds, compare_clouds
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.practice.corpora import (
    CorpusStates,
    clouds_at,
    gathered,
    load_corpora,
    shares_documents,
)
from embspace.measure.practice.joined_corpora import (
    SURE,
    BothCorpora,
    clusters_of,
    clusters_table,
    directions_table,
    joined,
    texts_table,
    words_table,
)
from embspace.measure.practice.scored_versions import half_of_documents
from embspace.measure.practice.text_vectors import TextVectors
from embspace.settings.stage import run_stage

PAIR: dict[str, Column] = {"corpus": ("row", "corpus"), "other_corpus": ("row", "other corpus")}
DRIFT = Analysis(
    noun="drift",
    question="In which clusters, components, words and texts are two corpora apart?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        # Of random halves of the documents of one corpus.
        "halves": Table(
            {
                "corpus": ("row", "corpus"),
                "layer": ("row", "layer"),
                "n_texts": ("count", "texts"),
                "n_documents": "count",
                "n_splits": "setting",
                "auc": ("null_value", "AUC of halves"),
                "auc_smallest": ("null_value", "smallest"),
                "auc_largest": ("null_value", "largest"),
                "distance_largest": ("null_value", "largest energy distance"),
            }
        ),
        # At the last layer, as are `directions`, `words` and `texts`.
        "clusters": Table(
            {
                **PAIR,
                "cluster": "row",
                "first_share": ("neighbor_share", "share"),
                "second_share": ("neighbor_share", "share of other"),
                "p_value": ("p_value", "p"),
                "words": ("word_choice", "words"),
            }
        ),
        "directions": Table(
            {
                **PAIR,
                "component": ("row", "component"),
                "variance_share": ("profile", "variance"),
                "size": ("profile", "difference in sd"),
                "p_value": ("p_value", "p"),
                "share_of_shift": ("profile", "share of the shift"),
            }
        ),
        "words": Table(
            {
                **PAIR,
                "word": ("row", "word"),
                "first": ("share", "share of documents"),
                "second": ("share", "share of other"),
                "log_odds": ("moment", "log odds"),
                "p_value": ("moment", "p"),  # Fisher's, without chance
            }
        ),
        "texts": Table(
            {
                **PAIR,
                "text_of": ("row", "text of"),
                "rank": "row",
                "id": ("name", "text"),
                "lean": ("state_auc", "lean away"),
                "text": ("name", "begins"),
            }
        ),
    },
)


def measure_drift(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=8)],
    most_texts: Annotated[int, Field(ge=30)],
    n_permutations: Annotated[int, Field(ge=19)],
    n_splits: PositiveInt,
    n_listed: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure where two corpora are apart at the last layer, and halves of a corpus at each layer.

    `halves` has the energy distance and the AUC of `measure_two_corpora` between `n_splits` random
    halves of a corpus's documents by layer, as a scale. The halves have no p, because deals of
    documents call a twentieth of all halves apart by construction. All other tables are of the last
    layer: clusters of both corpora (k-means without labels) with the share of each corpus,
    principal components, with p by deals of documents, words that more documents of one side have
    (Fisher's test, Holm), and the texts that lean most to their own corpus. A layer has the corpora
    that have enough documents and whose vectors are not all equal. Corpora that share most
    documents are not compared.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in DRIFT.tables}
    some = {name: corpus.some(most_texts) for name, corpus in corpora.items()}
    n_layers = min((len(corpus.states[pooling]) for corpus in some.values()), default=0)
    layers = [clouds_at(some, layer, pooling, fewest_documents) for layer in range(n_layers)]
    for layer, clouds in enumerate(layers):
        numbers = range(seed + layer * n_splits, seed + (layer + 1) * n_splits)
        for name, cloud in clouds.items():
            row = {"corpus": name, "layer": layer} | _halves(cloud, numbers)
            tables["halves"].append(pd.DataFrame([row]))
    last = layers[-1] if layers else {}
    for first, second in combinations(last, 2):
        if shares_documents(last[first], last[second]):
            continue
        both = joined(last[first], last[second], has_names=False)
        pair = {"corpus": first, "other_corpus": second}
        where = _where(both, n_listed, n_permutations=n_permutations, seed=seed)
        for name, table in where.items():
            tables[name].append(table.assign(**pair))
    return gathered(DRIFT, tables)


def _apart(
    x: Float[np.ndarray, "text dim"],
    is_first: Bool[np.ndarray, " text"],
    document: Int[np.ndarray, " text"],
    seed: int,
) -> TwoClouds:
    """Return a comparison without null or interval, which `measure_two_corpora` has."""
    rng = np.random.default_rng(seed)
    return compare_clouds(x, is_first, document, n_permutations=0, n_half_samples=1, rng=rng)


def _halves(cloud: TextVectors, seeds: range) -> dict[str, float]:
    """Return how far random halves of the documents are apart, one split a seed."""
    x = unit_rows(cloud.vectors.astype(np.float64))
    made = [_apart(x, half_of_documents(cloud, seed), cloud.documents, seed) for seed in seeds]
    aucs = [clouds.auc for clouds in made]
    return {
        "n_texts": len(cloud),
        "n_documents": len(np.unique(cloud.documents)),
        "n_splits": len(seeds),
        "auc": float(np.mean(aucs)),
        "auc_smallest": min(aucs),
        "auc_largest": max(aucs),
        "distance_largest": max(clouds.distance for clouds in made),
    }


def _where(
    both: BothCorpora, n_listed: int, *, n_permutations: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Return in which clusters, directions, words and texts two corpora are apart."""
    chance: Any = {"n_permutations": n_permutations, "seed": seed}
    cluster = clusters_of(both.x, seed)
    words = words_table(both)
    apart = _apart(both.x, both.is_first, both.document, seed)
    texts = texts_table(both, apart, cluster)
    lean = texts["lean_to_second"].where(~texts["is_first"], -texts["lean_to_second"])
    texts = texts.assign(lean=lean, text_of=texts["corpus"]).sort_values("lean", ascending=False)
    texts["rank"] = 1 + texts.groupby("text_of").cumcount()
    return {
        "clusters": clusters_table(both, cluster, **chance),
        "directions": directions_table(both, **chance).rename(columns={"effect": "size"}),
        "words": words[words["p_value"] <= SURE].head(4 * n_listed),
        "texts": texts[texts["rank"] <= n_listed],
    }


main = DRIFT.main(measure_drift)

if __name__ == "__main__":
    run_stage(main, measure_drift)

"""Stage `measure_drift`: whether corpora are apart, beyond two halves of one, and where.

`embspace drift` asks the same of any two corpora.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.groups.two_clouds import TwoClouds, compare_clouds, p_values_of_all
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
    distance_row,
    joined,
    texts_table,
    words_table,
)
from embspace.measure.practice.scored_versions import half_of_documents
from embspace.measure.practice.text_vectors import TextVectors
from embspace.measure.tables.columns import with_bounds
from embspace.settings.stage import run_stage

PAIR: dict[str, Column] = {"corpus": ("row", "corpus"), "other_corpus": ("row", "other corpus")}
DRIFT = Analysis(
    noun="drift",
    question="Are two corpora apart beyond two halves of one, and in which clusters and words?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table(
            {
                **PAIR,
                "layer": ("row", "layer"),
                "first_texts": ("count", "texts"),
                "second_texts": ("count", "other texts"),
                "first_documents": "count",
                "second_documents": "count",
                **with_bounds("distance", "state_auc", "energy distance"),
                **with_bounds("auc", "state_auc", "AUC"),
                "null_auc": ("state_auc", "labels dealt anew"),
                "p_value": ("p_value", "p"),
                "p_value_of_layers": ("p_value", "p over layers"),
            }
        ),
        # Of random halves of the documents of one corpus.
        "halves": Table(
            {
                "corpus": ("row", "corpus"),
                "layer": ("row", "layer"),
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
    n_half_samples: PositiveInt,
    n_splits: PositiveInt,
    n_listed: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how far any two corpora are apart, by layer, beside random halves of one corpus.

    `distance` is the energy distance from 0 to 1, `auc` the probability that a text of the first
    corpus leans more to the first than one of the second; documents are the units of deals and
    intervals. `halves` has the same of `n_splits` random halves of each corpus at each layer, as a
    scale; deals of their documents call a twentieth of them apart by construction, so they have no
    p. A layer has the corpora of enough documents whose vectors are not all equal. The other tables
    are of the last layer: clusters of both corpora (k-means without labels) with the share of each,
    principal components, words of more documents of a side (Fisher's test, Holm), and the texts
    that lean most away from the other corpus. Corpora that share most documents are not compared.
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
    chance: Any = {"n_permutations": n_permutations, "seed": seed}
    for first, second in combinations(some, 2):
        sides = _of_both(layers, first, second)
        if not sides:
            continue
        pair = {"corpus": first, "other_corpus": second}
        compared = [_compared(both, n_half_samples, **chance) for both in sides.values()]
        tables["csv"].append(_by_layer(sides, compared).assign(**pair))
        if n_layers - 1 in sides:
            where = _where(sides[n_layers - 1], compared[-1], n_listed, **chance)
            for name, table in where.items():
                tables[name].append(table.assign(**pair))
    return gathered(DRIFT, tables)


def _of_both(
    layers: Sequence[Mapping[str, TextVectors]], first: str, second: str
) -> dict[int, BothCorpora]:
    """Return two corpora by the layers that have both; none if they share most documents."""
    return {
        layer: joined(clouds[first], clouds[second], has_names=False)
        for layer, clouds in enumerate(layers)
        if {first, second} <= {*clouds} and not shares_documents(clouds[first], clouds[second])
    }


def _compared(both: BothCorpora, n_halves: int, *, n_permutations: int, seed: int) -> TwoClouds:
    return compare_clouds(
        both.x,
        both.is_first,
        both.document,
        n_permutations=n_permutations,
        n_half_samples=n_halves,
        rng=np.random.default_rng(seed),
    )


def _by_layer(sides: Mapping[int, BothCorpora], compared: list[TwoClouds]) -> pd.DataFrame:
    rows = [
        distance_row(clouds, len(both.first), len(both.second))
        for both, clouds in zip(sides.values(), compared, strict=True)
    ]
    table = pd.concat(rows, ignore_index=True)
    return table.assign(layer=[*sides], p_value_of_layers=p_values_of_all(compared))


def _halves(cloud: TextVectors, seeds: range) -> dict[str, float]:
    """Return how far random halves of the documents are apart, one split a seed."""
    x = unit_rows(cloud.vectors.astype(np.float64))
    made = [
        compare_clouds(
            x,
            half_of_documents(cloud, seed),
            cloud.documents,
            n_permutations=0,
            n_half_samples=1,
            rng=np.random.default_rng(seed),
        )
        for seed in seeds
    ]
    aucs = [clouds.auc for clouds in made]
    return {
        "n_splits": len(seeds),
        "auc": float(np.mean(aucs)),
        "auc_smallest": min(aucs),
        "auc_largest": max(aucs),
        "distance_largest": max(clouds.distance for clouds in made),
    }


def _where(
    both: BothCorpora, clouds: TwoClouds, n_listed: int, *, n_permutations: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Return in which clusters, directions, words and texts two corpora are apart."""
    chance: Any = {"n_permutations": n_permutations, "seed": seed}
    cluster = clusters_of(both.x, seed)
    words = words_table(both)
    texts = texts_table(both, clouds, cluster)
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

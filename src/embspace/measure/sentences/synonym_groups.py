"""Measures how well groups of sentences hold together, and how alike two groups are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.groups.groups import (
    average_linkage,
    group_means,
    nearest_in_group,
    purity,
    silhouettes,
    within_and_between,
)
from embspace.geometry.inference.resampling import upper_p_value
from embspace.measure.sentences.synonym_vectors import (
    PooledVectors,
    Statistic,
    Stimuli,
    codes,
    cosines_of,
    distances_of,
    estimate_names,
    estimate_table,
    vectors_of,
)
from embspace.measure.tables.deviations import units_named
from embspace.measure.tables.nulls import mean_and_range

QUANTITIES = ["within_cosine", "between_cosine", "within_minus_between_cosine"]
PAIR_QUANTITIES = ["cosine", "euclidean_distance"]
PAIR_KEYS = ["group_1", "group_2", "pooling", "layer", "n_pairs"]
PAIR_COLUMNS = [*PAIR_KEYS, *estimate_names(PAIR_QUANTITIES)]


QUANTITIES += ["within_euclidean_distance", "between_euclidean_distance"]
QUANTITIES += ["silhouette", "nearest_in_group"]
TESTED = ["within_minus_between_cosine", "silhouette"]
CLUSTERING = ["purity", "random_weights_purity", "null_purity"]
NULLS = [
    f"{before}{quantity}{after}"
    for quantity in TESTED
    for before, after in (("null_", ""), ("null_", "_low"), ("null_", "_high"), ("", "_p_value"))
]
KEYS = ["sentences", "pooling", "layer", "n", "n_groups"]
COLUMNS = [*KEYS, *estimate_names(QUANTITIES), *CLUSTERING, *NULLS]


@dataclass(frozen=True)
class Sentences:
    """Sentences with groups, and the units of half-samples."""

    name: str
    vectors: list[PooledVectors]
    group: pd.Series
    unit: Int[np.ndarray, " sentence"]
    """Sentences of one number are in a half-sample together or not at all."""
    units: list[str]
    """The units' names."""
    stratum: Int[np.ndarray, " unit"]
    """Half-samples have half of the units of each."""

    @property
    def label(self) -> Int[np.ndarray, " sentence"]:
        """The number of the group, by sentence."""
        return codes(self.group)


def sentences_of(synonyms: Stimuli, paraphrases: Stimuli) -> list[Sentences]:
    """The groups of the thesis, without and with random groups, and meanings in other words.

    Groups are few, with exchangeable sentences: half-samples are of sentences within groups.
    Meanings are many, with few sentences: half-samples are of meanings.
    """
    vectors, table = vectors_of(synonyms), synonyms.table
    made = np.flatnonzero(~table["kind"].str.startswith("random"))
    meaning = paraphrases.table["meaning"]
    numbers = codes(meaning)
    return [
        _sampled_within("groups", [pooled.of(made) for pooled in vectors], table.iloc[made]),
        _sampled_within("groups_and_random", vectors, table),
        Sentences(
            "meanings",
            vectors_of(paraphrases),
            meaning,
            unit=numbers,
            units=meaning.unique().tolist(),
            stratum=np.zeros(meaning.nunique(), dtype=np.int64),
        ),
    ]


def _sampled_within(name: str, vectors: list[PooledVectors], table: pd.DataFrame) -> Sentences:
    group, names = table["group"], table["id"].tolist()
    stratum = codes(group)
    return Sentences(name, vectors, group, np.arange(len(group)), names, stratum)


def group_table(
    sets: list[Sentences],
    *,
    n_half_samples: int,
    n_shuffles: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per set, pooling and layer: cosines within and between groups of sentences."""
    options: dict[str, Any] = {"n_half_samples": n_half_samples, "level": level}
    parts = []
    for sentences, stream in zip(sets, generator.spawn(len(sets)), strict=True):
        label, for_null = sentences.label, stream.spawn(1)[0]
        shuffled = np.stack([for_null.permutation(label) for _ in range(n_shuffles)])
        for vectors, halves in zip(
            sentences.vectors, stream.spawn(len(sentences.vectors)), strict=True
        ):
            table = _estimates(sentences, vectors, **options, generator=halves)
            table["n"], table["n_groups"] = len(label), sentences.group.nunique()
            table = table.assign(**units_named(sentences.units))
            for name, values in _clustering(vectors, label, shuffled, level).items():
                table[name] = values
            parts.append(table[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def _estimates(
    sentences: Sentences, vectors: PooledVectors, *, generator: np.random.Generator, **options: Any
) -> pd.DataFrame:
    keys = {"sentences": [sentences.name], "pooling": [vectors.pooling]}
    return estimate_table(
        {**keys, "layer": range(len(vectors.trained))},
        QUANTITIES,
        [group_statistic(x, sentences) for x in vectors.by_weights()],
        sentences.stratum,
        **options,
        generator=generator,
    )


def group_statistic(x: Float[np.ndarray, "layer sentence dim"], sentences: Sentences) -> Statistic:
    """Return `QUANTITIES` by layer, as a function of the chosen units.

    Silhouettes and nearest sentences are looked for among all sentences, chosen or not: fewer
    groups would make both easier.
    """
    cosines, distances = cosines_of(x), distances_of(x)
    label, n_groups = sentences.label, sentences.group.nunique()
    sizes = np.bincount(label)
    silhouette = np.stack([silhouettes(1 - layer, label) for layer in cosines])
    nearest = np.stack([nearest_in_group(1 - layer, label) for layer in cosines])

    def statistic(units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "quantity layer"]:
        rows = np.flatnonzero(np.isin(sentences.unit, units))
        square = np.ix_(np.arange(len(x)), rows, rows)
        some = (label[rows], n_groups)
        within, between = within_and_between(group_means(cosines[square], *some))
        near, far = within_and_between(group_means(distances[square], *some))
        own = [_weighted(values[:, rows], label[rows], sizes) for values in (silhouette, nearest)]
        return np.stack([within, between, within - between, near, far, *own])

    return statistic


def _weighted(
    values: Float[np.ndarray, "layer row"],
    label: Int[np.ndarray, " row"],
    sizes: Int[np.ndarray, " group"],
) -> Float[np.ndarray, " layer"]:
    """Return the mean over the rows, each group with the weight that it has in the whole."""
    weights = sizes / np.maximum(np.bincount(label, minlength=len(sizes)), 1)
    return np.average(values, axis=1, weights=weights[label])


def _clustering(
    vectors: PooledVectors,
    label: Int[np.ndarray, " sentence"],
    shuffled: Int[np.ndarray, "shuffle sentence"],
    level: float,
) -> dict[str, list[float]]:
    """Purity of clusters, and what shuffled labels give, by column, a value a layer."""
    n_groups = int(label.max()) + 1
    columns: dict[str, list[float]] = {name: [] for name in [*CLUSTERING, *NULLS]}
    for layer, cosines in enumerate(cosines_of(vectors.trained)):
        clusters = average_linkage(1 - cosines, n_groups)
        columns["purity"].append(_purity(clusters, label))
        columns["null_purity"].append(_purity(clusters, shuffled))
        random = vectors.random_weights
        at_random = None if random is None else 1 - cosines_of(random[layer : layer + 1])[0]
        clusters = None if at_random is None else average_linkage(at_random, n_groups)
        columns["random_weights_purity"].append(_purity(clusters, label))
        values, nulls = tested(cosines, label[np.newaxis])[:, 0], tested(cosines, shuffled)
        for quantity, value, null in zip(TESTED, values, nulls, strict=True):
            mean, low, high = mean_and_range(null, level)
            columns[f"null_{quantity}"].append(float(mean))
            columns[f"null_{quantity}_low"].append(float(low))
            columns[f"null_{quantity}_high"].append(float(high))
            columns[f"{quantity}_p_value"].append(upper_p_value(float(value), null))
    return columns


def tested(
    cosines: Float[np.ndarray, "n n"], label: Int[np.ndarray, "draw n"]
) -> Float[np.ndarray, "quantity draw"]:
    """Return the quantities compared with shuffled labels, `TESTED`, by draw of labels."""
    means = group_means(cosines, label, int(label.max()) + 1)
    within, between = within_and_between(means)
    return np.stack([within - between, silhouettes(1 - cosines, label).mean(axis=-1)])


def _purity(clusters: Int[np.ndarray, " n"] | None, label: Int[np.ndarray, "*draw n"]) -> float:
    return float("nan") if clusters is None else float(purity(clusters, label).mean())


def group_pair_table(
    sentences: Sentences, *, n_half_samples: int, level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """Return a row per two groups, or group with itself: mean cosine and distance of sentences.

    Half-samples are of the sentences within groups.
    """
    label, names = sentences.label, list(dict.fromkeys(sentences.group))
    options: dict[str, Any] = {"n_half_samples": n_half_samples, "level": level}
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    parts = []
    streams = generator.spawn(len(sentences.vectors))
    for vectors, halves in zip(sentences.vectors, streams, strict=True):
        table = estimate_table(
            {"pair": pairs, "pooling": [vectors.pooling], "layer": range(len(vectors.trained))},
            PAIR_QUANTITIES,
            [_pair_statistic(x, label, len(names)) for x in vectors.by_weights()],
            label,
            **options,
            generator=halves,
        )
        table["group_1"] = [names[i] for i, _ in table["pair"]]
        table["group_2"] = [names[j] for _, j in table["pair"]]
        table["n_pairs"] = [n_pairs(np.bincount(label), i, j) for i, j in table["pair"]]
        parts.append(table.assign(**units_named(sentences.units))[PAIR_COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=PAIR_COLUMNS)


def n_pairs(sizes: Int[np.ndarray, " group"], i: int, j: int) -> int:
    """Return the number of pairs of different sentences, one from each group."""
    return int(sizes[i] * (sizes[i] - 1) // 2 if i == j else sizes[i] * sizes[j])


def _pair_statistic(
    x: Float[np.ndarray, "layer sentence dim"], label: Int[np.ndarray, " sentence"], n_groups: int
) -> Statistic:
    measures = (cosines_of(x), distances_of(x))
    first, second = np.triu_indices(n_groups)

    def statistic(rows: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "quantity pair layer"]:
        square = np.ix_(np.arange(len(x)), rows, rows)
        means = [group_means(matrix[square], label[rows], n_groups) for matrix in measures]
        return np.stack([mean[:, first, second].T for mean in means])

    return statistic

"""Command `embspace compress`: what is kept of search and neighbors in fewer or coarser numbers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.app.practice.answers import Answer, interval, number
from embspace.app.practice.clusters_kept import TASK as CLUSTERS
from embspace.app.practice.clusters_kept import clusters_kept, line_of_clusters
from embspace.app.practice.first_coordinates import (
    first_against_random,
    line_of_first,
    sizes_below,
)
from embspace.app.practice.reading import read_corpus
from embspace.app.practice.tasks import (
    LEVEL,
    SEED,
    K,
    Scored,
    check_neighbors,
    cosines,
    half_of_documents,
    held_out,
    scored_labels,
    search_ranks,
    table_of,
)
from embspace.app.practice.text_vectors import HalfVectors, TextVectors, check_directions
from embspace.errors import InputError
from embspace.geometry.measures.spectral_measures import iso_score, participation_ratio
from embspace.geometry.practice.compression import (
    Int8Ranges,
    PairScores,
    hamming_similarity,
    nearest_by_scores,
    neighbors_kept,
    principal_axes,
    rescored_similarity,
    sign_vectors,
)

SMALLEST = 8  # coordinates
FULL = "float32"
KINDS = {"first": "first", "pca": "PCA", "random": "random"}
LOST = 0.05
TASKS = ("search", "labels", "neighbors")  # in the order by which a setting is chosen


class Setting(NamedTuple):
    """A way to keep vectors: which coordinates, in which numbers, and how they are compared."""

    name: str
    kind: str
    """full, first, pca, random, float16, int8, bits or bits_rescored."""
    kept: int
    n_bytes: float
    scores: PairScores
    stored: Callable[[Float[np.ndarray, "n dim"]], Float[np.ndarray, "n m"]] | None
    """The stored form of vectors; None where another setting stores the same."""


def compress(
    corpus: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
    lost: float = LOST,
) -> Answer:
    """Return what is kept when vectors are cut or rounded, with intervals over documents.

    Settings: the first m coordinates, m principal components, m random coordinates, from 8 to all;
    all of them in float16, int8, sign bits, and sign bits with rescoring. Components and the ranges
    of int8 are those of half of the documents, and all is measured on the other half. `kept` has
    for each its bytes a text and, at each task, the value and its difference from float32, paired:
    `neighbors`, the share of the 10 nearest texts by float32 that stay; `search`, the mean
    reciprocal rank of the first half of a text when its second half asks; `labels`, the share of 10
    neighbors of the same label; `clusters`, the adjusted Rand index of clusters by k-means, beside
    k-means of halves of the documents. `shape` has dimension and isotropy of all coordinates,
    `first` how many more neighbors the first coordinates keep than random ones, of 20 orders.

    Other arguments are those of `embspace.threshold`.

    Args:
        corpus: As `read_corpus` takes it.
        model: One for `embspace.spaces`.
        layer: From 0, the embedding output.
        pooling: By default the model's usual one.
        tokenizer: Beside a transformers model.
        vectors: In the place of a model.
        reading: How a file of texts is read.
        lost: The share of a task's value that the smallest setting may lose.

    Raises:
        InputError: as `read_corpus`, or for fewer than 30 texts, or fewer than 8 coordinates.
    """
    if not 0 < lost < 1:
        raise InputError(f"--lost: found {lost}, allowed: a share between 0 and 1")
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling).originals()
    check_directions(cloud)
    _check_size(cloud)
    is_fitted = half_of_documents(cloud)
    measured, halves = held_out(cloud, read.halves_at(layer, pooling), is_fitted)
    kept = _kept(measured, halves, settings_of(cloud, is_fitted))
    tables = {"kept": kept, "shape": _shape(cloud), "first": first_against_random(measured)}
    return Answer("\n".join(_said(cloud, tables, lost)), _sentence(cloud, tables, lost), tables)


def _check_size(cloud: TextVectors) -> None:
    check_neighbors(cloud)
    if cloud.vectors.shape[1] < SMALLEST:
        raise InputError(
            f"{cloud.corpus}: found {cloud.vectors.shape[1]} coordinates, allowed: {SMALLEST} or "
            "more"
        )


def settings_of(cloud: TextVectors, is_fitted: Bool[np.ndarray, " text"]) -> list[Setting]:
    """Return all settings, all coordinates in float32 first."""
    dim = cloud.vectors.shape[1]
    fitted = cloud.vectors[is_fitted].astype(np.float64)
    axes, order = principal_axes(fitted), np.random.default_rng(SEED).permutation(dim)
    ranges = Int8Ranges.of(fitted)

    def rounded(a: np.ndarray) -> np.ndarray:
        return ranges.vectors(ranges.codes(a.astype(np.float64)))

    settings = [Setting(FULL, "full", dim, 4 * dim, cosines, lambda a: a)]
    for m in sizes_below(dim):
        settings += [
            _cut(f"first {m}", "first", np.eye(dim)[:, :m]),
            _cut(f"PCA {m}", "pca", axes[:, :m]),
            _cut(f"random {m}", "random", np.eye(dim)[:, order[:m]]),
        ]
    bits = np.ceil(dim / 8)
    return [
        *settings,
        _coarser("float16", dim, 2 * dim, lambda a: a.astype(np.float16).astype(np.float32)),
        _coarser("int8", dim, dim, rounded),
        Setting("sign bits", "bits", dim, bits, hamming_similarity, sign_vectors),
        Setting(
            "sign bits, rescored",
            "bits_rescored",
            dim,
            bits,
            lambda a, b: rescored_similarity(a, b, K),
            None,
        ),
    ]


def _cut(name: str, kind: str, columns: Float[np.ndarray, "dim m"]) -> Setting:
    m = columns.shape[1]
    return Setting(
        name, kind, m, 4 * m, lambda a, b: cosines(a @ columns, b @ columns), lambda a: a @ columns
    )


def _coarser(
    name: str, dim: int, n_bytes: float, stored: Callable[[np.ndarray], np.ndarray]
) -> Setting:
    """Return a setting that keeps candidates in coarser numbers; queries stay as they are."""
    return Setting(name, name, dim, n_bytes, lambda a, b: cosines(a, stored(b)), stored)


def _kept(cloud: TextVectors, halves: HalfVectors | None, settings: list[Setting]) -> pd.DataFrame:
    x = cloud.vectors
    nearest = {
        setting.name: nearest_by_scores(x, cloud.documents, setting.scores, K)
        for setting in settings
    }
    shares = {name: neighbors_kept(nearest[FULL], rows) for name, rows in nearest.items()}
    scored = [Scored("neighbors", f"share of {K} neighbors kept", shares, cloud.documents)]
    if halves is not None:
        ranks = {
            setting.name: search_ranks(halves, setting.scores(halves.queries, halves.candidates))
            for setting in settings
        }
        scored.append(Scored("search", "mean reciprocal rank", ranks, halves.documents))
    if cloud.has_labels:
        scored.append(scored_labels(cloud, nearest))
    about = pd.DataFrame(
        [(setting.name, setting.kind, setting.kept, setting.n_bytes) for setting in settings],
        columns=["version", "kind", "coordinates", "bytes"],
    )
    stored = {setting.name: setting.stored(x) for setting in settings if setting.stored}
    table = pd.concat([table_of(scored), clusters_kept(cloud, stored)], ignore_index=True)
    table = table.merge(about, on="version", how="left")
    full = table[table["version"] == FULL].set_index("task")["value"]
    table["share_kept"] = table["value"] / table["task"].map(full)
    table["share_kept_low"] = 1 + table["difference_low"] / table["task"].map(full)
    return table


def _shape(cloud: TextVectors) -> pd.DataFrame:
    x = cloud.vectors.astype(np.float64)
    return pd.DataFrame(
        [
            {
                "dim": x.shape[1],
                "participation_ratio": float(participation_ratio(x)),
                "iso_score": float(iso_score(x)),
                "n": len(x),
            }
        ]
    )


def smallest(kept: pd.DataFrame, task: str, lost: float) -> pd.Series | None:
    """Return the setting of the fewest bytes that surely loses less than a share; None if none.

    Of equal bytes the one that keeps most.
    """
    rows = kept[(kept["task"] == task) & (kept["share_kept_low"] > 1 - lost)]
    rows = rows[rows["version"] != FULL].sort_values(
        ["bytes", "value"], ascending=[True, False], kind="stable"
    )
    return rows.iloc[0] if len(rows) else None


def _said(cloud: TextVectors, tables: Mapping[str, pd.DataFrame], lost: float) -> Iterator[str]:
    kept, shape = tables["kept"], tables["shape"].iloc[0]
    yield (
        f"{cloud.called}: {len(cloud):,} texts, {shape['dim']:.0f} coordinates, of which "
        f"{shape['participation_ratio']:.1f} count (participation ratio; IsoScore "
        f"{number(shape['iso_score'])})"
    )
    n_measured = kept.loc[kept["task"] == "neighbors", "n"].iloc[0]
    yield f"calibrated on half of the documents, measured on {n_measured:,} texts of the other half"
    tasks = [task for task in (*TASKS, CLUSTERS) if task in {*kept["task"]}]
    yield f"  {'':22}  {'bytes':>6}" + "".join(f"  {task:24}" for task in tasks)
    for version in kept["version"].unique():
        rows = kept[kept["version"] == version].set_index("task")
        if np.isnan(rows["bytes"].iloc[0]):
            continue
        values = [_value(rows, task) for task in tasks]
        n_bytes = rows["bytes"].iloc[0]
        yield f"  {version:22}  {n_bytes:6,.0f}" + "".join(f"  {value:24}" for value in values)
    for task in tasks[:-1]:
        least = smallest(kept, task, lost)
        chosen = f"{least['version']}, {least['bytes']:,.0f} bytes" if least is not None else "none"
        yield f"smallest that surely loses less than {100 * lost:g} % of {task}: {chosen}"
    yield line_of_clusters(kept)
    yield line_of_first(tables["first"])


def _value(rows: pd.DataFrame, task: str) -> str:
    return interval(*rows.loc[task, ["value", "low", "high"]]) if task in rows.index else ""


def _sentence(cloud: TextVectors, tables: Mapping[str, pd.DataFrame], lost: float) -> str:
    """Return what one would write into a paper."""
    kept = tables["kept"]
    task = next(task for task in TASKS if task in {*kept["task"]})
    rows = kept[kept["task"] == task].set_index("version")
    least = smallest(kept, task, lost)
    quantity = rows["quantity"].iloc[0]
    start = (
        f"On {rows['n'].iloc[0]:,} texts of {cloud.called} ({quantity} with all "
        f"{tables['shape']['dim'].iloc[0]} coordinates in float32: "
        f"{number(float(rows['value'].loc[FULL]))})"
    )
    protocol = (
        f"({100 * LEVEL:g} % intervals over documents, for all settings at once; components and "
        "ranges from the other half of the documents)"
    )
    if least is None:
        return f"{start}, no setting surely loses less than {100 * lost:g} % {protocol}."
    parts = (least["difference"], least["difference_low"], least["difference_high"])
    return (
        f"{start}, {least['version']} ({least['bytes']:,.0f} bytes a text) is the smallest setting "
        f"that surely loses less than {100 * lost:g} %: a difference of {interval(*parts)} "
        f"{protocol}."
    )

"""Command `embspace compress`: what search and neighbors lose with fewer or coarser numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from embspace.app.practice.answers import Answer, interval, number
from embspace.app.practice.lines import line_of_clusters, line_of_first
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.measure.practice.clusters_kept import TASK as CLUSTERS
from embspace.measure.practice.compression import (
    FULL,
    SMALLEST,
    kept_table,
    settings_of,
    shape_table,
    smallest,
)
from embspace.measure.practice.first_coordinates import (
    first_against_random,
)
from embspace.measure.practice.scored_versions import (
    LEVEL,
    check_neighbors,
    half_of_documents,
    held_out,
)
from embspace.measure.practice.text_vectors import TextVectors, check_directions

LOST = 0.05
TASKS = ("search", "labels", "neighbors")  # in the order by which a setting is chosen


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
    all coordinates in float16, int8, sign bits, and sign bits with rescoring. Components and the
    ranges of int8 are fitted on half of the documents, and everything is measured on the other
    half. `kept` has for every setting the bytes per text and, for every task, the value and its
    paired difference from float32: `neighbors`, the share of the 10 nearest texts by float32 that
    are kept; `search`, the mean reciprocal rank of the first half of a text when its second half is
    the query; `labels`, the share of 10 neighbors with the same label; `clusters`, the adjusted
    Rand index of clusters by k-means, beside k-means of halves of the documents. `shape` has
    dimension and isotropy of all coordinates, `first` how many more neighbors the first coordinates
    keep than random ones do, over 20 orders.

    Further arguments are as for `embspace.threshold`.

    Args:
        corpus: As for `read_corpus`.
        model: A model for `embspace.spaces`.
        layer: From 0, the embedding output.
        pooling: By default the model's usual pooling.
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
    kept = kept_table(measured, halves, settings_of(cloud, is_fitted))
    tables = {"kept": kept, "shape": shape_table(cloud), "first": first_against_random(measured)}
    return Answer("\n".join(_said(cloud, tables, lost)), _sentence(cloud, tables, lost), tables)


def _check_size(cloud: TextVectors) -> None:
    check_neighbors(cloud)
    if cloud.vectors.shape[1] < SMALLEST:
        raise InputError(
            f"{cloud.corpus}: found {cloud.vectors.shape[1]} coordinates, allowed: {SMALLEST} or "
            "more"
        )


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
    """Return the result as a sentence for a paper."""
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

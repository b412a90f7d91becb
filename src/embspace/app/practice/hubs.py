"""Command `embspace hubs`: the texts that most queries find, and how to make hubs rarer."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Int

from embspace.app.practice.answers import Answer, number
from embspace.app.practice.lines import effect_lines, verdict
from embspace.app.practice.reading import read_corpus
from embspace.geometry.inference.resampling import upper_p_value
from embspace.geometry.practice.hub_reduction import (
    k_occurrences,
)
from embspace.measure.practice.scored_versions import (
    K,
    check_neighbors,
    check_spread,
    cosines,
)
from embspace.measure.practice.text_hubs import (
    N_NULL,
    HubNull,
    hub_tasks,
    hubness_table,
    nearest_by_version,
    versions_for,
)
from embspace.measure.practice.text_vectors import TextVectors, check_directions, snippet

SURE = 0.05
N_SHOWN = 5
SEED = 0

NAMES = {
    "cosine": "cosine",
    "centered": "cosine, centered",
    "local_scaling": "local scaling",
    "mutual_proximity": "mutual proximity",
    "csls": "CSLS",
}


def hubs(
    corpus: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Answer:
    """Return the texts among the 10 nearest of most other texts, and of none.

    Neighbors are texts of different documents.

    `texts` has the k-occurrence of every text with a p-value: the share of Gaussian clouds of the
    same mean and covariance whose largest hub is as large. `hubness` has the skewness of
    k-occurrences, the largest, and the share of antihubs, by cosine and under centering, local
    scaling, mutual proximity and CSLS, beside the null; `tasks` has the effect of these changes on
    search by halves of texts and on neighbors of the same label, with paired intervals over
    documents.

    Copies of a text are left out. Arguments are as for `embspace.threshold`.

    Raises:
        InputError: as `read_corpus`, or for fewer than 30 texts.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling).originals()
    check_directions(cloud)
    check_neighbors(cloud)
    check_spread(cloud)
    nearest = {name: nearest_by_version(cloud, name) for name in versions_for(len(cloud))}
    null = HubNull(cloud.vectors, cloud.documents)
    counts = k_occurrences(nearest["cosine"])
    tables = {
        "hubness": hubness_table(cloud, nearest, null),
        "texts": _texts(cloud, counts, null),
        "tasks": hub_tasks(cloud, read.halves_at(layer, pooling), nearest),
    }
    return Answer("\n".join(_said(cloud, tables)), _sentence(cloud, tables), tables)


def _texts(cloud: TextVectors, counts: Int[np.ndarray, " text"], null: HubNull) -> pd.DataFrame:
    """Return all texts, the largest hub first; p-values where the null has as many texts."""
    p_value = np.full(len(cloud), np.nan)
    p_value[null.rows] = [upper_p_value(float(count), null.largest) for count in null.counts]
    table = cloud.table[["id", "document", "label", "n_tokens"]].assign(
        k_occurrence=counts,
        share=counts / (len(cloud) - 1),
        p_value=p_value,
        cosine_to_mean=cosines(cloud.vectors, cloud.vectors.mean(axis=0, keepdims=True))[:, 0],
    )
    if cloud.has_texts:
        table["text"] = cloud.table["text"].map(lambda text: snippet(text, 200))
    return table.sort_values(["k_occurrence", "id"], ascending=[False, True], ignore_index=True)


def _by_version(tables: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, Any]]:
    rows = tables["hubness"].set_index("version")
    return {str(version): dict(row) for version, row in rows.iterrows()}


def _said(cloud: TextVectors, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    texts, hubness = tables["texts"], _by_version(tables)
    null, plain = hubness["null"], hubness["cosine"]
    yield f"{cloud.called}: {len(cloud):,} texts, {K} neighbors of each by cosine"
    yield (
        f"hubness {number(plain['skewness'], 2)} (skewness of how often a text is "
        f"a neighbor); Gaussian clouds of the same covariance: {number(null['skewness'], 2)} "
        f"({number(null['skewness_low'], 2)} to {number(null['skewness_high'], 2)}, "
        f"{N_NULL} draws of {null['n']:,.0f}), p = {null['p_value']:.3f}"
    )
    yield f"{100 * plain['antihubs']:.1f} % of the texts are nobody's neighbor"
    sure = texts[texts["p_value"] <= SURE]
    yield (
        f"{len(sure)} texts are neighbors more often than the largest hub of such clouds "
        f"(p <= {SURE:g} for all at once)"
    )
    for _, row in texts.head(N_SHOWN).iterrows():
        shown = snippet(row["text"]) if "text" in row else ""
        yield f"  {row['k_occurrence']:6,.0f} times  {row['id']}  {shown}".rstrip()
    yield f"{'':2}{'':28}  {'hubness':>8}  {'largest':>8}  {'antihubs':>8}"
    for version, shape in hubness.items():
        if version in NAMES:
            yield (
                f"  {NAMES[version]:28}  {number(shape['skewness'], 2):>8}  "
                f"{shape['largest']:8,.0f}  {100 * shape['antihubs']:6.1f} %"
            )
    tasks = tables["tasks"]
    for task in tasks["task"].unique() if len(tasks) else ():
        quantity = tasks.loc[tasks["task"] == task, "quantity"].iloc[0]
        yield f"{task}: {quantity}, and less the cosine"
        yield from effect_lines(tasks, task, NAMES)


def _sentence(cloud: TextVectors, tables: Mapping[str, pd.DataFrame]) -> str:
    """Return the result as a sentence for a paper."""
    hubness, tasks = _by_version(tables), tables["tasks"]
    null, plain = hubness["null"], hubness["cosine"]
    reduced = {name: hubness[name]["skewness"] for name in hubness if name in NAMES}
    del reduced["cosine"]
    best = min(reduced, key=lambda name: reduced[name])
    effects = [
        f"{task}: {verdict(rows[rows['version'] == best].iloc[0])}"
        for task, rows in (tasks.groupby("task", sort=False) if len(tasks) else ())
    ]
    effect = f" ({'; '.join(effects)})" if effects else ""
    return (
        f"Among the {len(cloud):,} texts of {cloud.called}, the skewness of {K}-occurrences by "
        f"cosine is {number(plain['skewness'], 2)} (Gaussian clouds of the same mean and "
        f"covariance: {number(null['skewness_low'], 2)} to {number(null['skewness_high'], 2)}, "
        f"{N_NULL} draws, p = {null['p_value']:.3f}); with {NAMES[best]} it is "
        f"{number(reduced[best], 2)}{effect}."
    )

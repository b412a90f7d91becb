"""Stage `measure_compression`: what is kept when vectors of texts are cut or rounded.

`embspace compress` asks the same of any corpus.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from pydantic import Field, NonNegativeInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.measures.spectral_measures import iso_score, participation_ratio
from embspace.geometry.practice.compression import (
    Int8Ranges,
    PairScores,
    hamming_similarity,
    nearest_by_scores,
    principal_axes,
    rescored_similarity,
    scores_of_neighbors_kept,
    sign_vectors,
)
from embspace.measure.practice.clusters_kept import clusters_kept
from embspace.measure.practice.corpora import CorpusStates, gathered, held_out_corpora, load_corpora
from embspace.measure.practice.first_coordinates import first_against_random, sizes_below
from embspace.measure.practice.scored_versions import (
    EFFECT,
    SEED,
    K,
    cosines,
    scored_labels,
    scored_neighbors,
    scored_search,
    search_ranks,
    table_of,
)
from embspace.measure.practice.text_vectors import HalfVectors, TextVectors
from embspace.settings.stage import run_stage

SMALLEST = 8  # coordinates
FULL = "float32"


class Setting(NamedTuple):
    """A way to keep vectors: coordinates, number format, and comparison."""

    name: str
    kind: str
    """full, first, pca, random, float16, int8, bits or bits_rescored."""
    kept: int
    n_bytes: float
    scores: PairScores
    stored: Callable[[Float[np.ndarray, "n dim"]], Float[np.ndarray, "n m"]] | None
    """The stored form of vectors; None where another setting stores the same."""


def settings_of(
    cloud: TextVectors, is_fitted: Bool[np.ndarray, " text"], seed: int = SEED
) -> list[Setting]:
    """Return all settings, all coordinates in float32 first."""
    dim = cloud.vectors.shape[1]
    fitted = cloud.vectors[is_fitted].astype(np.float64)
    axes, order = principal_axes(fitted), np.random.default_rng(seed).permutation(dim)
    ranges = Int8Ranges.of(fitted)

    def rounded(a: np.ndarray) -> np.ndarray:
        return ranges.vectors(ranges.codes(a.astype(np.float64)))

    settings = [Setting(FULL, "full", dim, 4 * dim, cosines, lambda a: a)]
    for m in sorted({*sizes_below(dim), max(dim // 4, SMALLEST)}):
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
    """Return a setting with candidates in coarser numbers; queries stay unchanged."""
    return Setting(name, name, dim, n_bytes, lambda a, b: cosines(a, stored(b)), stored)


def kept_table(
    cloud: TextVectors, halves: HalfVectors | None, settings: list[Setting], seed: int = SEED
) -> pd.DataFrame:
    """Return a row per task and setting: value, loss, and bytes per text."""
    x = cloud.vectors
    nearest = {
        setting.name: nearest_by_scores(x, cloud.documents, setting.scores, K)
        for setting in settings
    }
    kept = {name: scores_of_neighbors_kept(nearest[FULL], rows) for name, rows in nearest.items()}
    scored = [scored_neighbors(cloud, kept)]
    if halves is not None:
        ranks = {
            setting.name: search_ranks(halves, setting.scores(halves.queries, halves.candidates))
            for setting in settings
        }
        scored.append(scored_search(halves, ranks))
    if cloud.has_labels:
        scored.append(scored_labels(cloud, nearest))
    about = pd.DataFrame(
        [(setting.name, setting.kind, setting.kept, setting.n_bytes) for setting in settings],
        columns=["version", "kind", "coordinates", "bytes"],
    )
    stored = {setting.name: setting.stored(x) for setting in settings if setting.stored}
    table = pd.concat(
        [table_of(scored, seed), clusters_kept(cloud, stored, seed)], ignore_index=True
    )
    table = table.merge(about, on="version", how="left")
    full = table[table["version"] == FULL].set_index("task")
    gain = (full["value"] - full["chance"].fillna(0.0)).where(
        full["low"] > full["chance"].fillna(0.0)
    )
    for end in ("", "_low", "_high"):
        table[f"share_kept{end}"] = 1 + table[f"difference{end}"] / table["task"].map(gain)
    table["percent"] = 100 * table["coordinates"] / cloud.vectors.shape[1]
    return table


def shape_table(cloud: TextVectors) -> pd.DataFrame:
    """Return dimension and isotropy of all coordinates, in a row."""
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
    """Return the setting of the fewest bytes that surely loses less than a share; None without any.

    Of settings with equal bytes, return the setting that keeps most.
    """
    rows = kept[(kept["task"] == task) & (kept["share_kept_low"] > 1 - lost)]
    rows = rows[rows["version"] != FULL].sort_values(
        ["bytes", "value"], ascending=[True, False], kind="stable"
    )
    return rows.iloc[0] if len(rows) else None


COMPRESSION = Analysis(
    noun="compression",
    question="What do texts keep of search, labels and neighbors in fewer or coarser numbers?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table(
            {
                **EFFECT,
                "kind": "name",
                "coordinates": ("count", "coordinates"),
                "percent": "row",  # of all coordinates
                "bytes": ("count", "bytes"),
                "share_kept": ("profile", "share kept"),
                "share_kept_low": "profile_bound",
                "share_kept_high": "profile_bound",
            }
        ),
        # The setting of the fewest bytes that surely loses less than `lost`; empty if none.
        "smallest": Table(
            {
                "corpus": ("row", "corpus"),
                "task": ("row", "task"),
                "version": ("name", "smallest that keeps enough"),
                "bytes": ("count", "bytes"),
            }
        ),
        "shape": Table(
            {
                "corpus": ("row", "corpus"),
                "dim": ("count", "coordinates"),
                "participation_ratio": ("profile", "participation ratio"),
                "iso_score": ("profile", "IsoScore"),
                "n": ("count", "texts"),
            }
        ),
        "first": Table(
            {
                "corpus": ("row", "corpus"),
                "size": ("row", "coordinates"),
                "first": ("neighbor_share", "first coordinates"),
                "random": ("neighbor_share", "random coordinates"),
                "difference": ("neighbor_share", "difference"),
                "low": ("profile_bound", "difference_low"),
                "high": ("profile_bound", "difference_high"),
                "n": ("count", "texts"),
            }
        ),
    },
)


def measure_compression(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=4)],
    most_texts: Annotated[int, Field(ge=30)],
    lost: Annotated[float, Field(gt=0, lt=1)],
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how much vectors of texts keep at the last layer if they are cut or rounded.

    Settings: the first m coordinates, m principal components, m random coordinates; all coordinates
    in float16, int8, sign bits, and sign bits with rescoring. Components and ranges come from half
    of the documents; the other half is measured. `search` is the mean reciprocal rank of first
    halves of texts for their second halves, `labels` the share of ten neighbors of the same label,
    `neighbors` the share of the neighbors by float32, `clusters` the adjusted Rand index of
    k-means. `difference` is from float32; the intervals over documents are simultaneous for all
    settings. `share_kept` is the share of float32's lead over chance, NaN if the lead is not sure;
    `smallest` has the setting of the fewest bytes that surely loses less than the share `lost`;
    `first` compares the first coordinates with random coordinates. Corpora with fewer than
    `fewest_documents` measured documents are left out; of larger corpora about `most_texts` texts
    are taken, of whole documents.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in COMPRESSION.tables}
    for name, held in held_out_corpora(
        corpora, pooling, fewest_documents, most_texts, seed
    ).items():
        settings = settings_of(held.cloud, held.is_fitted, seed)
        kept = kept_table(held.measured, held.halves, settings, seed)
        by_table = {
            "csv": kept,
            "smallest": _smallest_table(kept, lost),
            "shape": shape_table(held.cloud),
            "first": first_against_random(held.measured, seed),
        }
        for table, rows in by_table.items():
            tables[table].append(rows.assign(corpus=name))
    return gathered(COMPRESSION, tables)


def _smallest_table(kept: pd.DataFrame, lost: float) -> pd.DataFrame:
    least = {task: smallest(kept, task, lost) for task in kept["task"].unique()}
    return pd.DataFrame(
        {
            "task": [*least],
            "version": ["" if row is None else row["version"] for row in least.values()],
            "bytes": [np.nan if row is None else row["bytes"] for row in least.values()],
        }
    )


main = COMPRESSION.main(measure_compression)

if __name__ == "__main__":
    run_stage(main, measure_compression)

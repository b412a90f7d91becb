"""Pairs of texts that are known to be the same, and how a threshold of cosines judges them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.app.practice.corpora import TextVectors
from embspace.errors import InputError, not_among, shortened
from embspace.geometry.practice.known_pairs import (
    JudgedPairs,
    held_out_threshold,
    judged_pairs,
    precision_and_recall,
)

BY_LABEL = "label"
COLUMNS = ("first", "second")
MOST = 4000  # texts whose pairs are held in memory; of more, texts are drawn
N_SPLITS = 50
THRESHOLDS = np.round(np.arange(-1, 1.0001, 0.01), 2)


class SameTexts(NamedTuple):
    """Which texts are the same as which, for some rows of a cloud."""

    rows: Int[np.ndarray, " row"]
    same: Bool[np.ndarray, "row row"]
    unit: Int[np.ndarray, " row"]
    """What is not cut by halves: texts that are the same by known pairs, or a document."""


def same_texts(cloud: TextVectors, known: Any) -> SameTexts:
    """Return the texts that are the same by a file or table of pairs, or by their labels.

    Raises:
        InputError: if the file has no pair, or names a text that is not there; if labels are asked
            for that the corpus has not.
    """
    document = cloud.documents
    rng = np.random.default_rng(0)
    if isinstance(known, str) and known == BY_LABEL:
        if not cloud.has_labels:
            raise InputError(
                f"--known: found 'label', allowed: beside labels, which {cloud.corpus} has not; "
                "name their column by --label-column"
            )
        rows = np.flatnonzero(cloud.table["label"] != "")
        rows = np.sort(rng.permutation(rows)[:MOST])
        label = pd.factorize(cloud.table["label"].to_numpy()[rows])[0]
        apart = document[rows][:, None] != document[rows]
        same = (label[:, None] == label) & apart
        return SameTexts(rows, same, np.unique(document[rows], return_inverse=True)[1])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    table, place = _table_of(known)
    index = pd.Index(cloud.table["id"].astype(str))
    pairs = np.stack([_rows_of(table[name], index, place, cloud.corpus) for name in COLUMNS])
    if not pairs.size:
        raise InputError(f"{place}: found no pair, allowed: one or more")
    n = len(cloud)
    links = coo_array((np.ones(pairs.shape[1]), tuple(pairs)), shape=(n, n))
    # Texts of one document stay together as well.
    of_document = coo_array((np.ones(n), (np.arange(n), _first_of(document))), shape=(n, n))
    unit = connected_components(links + of_document, directed=False)[1]
    same_by_pairs = connected_components(links, directed=False)[1]
    order = rng.permutation(int(unit.max()) + 1)[unit]
    rows = np.sort(np.argsort(order, kind="stable")[:MOST])
    same = same_by_pairs[rows][:, None] == same_by_pairs[rows]
    return SameTexts(rows, same, np.unique(unit[rows], return_inverse=True)[1])


def _first_of(document: Int[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    _, first, number = np.unique(document, return_index=True, return_inverse=True)
    return first[number]


def _table_of(known: Any) -> tuple[pd.DataFrame, str]:
    if isinstance(known, pd.DataFrame):
        table, place = known, "known"
    elif isinstance(known, str | Path):
        place = str(known)
        table = _read(Path(known))
    else:
        raise InputError(f"known: found {shortened(known)}, allowed: a file, a table, or 'label'")
    for name in COLUMNS:
        if name not in table:
            raise InputError(f"{place}: column '{name}': {not_among(name, [*map(str, table)])}")
    return table, place


def _read(file: Path) -> pd.DataFrame:
    """Return the rows of a file of pairs.

    Raises:
        InputError: if it is not there, or no table.
    """
    from embspace.files.formats.endings import ENDINGS, ending_of
    from embspace.files.formats.row import NoRow
    from embspace.files.formats.rows import rows_of
    from embspace.files.formats.streams import opened

    if ending_of(file.name) not in ENDINGS:
        raise InputError(f"{file}: found '{file.suffix}', allowed: {', '.join(ENDINGS)}")
    rows: list[dict[str, Any]] = []
    with opened(file) as stream:
        for line, row in rows_of(stream, ending_of(file.name), str(file)):
            if isinstance(row, NoRow):
                raise InputError(f"{file}: cannot be read: line {line}: {row.reason}")
            rows.append(row)
    return pd.DataFrame(rows)


def _rows_of(
    names: pd.Series, index: pd.Index, place: str, corpus: str
) -> Int[np.ndarray, " pair"]:
    rows = index.get_indexer(pd.Index(names.astype(str)))
    if (rows < 0).any():
        unknown = names.astype(str).to_numpy()[rows < 0][0]
        raise InputError(
            f"{place}: column '{names.name}': found '{unknown}', allowed: an id of a text of "
            f"{corpus}"
        )
    return np.asarray(rows, dtype=np.int64)


def _judged(cloud: TextVectors, same: SameTexts) -> JudgedPairs:
    rows = same.rows
    return judged_pairs(cloud.vectors[rows], cloud.documents[rows], same.same, same.unit)


def precision_table(cloud: TextVectors, same: SameTexts) -> pd.DataFrame:
    """Return precision and recall by threshold, of all pairs that are judged."""
    pairs = _judged(cloud, same)
    curve = precision_and_recall(pairs, len(pairs.same), len(pairs.other), THRESHOLDS)
    return pd.DataFrame(curve._asdict()).assign(n_same=len(pairs.same), n_other=len(pairs.other))


def held_out_table(
    cloud: TextVectors, same: SameTexts, wanted: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the threshold of a wanted precision, held out, in a row."""
    pairs = _judged(cloud, same)
    found = held_out_threshold(pairs, wanted, n_splits=N_SPLITS, rng=rng)
    row: dict[str, float] = {
        "wanted_precision": wanted,
        "n_texts": len(same.rows),
        "n_same": len(pairs.same),
        "n_other": len(pairs.other),
    }
    for name in ("threshold", "precision", "recall"):
        bounds = getattr(found, name)
        row |= {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
    return pd.DataFrame([row | {"n_reached": found.n_reached, "n_halves": found.n_halves}])

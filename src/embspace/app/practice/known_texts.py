"""Pairs of texts known to be the same, to judge a threshold of cosines."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Int

from embspace.errors import InputError, not_among, shortened
from embspace.geometry.practice.known_pairs import (
    JudgedPairs,
    held_out_threshold,
    judged_pairs,
    precision_and_recall,
)
from embspace.measure.practice.text_vectors import TextVectors

BY_LABEL = "label"
COLUMNS = ("first", "second")
MOST = 4000  # texts whose pairs are held in memory; of more, texts are drawn
N_SPLITS = 50
THRESHOLDS = np.round(np.arange(-1, 1.0001, 0.01), 2)


class SameTexts(NamedTuple):
    """Pairs of rows of a cloud, with marks for pairs of the same text, units and counts."""

    rows: Int[np.ndarray, " row"]
    same: Bool[np.ndarray, "row row"]
    unit: Int[np.ndarray, " row"]
    """The unit kept whole by halves: texts joined by known pairs or by a common document."""
    n_same: int
    """Pairs of the whole corpus; `rows` may be a sample."""
    n_other: int
    n_texts: int
    """Texts of the corpus from which `rows` are drawn."""
    n_listed: int
    """Different pairs in the list; a pair of pairs makes more the same. 0 of labels."""


def same_texts(cloud: TextVectors, known: Any) -> SameTexts:
    """Return which texts are the same, by a file or table of pairs, or by labels.

    Raises:
        InputError: if the file has no pair, or names an absent text; if labels are requested of a
            corpus without labels.
    """
    document = cloud.documents
    has_direction = np.asarray(cloud.vectors.any(axis=1))  # the others have no cosine
    rng = np.random.default_rng(0)
    if isinstance(known, str) and known == BY_LABEL:
        if not cloud.has_labels:
            raise InputError(
                f"--known: found 'label', allowed: beside labels, which {cloud.corpus} has not; "
                "name their column by --label-column"
            )
        labeled = np.flatnonzero((cloud.table["label"] != "").to_numpy() & has_direction)
        all_labels = cloud.table["label"].to_numpy()[labeled]
        rows = np.sort(rng.permutation(labeled)[:MOST])
        label = pd.factorize(cloud.table["label"].to_numpy()[rows])[0]
        apart = document[rows][:, None] != document[rows]
        same = (label[:, None] == label) & apart
        n_same, n_other = _pair_counts(pd.factorize(all_labels)[0], document[labeled], False)
        unit = np.unique(document[rows], return_inverse=True)[1]
        return SameTexts(rows, same, unit, n_same, n_other, len(labeled), 0)
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
    document_links = coo_array((np.ones(n), (np.arange(n), _first_of(document))), shape=(n, n))
    unit = connected_components(links + document_links, directed=False)[1]
    same_by_pairs = connected_components(links, directed=False)[1]
    order = rng.permutation(int(unit.max()) + 1)[unit]
    rows = np.sort(np.argsort(order, kind="stable")[:MOST])
    same = same_by_pairs[rows][:, None] == same_by_pairs[rows]
    n_same, n_other = _pair_counts(same_by_pairs[has_direction], document[has_direction], True)
    unit = np.unique(unit[rows], return_inverse=True)[1]
    listed = pairs.T[has_direction[pairs].all(axis=0)].tolist()
    n_listed = len({frozenset(pair) for pair in listed if pair[0] != pair[1]})
    return SameTexts(rows, same, unit, n_same, n_other, n, n_listed)


def _pair_counts(
    group: Int[np.ndarray, " n"], document: Int[np.ndarray, " n"], counts_own: bool
) -> tuple[int, int]:
    """Return the pairs within a group, and the pairs of different groups and documents.

    With `counts_own`, pairs of a group within a document count among the first.
    """
    in_group, in_document = _pairs_within(group), _pairs_within(document)
    both = _pairs_within(np.unique(np.stack([group, document]), axis=1, return_inverse=True)[1])
    n = len(group) * (len(group) - 1) // 2
    return in_group - (0 if counts_own else both), n - in_group - in_document + both


def _pairs_within(group: Int[np.ndarray, " n"]) -> int:
    sizes = np.unique(group, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


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
        InputError: if the file does not exist, or is no table.
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
    wanted = pd.Index(names.astype(str))
    repeated = wanted[wanted.isin(index[index.duplicated()])]
    if len(repeated):
        raise InputError(
            f"{place}: column '{names.name}': found '{repeated[0]}', which several texts of "
            f"{corpus} are called, allowed: an id of a single text"
        )
    rows = pd.Series(np.arange(len(index)), index=index)[~index.duplicated()].reindex(wanted)
    if rows.isna().any():
        unknown = wanted[rows.isna()][0]
        raise InputError(
            f"{place}: column '{names.name}': found '{unknown}', allowed: an id of a text of "
            f"{corpus}"
        )
    return np.asarray(rows.to_numpy(), dtype=np.int64)


def _judged(cloud: TextVectors, same: SameTexts) -> JudgedPairs:
    rows = same.rows
    return judged_pairs(cloud.vectors[rows], cloud.documents[rows], same.same, same.unit)


def precision_table(cloud: TextVectors, same: SameTexts) -> pd.DataFrame:
    """Return precision and recall by threshold, of all pairs of the corpus."""
    curve = precision_and_recall(_judged(cloud, same), same.n_same, same.n_other, THRESHOLDS)
    return pd.DataFrame(curve._asdict()).assign(n_same=same.n_same, n_other=same.n_other)


def held_out_table(
    cloud: TextVectors, same: SameTexts, wanted: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the threshold of a wanted precision, held out, in a row."""
    pairs = _judged(cloud, same)
    sizes = same.n_same, same.n_other
    held_out = held_out_threshold(pairs, wanted, sizes=sizes, n_splits=N_SPLITS, rng=rng)
    row: dict[str, float] = {
        "wanted_precision": wanted,
        "n_texts": len(same.rows),
        "n_drawn_from": same.n_texts,
        "n_listed": same.n_listed,
        "n_same": same.n_same,
        "n_other": same.n_other,
    }
    for name in ("threshold", "precision", "recall"):
        bounds = getattr(held_out, name)
        row |= {name: bounds.value, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
    return pd.DataFrame([row | {"n_reached": held_out.n_reached, "n_halves": held_out.n_halves}])

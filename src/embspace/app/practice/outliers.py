"""Command `embspace outliers`: the texts that are far from all others, and what they are."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.app.practice.answers import Answer, number, snippet
from embspace.app.practice.corpora import CorpusOfTexts, TextsOrVectors, check_one_source
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError, counted
from embspace.geometry.inference.benjamini_hochberg import benjamini_hochberg
from embspace.geometry.practice.outliers import FEWEST, nearest_of, place_among, tail_p_values
from embspace.measure.practice.text_vectors import TextVectors

K = 10  # neighbors
LEVEL = 0.05  # of texts called outliers that are none, at most on average
N_SHOWN = 10
TRAITS = {"n_characters": "characters", "n_tokens": "tokens", "unknown_share": "unknown tokens"}


class _Judged(NamedTuple):
    cloud: TextVectors
    table: pd.DataFrame
    corpus: str
    """The corpus that gives the scale."""
    is_within: bool
    n_documents: int
    """Documents of the corpus that gives the scale."""


def outliers(
    corpus: Any,
    model: Any = None,
    *,
    of: Any = None,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
    k: int = K,
) -> Answer:
    """Return how far texts lie from their k nearest of a corpus, and which are outliers.

    With `of`, further texts (or vectors) are judged by conformal p-values, exact for a corpus with
    one text a document. Without it, the corpus's own are judged by the tail of the distances, with
    logarithms assumed exponential. Outliers are chosen at a false discovery rate of 5 %. The table
    `texts` has the distance, its percentile among the corpus's own, p-values, the nearest text, and
    what a text is: length, script, unknown tokens, copies.

    Raises:
        InputError: as `read_corpus`; if k is not below the number of documents, or vectors
            stand beside texts.
    """
    read = read_corpus(corpus, model=model, tokenizer=tokenizer, vectors=vectors, reading=reading)
    cloud = read.at(layer, pooling)
    n = len(np.unique(cloud.documents))
    if not 1 <= k < n:
        raise InputError(
            f"k (--neighbors): found {k}, allowed: 1 to {n - 1}, below the {n} documents"
        )
    judged = _within(read, cloud, k) if of is None else None
    if judged is None:
        other = read_corpus(of, model=model, tokenizer=tokenizer, reading=reading)
        check_one_source(read, other)
        there = other.at(layer, pooling)
        if there.vectors.shape[1] != cloud.vectors.shape[1]:
            raise InputError(
                f"{there.corpus}: found {there.vectors.shape[1]} dimensions, allowed: "
                f"{cloud.vectors.shape[1]}, as {cloud.corpus} has"
            )
        judged = _beside(other, there, cloud, k)
    kinds = kinds_of(judged.table)
    tables = {"texts": judged.table, "kinds": kinds}
    return Answer("\n".join(_said(judged, kinds, k)), _sentence(judged, k), tables)


def _within(read: TextsOrVectors, cloud: TextVectors, k: int) -> _Judged:
    documents = cloud.documents
    nearest = nearest_of(cloud.vectors, cloud.vectors, documents, documents, k=k)
    p_value = tail_p_values(nearest.mean)
    about = _about(read, cloud, cloud, nearest)
    table = _with_p_values(about, nearest.mean, nearest.mean, p_value)
    return _Judged(cloud, table, cloud.corpus, True, len(np.unique(documents)))


def _beside(other: TextsOrVectors, there: TextVectors, cloud: TextVectors, k: int) -> _Judged:
    documents = cloud.documents
    own = nearest_of(cloud.vectors, cloud.vectors, documents, documents, k=k).mean
    placed = place_among(there.vectors, cloud.vectors, documents, k=k)
    about = _about(other, there, cloud, placed.nearest)
    table = _with_p_values(about, placed.nearest.mean, own, placed.p_value)
    return _Judged(there, table, cloud.corpus, False, len(np.unique(documents)))


def _with_p_values(
    about: pd.DataFrame,
    distance: Float[np.ndarray, " n"],
    own: Float[np.ndarray, " m"],
    p_value: Float[np.ndarray, " n"],
) -> pd.DataFrame:
    """Return the rows, the farthest first."""
    defined = np.sort(own[np.isfinite(own)])
    ranks = np.searchsorted(defined, distance, side="left")
    percentile = 100 * ranks / max(len(defined), 1)
    adjusted = benjamini_hochberg(p_value)
    table = pd.DataFrame(
        {
            "id": about["id"],
            "distance": distance,
            "percentile": np.where(np.isfinite(distance), percentile, np.nan),
            "p_value": p_value,
            "adjusted_p_value": adjusted,
            "is_outlier": adjusted <= LEVEL,
        }
    ).join(about.drop(columns="id"))
    return table.sort_values("distance", ascending=False, kind="stable").reset_index(drop=True)


def _about(
    read: TextsOrVectors, cloud: TextVectors, among: TextVectors, nearest: Any
) -> pd.DataFrame:
    """Return what is known of each text: neighbor, length, script, unknown tokens, copy, start."""
    from embspace.scripts.script_of import script_of

    own = cloud.table
    ids = among.table["id"].to_numpy()
    first = np.where(np.isfinite(nearest.first_cosine), nearest.first, -1)
    texts = own["text"].tolist()
    about = pd.DataFrame(
        {
            "id": own["id"],
            "nearest": [ids[row] if row >= 0 else "" for row in first],
            "nearest_cosine": nearest.first_cosine,
            "copies": own.groupby("copy_of")["id"].transform("size") - 1,
        }
    )
    if not cloud.has_texts:
        return about
    return about.assign(
        n_characters=[len(text) for text in texts],
        n_tokens=own["n_tokens"],
        script=[script_of(text) for text in texts],
        unknown_share=_unknown(read, own["id"]),
        text=[snippet(text, 200) for text in texts],
    )


def _unknown(read: TextsOrVectors, ids: pd.Series) -> Float[np.ndarray, " n"]:
    """Return the share of unknown tokens of each text; NaN for vectors from elsewhere."""
    if not isinstance(read, CorpusOfTexts):
        return np.full(len(ids), np.nan)
    tokens, windows = read.read.tokens, read.read.windows
    kept = tokens[~tokens["special"] & ~tokens["repeated"]]
    text = windows["text"].to_numpy()[kept["window"].to_numpy()]
    shares = (kept["id"] == read.loaded.tokenizer.unk_token_id).groupby(text).mean()
    return np.asarray(shares.reindex(ids).to_numpy(), dtype=np.float64)


def kinds_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return traits of outliers beside those of all other texts: medians, shares of scripts.

    Columns: trait, outliers, others. Without texts or outliers there are no rows.
    """
    rows: list[dict[str, Any]] = []
    chosen = table["is_outlier"].to_numpy(dtype=bool)
    if "script" in table and chosen.any() and not chosen.all():
        sides = table[chosen], table[~chosen]
        for name in TRAITS:
            outlying, others = (side[name].median() for side in sides)
            rows.append({"trait": f"median_{name}", "outliers": outlying, "others": others})
        for script in sides[0]["script"].value_counts().index:
            outlying, others = ((side["script"] == script).mean() for side in sides)
            rows.append({"trait": f"share_{script}", "outliers": outlying, "others": others})
        outlying, others = ((side["copies"] > 0).mean() for side in sides)
        rows.append({"trait": "share_with_copies", "outliers": outlying, "others": others})
    return pd.DataFrame(rows, columns=["trait", "outliers", "others"])


def _said(judged: _Judged, kinds: pd.DataFrame, k: int) -> Iterator[str]:
    table = judged.table
    by = "by the tail of its own distances" if judged.is_within else f"among {judged.corpus}"
    yield f"{judged.cloud.corpus}: {counted(len(table), 'text')}, {by}, {k} nearest by cosine"
    if n_undefined := int(table["distance"].isna().sum()):
        yield (
            f"{counted(n_undefined, 'text')} without a distance: a vector of length 0, or fewer "
            f"than {k} neighbors"
        )
    if table["p_value"].isna().all():
        yield f"no verdict: {_why_none(judged)}"
    else:
        n = int(table["is_outlier"].sum())
        yield f"{counted(n, 'outlier')} at a false discovery rate of {100 * LEVEL:g} %"
        if not judged.is_within:
            yield (
                f"least p of {counted(judged.n_documents, 'document')}: "
                f"{1 / (1 + judged.n_documents):.2g}; adjusted for {len(table):,} texts, a lone "
                f"outlier comes to {number(min(len(table) / (1 + judged.n_documents), 1), 4)}"
            )
    yield f"  {'distance':>8}  {'percentile':>10}  {'adjusted p':>10}  id, nearest cosine, text"
    for _, row in table.head(N_SHOWN).iterrows():
        start = snippet(row["text"]) if "text" in table else ""
        mark = "*" if row["is_outlier"] else " "
        yield (
            f"{mark} {number(row['distance']):>8}  {number(row['percentile'], 1):>10}  "
            f"{number(row['adjusted_p_value'], 4):>10}  {row['id']}  "
            f"{number(row['nearest_cosine'])}  {start}"
        ).rstrip()
    if len(kinds):
        yield f"  {'':28}  {'outliers':>9}  {'others':>9}"
    for _, row in kinds.iterrows():
        name = str(row["trait"]).replace("_", " ")
        yield f"  {name:28}  {row['outliers']:9.3g}  {row['others']:9.3g}"


def _why_none(judged: _Judged) -> str:
    distance = judged.table["distance"]
    if distance.isna().all():
        return "none has a distance"
    if (distance > 0).sum() < FEWEST:
        return f"fewer than {FEWEST} have a distance above 0"
    return "the distances of the farthest tenth are all equal"


def _sentence(judged: _Judged, k: int) -> str:
    """Return what one would write into a paper."""
    table, cloud = judged.table, judged.cloud
    n, n_out = len(table), int(table["is_outlier"].sum())
    how = (
        f"by the tail of the corpus's own mean cosine distances to the {k} nearest texts, with "
        "logarithms assumed exponential"
        if judged.is_within
        else f"by conformal p-values of the mean cosine distance to the {k} nearest texts of "
        f"{judged.corpus}"
    )
    if table["p_value"].isna().all():
        start = f"No outliers were sought among the {n:,} texts of {cloud.corpus}"
        return f"{start}: {_why_none(judged)}."
    return (
        f"Of {counted(n, 'text')} of {cloud.corpus} ({cloud.place}), {n_out:,} are outliers {how} "
        f"(Benjamini-Hochberg, false discovery rate {100 * LEVEL:g} %)."
    )

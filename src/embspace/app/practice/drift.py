"""Command `embspace drift`: whether two corpora are apart by one model, and where."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.app.practice.answers import Answer, interval, number, snippet
from embspace.app.practice.corpora import check_one_source
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.geometry.groups.two_clouds import FEWEST_DOCUMENTS, TwoClouds, compare_clouds
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.practice.shifts import mean_shifts
from embspace.geometry.practice.word_contrast import contrast_words
from embspace.measure.practice.text_vectors import TextVectors

SEED = 0
SURE = 0.05
N_PERMUTATIONS = 499
N_HALF_SAMPLES = 200
N_DIRECTIONS = 10
MOST_CLUSTERS = 12
TEXTS_PER_CLUSTER = 25  # at least, on average
N_WORDS = 6
N_SHOWN = 5


class _Both(NamedTuple):
    """Two corpora by one model, one below the other."""

    first: TextVectors
    second: TextVectors
    x: Float[np.ndarray, "text dim"]
    """Of unit length."""
    is_first: Bool[np.ndarray, " text"]
    document: Int[np.ndarray, " text"]


def drift(
    first: Any,
    second: Any,
    model: Any = None,
    *,
    layer: int = -1,
    pooling: str | None = None,
    tokenizer: Any = None,
    vectors: Any = None,
    other_vectors: Any = None,
    reading: Mapping[str, Any] | None = None,
) -> Answer:
    """Return whether two corpora are apart by one model, and where.

    Energy distance with a p-value by dealing documents, and the probability that a text of the
    first corpus leans more to the first than a text of the second. Tables: `distance`; `texts` with
    lean and cluster; `clusters` and `directions` with shares and means; `words` with shares of
    documents. Vectors of a single direction have the table `distance` alone. Documents of both
    corpora are one if a column names their ids; row numbers join nothing, nor do ascending numbers,
    unless `reading` has `id_column` or `document_column`.

    Raises:
        InputError: as `read_corpus`; if vectors have different dimensions, or stand beside texts.
    """
    options = {"model": model, "tokenizer": tokenizer, "reading": reading}
    read = [
        read_corpus(corpus, vectors=own, **options)
        for corpus, own in ((first, vectors), (second, other_vectors))
    ]
    check_one_source(*read)
    clouds = [corpus.at(layer, pooling) for corpus in read]
    has_names = not {"id_column", "document_column"}.isdisjoint(reading or {})
    both = _joined(*clouds, has_names=has_names)
    apart = compare_clouds(
        both.x,
        both.is_first,
        both.document,
        n_permutations=N_PERMUTATIONS,
        n_half_samples=N_HALF_SAMPLES,
        rng=np.random.default_rng(SEED),
    )
    distance = _distance(apart, len(both.first), len(both.second))
    if np.isnan(apart.p_value):
        said = f"{_heading(both)}\nnothing can be told: all vectors have one direction"
        return Answer(said, _sentence_of_one_direction(both), {"distance": distance})
    cluster = _clusters(both.x)
    words = _words(both)
    tables = {
        "distance": distance,
        "texts": _texts(both, apart, cluster),
        "clusters": _cluster_table(both, cluster),
        "directions": _directions(both),
        "words": words,
    }
    return Answer("\n".join(_said(both, apart, tables)), _sentence(both, apart), tables)


def _joined(first: TextVectors, second: TextVectors, *, has_names: bool) -> _Both:
    sides = [side.originals() for side in (first, second)]
    dims = [side.vectors.shape[1] for side in sides]
    if dims[0] != dims[1]:
        raise InputError(f"{second.corpus}: found {dims[1]} dimensions, allowed: {dims[0]}")
    for side in sides:
        n = len(np.unique(side.documents))
        if n < FEWEST_DOCUMENTS:
            raise InputError(
                f"{side.corpus}: found {n} documents, allowed: {FEWEST_DOCUMENTS} or more"
            )
    names = [side.table["document"].astype(str) for side in sides]
    if not has_names and any(map(_is_numbered, sides)):
        names = [side + f"/{place}" for place, side in enumerate(names)]
    document = np.asarray(pd.factorize(pd.concat(names))[0], dtype=np.int64)
    is_first = np.arange(len(document)) < len(sides[0])
    x = unit_rows(np.concatenate([side.vectors for side in sides]).astype(np.float64))
    return _Both(sides[0], sides[1], x, is_first, document)


def _is_numbered(originals: TextVectors) -> bool:
    """Return whether documents are called by ascending numbers, as rows without an id are."""
    if not originals.has_texts:
        return True
    names, ids = (originals.table[column].astype(str) for column in ("document", "id"))
    if not (names.str.isdecimal().all() and (names == ids).all()):
        return False
    return bool(names.astype(int).is_monotonic_increasing)


def _distance(apart: TwoClouds, n_first: int, n_second: int) -> pd.DataFrame:
    names = ("distance", "distance_low", "distance_high", "auc", "auc_low", "auc_high")
    row = {name: getattr(apart, name) for name in (*names, "null_auc", "p_value")}
    documents = dict(zip(("first_documents", "second_documents"), apart.n_documents, strict=True))
    return pd.DataFrame([row | documents | {"first_texts": n_first, "second_texts": n_second}])


def _texts(both: _Both, apart: TwoClouds, cluster: Int[np.ndarray, " text"]) -> pd.DataFrame:
    """Return the texts, those that are farthest on the second side first."""
    sides = (both.first, both.second)
    about = pd.concat([side.table.assign(corpus=side.corpus) for side in sides])
    table = pd.DataFrame(
        {
            "corpus": about["corpus"].to_numpy(),
            "is_first": both.is_first,
            "id": about["id"].to_numpy(),
            "lean_to_second": -apart.lean,
            "cluster": cluster,
            "text": [snippet(text, 200) for text in about["text"]],
        }
    )
    order = table.sort_values("lean_to_second", ascending=False, kind="stable")
    return order.reset_index(drop=True)


def _clusters(x: Float[np.ndarray, "text dim"]) -> Int[np.ndarray, " text"]:
    from sklearn.cluster import KMeans

    n = min(MOST_CLUSTERS, max(len(x) // TEXTS_PER_CLUSTER, 2))
    labels = KMeans(n, n_init=3, random_state=SEED).fit_predict(x)
    return np.asarray(labels, dtype=np.int64)


def _cluster_table(both: _Both, cluster: Int[np.ndarray, " text"]) -> pd.DataFrame:
    n = int(cluster.max()) + 1
    made = mean_shifts(
        np.eye(n)[cluster],
        both.is_first,
        both.document,
        n_permutations=N_PERMUTATIONS,
        rng=np.random.default_rng(SEED),
    )
    read = _words_of_texts(both)
    named = [
        _more_often(*_words_of_documents(read, both.document, cluster != number_))
        for number_ in range(n)
    ]
    table = pd.DataFrame(
        {
            "cluster": np.arange(n),
            "first_share": made.first,
            "second_share": made.second,
            "p_value": made.p_value,
            "words": named,
        }
    )
    order = np.argsort(-np.abs(made.second - made.first), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _more_often(outside: list[set[str]], inside: list[set[str]]) -> str:
    if not outside or not inside:
        return ""
    made = [word for word in contrast_words(outside, inside) if word.log_odds > 0]
    return " ".join(contrast.word for contrast in made[:N_WORDS] if contrast.p_value <= SURE)


def _directions(both: _Both) -> pd.DataFrame:
    """Return how far the means are apart along the principal components of all texts."""
    centered = both.x - both.x.mean(axis=0)
    _, singular, axes = np.linalg.svd(centered, full_matrices=False)
    scores = centered @ axes[:N_DIRECTIONS].T
    made = mean_shifts(
        scores,
        both.is_first,
        both.document,
        n_permutations=N_PERMUTATIONS,
        rng=np.random.default_rng(SEED),
    )
    shift = both.x[~both.is_first].mean(axis=0) - both.x[both.is_first].mean(axis=0)
    squared = np.square(axes[:N_DIRECTIONS] @ shift) / max(float(shift @ shift), 1e-300)
    variance = np.square(singular[:N_DIRECTIONS]) / np.square(singular).sum()
    return pd.DataFrame(
        {
            "component": 1 + np.arange(scores.shape[1]),
            "variance_share": variance,
            "effect": made.effect,
            "p_value": made.p_value,
            "share_of_shift": squared,
        }
    )


def _words_of_texts(both: _Both) -> list[set[str]]:
    from embspace.scripts.words import longer_words_in

    texts = [*both.first.table["text"], *both.second.table["text"]]
    return [set(longer_words_in(text.lower())) for text in texts]


def _words_of_documents(
    read: list[set[str]],
    document: Int[np.ndarray, " text"],
    is_first: Bool[np.ndarray, " text"],
) -> tuple[list[set[str]], list[set[str]]]:
    """Return the words of each document in a first and in a second set of texts."""
    sides: tuple[dict[int, set[str]], dict[int, set[str]]] = ({}, {})
    for words, number_, own in zip(read, document.tolist(), is_first, strict=True):
        sides[0 if own else 1].setdefault(number_, set()).update(words)
    return list(sides[0].values()), list(sides[1].values())


def _words(both: _Both) -> pd.DataFrame:
    """Return words that one corpus has in more of its documents; no rows for vectors alone."""
    sides = _words_of_documents(_words_of_texts(both), both.document, both.is_first)
    columns = ["word", "first", "second", "log_odds", "p_value"]
    return pd.DataFrame(contrast_words(*sides), columns=columns)


def _heading(both: _Both) -> str:
    first, second = both.first, both.second
    sizes = f"{first.corpus} ({len(first):,} texts) and {second.corpus} ({len(second):,})"
    return f"{sizes} by \n  {second.place}"


def _said(both: _Both, apart: TwoClouds, tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    first, second = both.first, both.second
    yield _heading(both)
    verdict = "apart" if apart.p_value <= SURE else "not apart beyond two halves of one corpus"
    yield f"{verdict}: p = {apart.p_value:.3f} ({N_PERMUTATIONS} deals of documents)"
    yield f"  energy distance {interval(apart.distance, apart.distance_low, apart.distance_high)}"
    yield (f"  a text of {first.corpus} leans more to {first.corpus} than one of {second.corpus}")
    yield (
        "  with probability "
        f"{interval(apart.auc, apart.auc_low, apart.auc_high)}; by chance "
        f"{number(apart.null_auc)}"
    )
    if apart.p_value > SURE:
        return
    clusters = tables["clusters"]
    moved = clusters[clusters["p_value"] <= SURE]
    yield f"clusters whose share differs: {len(moved)} of {len(clusters)}"
    for _, row in moved.head(N_SHOWN).iterrows():
        yield f"  {row['first_share']:6.1%} to {row['second_share']:6.1%}  {row['words']}".rstrip()
    directions = tables["directions"]
    sure = directions[directions["p_value"] <= SURE]
    shown = ", ".join(f"{row.component} ({row.effect:+.2f} sd)" for row in sure.itertuples())
    yield f"principal components whose mean differs: {shown or 'none'}"
    yield from _said_of_words(both, tables["words"])
    texts = tables["texts"]
    yield f"texts of {second.corpus} that lean most away from {first.corpus}"
    for _, row in texts[~texts["is_first"]].head(N_SHOWN).iterrows():
        yield f"  {row['lean_to_second']:+.3f}  {row['id']}  {snippet(row['text'])}".rstrip()


def _said_of_words(both: _Both, words: pd.DataFrame) -> Iterator[str]:
    sure = words[words["p_value"] <= SURE]
    for corpus, rows in (
        (both.first.corpus, sure[sure["log_odds"] < 0]),
        (both.second.corpus, sure[sure["log_odds"] > 0]),
    ):
        if len(rows):
            yield f"words of more documents of {corpus}: {' '.join(rows['word'].head(2 * N_WORDS))}"


def _sentence_of_one_direction(both: _Both) -> str:
    first, second = both.first, both.second
    return (
        f"By {second.place}, nothing can be told of a difference between {first.corpus} "
        f"({len(first):,} texts) and {second.corpus} ({len(second):,} texts): all vectors have one "
        "direction."
    )


def _sentence(both: _Both, apart: TwoClouds) -> str:
    """Return what one would write into a paper."""
    first, second = both.first, both.second
    verdict = "differ" if apart.p_value <= SURE else "do not differ beyond chance"
    return (
        f"By {second.place}, {first.corpus} ({len(first):,} texts) and {second.corpus} "
        f"({len(second):,} texts) {verdict} (energy distance over twice the mean distance "
        f"{interval(apart.distance, apart.distance_low, apart.distance_high)}, p = "
        f"{apart.p_value:.3f} by {N_PERMUTATIONS} permutations of documents; a text of "
        f"{first.corpus} leans more to {first.corpus} than one of {second.corpus} with probability "
        f"{interval(apart.auc, apart.auc_low, apart.auc_high)}; "
        "95 % intervals over documents)."
    )

"""The vectors of a corpus at a layer, unchanged and without confounds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.clouds.documents import count_documents
from embspace.files.rows import load_rows
from embspace.files.tensors import map_tensors, tensor_names
from embspace.geometry.measures.dimension_shares import outlier_dimensions
from embspace.geometry.pairs.distinct import distinct_rows, is_one_vector

Space = Literal["token", "cls", "mean"]
SPACES: tuple[Space, ...] = get_args(Space)
# What is done to a cloud before it is measured, so that one sees what a number owes to it.
Change = Literal[
    "as_is",
    "ordinary_tokens",
    "standardized",
    "no_outlier_dimensions",
    "all_but_the_top",
    "whitened",
]
# Which vectors there are, not their coordinates.
OF_ROWS: tuple[Change, ...] = ("as_is", "ordinary_tokens")
FEWEST = 4  # vectors, of different documents
# Begins the names of tensors, and of spaces, of what the norm after the last block makes.
FINAL_NORM = "final_norm_"


@dataclass(frozen=True, eq=False)
class LayerCloud:
    """Vectors with their texts, words and positions."""

    x: Float[np.ndarray, "n dim"]
    text: Int[np.ndarray, " n"]
    """Number of the document, the independent unit."""
    word: Int[np.ndarray, " n"] | None
    """Number of the token in the vocabulary; None of pooled vectors."""
    position: Int[np.ndarray, " n"] | None
    """Position of the token in its window."""
    n_equal: int = 0
    """Number of vectors left out as equal to an earlier vector."""
    kept: Bool[np.ndarray, " all"] | None = None
    """Mask of the vectors present here, among all of the corpus and space; None for all."""

    def among(self, rows: np.ndarray) -> "LayerCloud":
        """Some of the vectors, in ascending order."""
        if len(rows) == len(self.x):
            return self  # tens of thousands of vectors are not copied for nothing
        word, position = (
            None if column is None else column[rows] for column in (self.word, self.position)
        )
        kept = np.zeros(len(self.x) if self.kept is None else len(self.kept), dtype=bool)
        kept[rows if self.kept is None else np.flatnonzero(self.kept)[rows]] = True
        return LayerCloud(self.x[rows], self.text[rows], word, position, self.n_equal, kept)


@dataclass(frozen=True, eq=False)
class CorpusStates:
    """The hidden states of a corpus, memory-mapped, with the meaning of the rows."""

    states: dict[str, Float[np.ndarray, "layer row dim"]]
    """`cls` and `mean`, and `token` if the corpus keeps tokens."""
    document: Int[np.ndarray, " window"]
    tokens: pd.DataFrame
    """Columns window, position, id, special, repeated."""
    final_norm: dict[str, Float[np.ndarray, "1 row dim"]] = field(default_factory=dict)
    """Like `states`, for the last layer after the final norm, if present."""

    @property
    def n_layers(self) -> int:
        """Return the number of layers, layer 0 included."""
        return len(self.states["mean"])

    @property
    def n_documents(self) -> int:
        """Return the number of documents with windows."""
        return count_documents(self.document)


def load_corpora_states(
    extracted: str, prepared: str, corpora: Iterable[str]
) -> dict[str, CorpusStates]:
    """Return the states by corpus, from the folders of a model's states and of all texts."""
    return {
        corpus: _load(f"{extracted}/{corpus}", f"{prepared}/{corpus}.parquet") for corpus in corpora
    }


def _load(extracted: str, texts: str) -> CorpusStates:
    """`token` only if the corpus keeps tokens."""
    windows = load_rows(f"{extracted}.windows.parquet")
    documents = load_rows(texts).drop_duplicates("id").set_index("id")["document"]
    path = f"{extracted}.safetensors"
    names = tensor_names(path)
    kinds = ["cls", "mean", *(["token"] if "token" in names else [])]
    normed = [kind for kind in kinds if FINAL_NORM + kind in names]
    normed_states = map_tensors(path, [FINAL_NORM + kind for kind in normed])
    return CorpusStates(
        map_tensors(path, kinds),
        pd.factorize(windows["text"].map(documents))[0].astype(np.int64),
        load_rows(f"{extracted}.tokens.parquet"),
        {kind: normed_states[FINAL_NORM + kind] for kind in normed},
    )


def after_final_norm(corpus: CorpusStates) -> CorpusStates:
    """The last layer after the final norm, as the only layer of a corpus."""
    return replace(corpus, states=corpus.final_norm, final_norm={})


def layer_clouds(
    corpus: CorpusStates,
    layer: int,
    changes: Sequence[Change],
    *,
    n_top: int,
    spaces: Sequence[Space] = SPACES,
    each_once: bool = False,
) -> Iterator[tuple[Space, Change, LayerCloud]]:
    """The clouds of a layer by space and change, without clouds of fewer than 4 documents.

    `token`: every token of every window, without overlaps with the window before. `cls`: the first
    token of a window. `mean`: the mean of a window's tokens. Changes: `as_is`; `ordinary_tokens`,
    without special tokens and position 0, also in `mean`, but not for `cls`; `standardized`, with
    mean 0 and variance 1 of every coordinate; `no_outlier_dimensions`, without the result of
    `outlier_dimensions`; `all_but_the_top`, less the mean and the first `n_top` principal
    components (Mu and Viswanath 2018, algorithm 1); `whitened`, less the mean, with variance 1 of
    all principal components.

    With `each_once`, for measures of neighbors, the first of equal vectors stands for all, before
    any change. Vectors that differ by rounding count as equal (`distinct_rows`). If a whole cloud
    is equal, as first tokens before the first block, all vectors are set equal, without any
    variance.
    """
    for space in spaces:
        # Before a change of coordinates there are but two: of all vectors, and of ordinary tokens.
        unchanged: dict[bool, LayerCloud | None] = {}
        for change in changes:
            is_ordinary = change == "ordinary_tokens"
            if is_ordinary not in unchanged:
                cloud = _cloud(corpus, layer, space, change)
                if cloud is not None and len(np.unique(cloud.text)) < FEWEST:
                    cloud = None
                unchanged[is_ordinary] = cloud and _without_rounding(cloud, each_once)
            cloud = unchanged[is_ordinary]
            if cloud is not None:
                yield space, change, replace(cloud, x=changed(cloud.x, change, n_top))


def _without_rounding(cloud: LayerCloud, each_once: bool) -> LayerCloud:
    """The cloud of distinct vectors; or, if all are equal, with all set to the first."""
    if each_once:
        rows = distinct_rows(cloud.x)
        return replace(cloud.among(rows), n_equal=len(cloud.x) - len(rows))
    if is_one_vector(cloud.x):
        return replace(cloud, x=np.repeat(cloud.x[:1], len(cloud.x), axis=0))
    return cloud


def changed(x: np.ndarray, change: Change, n_top: int) -> Float[np.ndarray, "n dim"]:
    """Return float64 vectors after a coordinate change; row filters leave coordinates unchanged."""
    x = x.astype(np.float64)
    if change in OF_ROWS:
        return x
    if change == "no_outlier_dimensions":
        kept = np.ones(x.shape[1], dtype=bool)
        kept[outlier_dimensions(x)] = False
        return x[:, kept]
    if not (x != x[0]).any():
        return np.zeros_like(x)  # whatever rounding would leave of the mean
    x -= x.mean(axis=0)  # in place, as below: a layer has hundreds of megabytes
    if change == "standardized":
        spread = x.std(axis=0)
        x /= np.where(spread > 0, spread, 1)
        x[:, spread == 0] = 0  # what rounding of the mean has left
        return x
    variances, axes = np.linalg.eigh(x.T @ x / len(x))
    if change == "all_but_the_top":
        top = axes[:, -n_top:]
        x -= x @ top @ top.T
        return x
    # Directions in which nothing varies but by rounding stay as they are.
    varies = variances > 1e-10 * variances[-1]
    whitened: Float[np.ndarray, "n dim"] = x @ axes[:, varies] / np.sqrt(variances[varies])
    return whitened


def _cloud(corpus: CorpusStates, layer: int, space: Space, change: Change) -> LayerCloud | None:
    """Return a cloud before any change of coordinates; None if a corpus has no such cloud."""
    ordinary = change == "ordinary_tokens"
    if space == "cls":
        x = corpus.states["cls"][layer]
        return None if ordinary else LayerCloud(x, corpus.document, None, None)
    if space == "mean" and not ordinary:
        return LayerCloud(corpus.states["mean"][layer], corpus.document, None, None)
    if "token" not in corpus.states:
        return None
    tokens = corpus.tokens
    kept = ~tokens["repeated"].to_numpy()
    if ordinary:
        kept &= ~tokens["special"].to_numpy() & (tokens["position"].to_numpy() > 0)
    window = tokens["window"].to_numpy()[kept]
    x = corpus.states["token"][layer][kept]
    if space == "mean":
        return _mean_of_windows(x, window, corpus.document)
    word, position = (tokens[name].to_numpy(dtype=np.int64)[kept] for name in ("id", "position"))
    return LayerCloud(x, corpus.document[window], word, position)


def _mean_of_windows(
    x: np.ndarray, window: Int[np.ndarray, " n"], document: Int[np.ndarray, " window"]
) -> LayerCloud:
    """Return the means over the windows that have a token."""
    numbers, starts = np.unique(window, return_index=True)
    sums = np.add.reduceat(x.astype(np.float64), starts, axis=0) if len(x) else x
    counts = np.bincount(window)[numbers]
    return LayerCloud(sums / counts[:, None], document[numbers], None, None)

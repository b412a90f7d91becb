"""Measures of the family `hubs`: share of a vector's neighbors with the same label."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.measures.declaration import measure
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.geometry.pairs.types import Vectors

LabelNumbers = Int[np.ndarray, " n"]


@measure(
    "hubs",
    formula=r"\frac{1}{n k} \#\{(i, j) : j \in N_k(i),\ l_j = l_i\}",
    range=r"[0,\ 1],\ \frac{\sum_c n_c (n_c - 1)}{n (n - 1)} \text{ by chance}",
    source="Doimo et al. 2020, Hierarchical nucleation in deep neural networks, section 2",
    invariant_to=["rotation", "scale", "translation"],
    bias="Depends on n by k / n: of labels of fewer than k + 1 vectors it cannot be 1.",
    shared="neighbors",
    profiled=False,
)
def label_overlap(x: Vectors | NeighborGraph, labels: Any, *, k: int = 30) -> float:
    """Share of the `k` nearest neighbors with the vector's label.

    `labels` has a label of any type per vector. Frequent labels count for more; see
    `balanced_label_overlap`.

    Raises:
        ValueError: wrong number of labels, or `k` under 1 or over n - 1.

    Examples:
        >>> import numpy as np
        >>> label_overlap(np.array([[0.0], [1.0], [3.0], [7.0]]), ["a", "a", "b", "b"], k=1)
        0.75
    """
    graph = neighbor_graph_of(x, k)
    return float(_same_label(graph, _numbers(labels, graph.n)).mean())


@measure(
    "hubs",
    formula=r"\frac{1}{|C|} \sum_c \frac{1}{n_c k_c} \#\{(i, j) : l_i = c,\ j \in N_{k_c}(i),\ "
    r"l_j = c\},\quad k_c = \max(1, \lfloor f n_c \rfloor)",
    range=r"[0,\ 1]",
    source="DADApy's return_label_overlap() with class_fraction, weighted",
    invariant_to=["rotation", "scale", "translation"],
    bias="Depends on n: neighborhoods are a share of the vectors of a label.",
    profiled=False,
)
def balanced_label_overlap(
    x: Vectors | NeighborGraph, labels: Any, *, class_fraction: float = 0.25
) -> float:
    """`label_overlap` in neighborhoods as large as the label allows, averaged over labels.

    The number of neighbors is `class_fraction` of the number of vectors with the same label: rare
    labels can reach 1, and labels weigh alike. A label of a single vector is left out (DADApy
    counts 0); NaN if no label is left.

    Raises:
        ValueError: wrong number of labels, or `class_fraction` not over 0 and under 1.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [12.0]])
        >>> labels = np.array([0, 0, 0, 0, 1, 1])
        >>> balanced_label_overlap(x, labels, class_fraction=0.5)
        1.0
    """
    if not 0 < class_fraction < 1:
        raise ValueError(f"class_fraction: expected a share under 1, found {class_fraction}")
    number = _numbers(labels, x.n if isinstance(x, NeighborGraph) else len(x))
    counts = np.bincount(number)
    sizes = np.maximum(1, (class_fraction * counts).astype(int))
    if not (counts > 1).any():
        return float("nan")
    graph = neighbor_graph_of(x, int(sizes[counts > 1].max()))
    same = _same_label(graph, number).cumsum(axis=1)
    inside = np.minimum(sizes[number], graph.k)
    shares: Float[np.ndarray, " n"] = same[np.arange(graph.n), inside - 1] / inside
    label_means = np.bincount(number, shares) / counts
    return float(label_means[counts > 1].mean())


def _same_label(graph: NeighborGraph, number: LabelNumbers) -> Bool[np.ndarray, "n k"]:
    return number[graph.indices] == number[:, np.newaxis]


def _numbers(labels: Any, n: int) -> LabelNumbers:
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(f"labels: expected {n}, one for each vector, found shape {labels.shape}")
    return np.unique(labels, return_inverse=True)[1]

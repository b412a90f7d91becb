"""The table of comparisons: which of ours stands against whom, and what is asked of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

Measured = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Comparison:
    """One row."""

    what: str
    ours: str
    peer: str
    target: float | None = None
    """Of the time of ours over that of the peer: at most; None where nothing was promised."""


# Why histograms, components and TwoNN have these targets: notes.md, "What the hardware leaves".
COMPARISONS = (
    Comparison("three exact histograms with moments", "histograms", "bare_product", 1.3),
    Comparison("exact graph of 90 neighbors", "graph", "bare_product", 1.5),
    Comparison("both in one pass", "histograms_and_graph", "bare_product", 1.75),
    Comparison("three histograms against one", "histograms", "sklearn_histogram"),
    Comparison("exact graph", "graph", "sklearn_graph"),
    Comparison("exact against approximate graph", "graph", "pynndescent_graph"),
    Comparison("t-SNE, graph included", "tsne", "sklearn_tsne", 1 / 3.5),
    Comparison("UMAP, graph included", "umap", "plain_umap", 1 / 2),
    Comparison("ten principal components", "pca", "sklearn_pca", 2.5),
    Comparison("TwoNN, graph included", "two_nn", "skdim_two_nn", 0.15),
    Comparison("TwoNN, graph included", "two_nn", "dadapy_two_nn", 1 / 1.6),
)
NAMES = {
    "bare_product": "bare product of the upper triangle",
    "sklearn_histogram": "scikit-learn and NumPy",
    "sklearn_graph": "scikit-learn, brute force",
    "pynndescent_graph": "pynndescent",
    "sklearn_tsne": "scikit-learn's t-SNE",
    "plain_umap": "umap-learn, plain call",
    "sklearn_pca": "scikit-learn's PCA",
    "skdim_two_nn": "scikit-dimension",
    "dadapy_two_nn": "DADApy",
}
QUALITIES = {
    "recall": "recall",
    "trustworthiness": "T",
    "continuity": "C",
    "neighbor_recall": "R",
}
ESTIMATES = {"dimension": "d", "variance": "v"}
SAME = 1e-6  # as a share: estimates that differ by more are not of the same work
SHOWN = QUALITIES | ESTIMATES


def comparisons_table(measured: Measured) -> pd.DataFrame:
    """One row a comparison of which both sides were measured."""
    rows = [
        _row(comparison, measured[comparison.ours], measured[comparison.peer])
        for comparison in COMPARISONS
        if comparison.ours in measured and comparison.peer in measured
    ]
    return pd.DataFrame(rows)


def _row(
    comparison: Comparison, ours: Mapping[str, float], peer: Mapping[str, float]
) -> dict[str, Any]:
    ratio = ours["seconds"] / peer["seconds"]
    return {
        "what": comparison.what,
        "beside": NAMES[comparison.peer],
        "time, ratio": f"{ratio:.2f}",
        "target": f"≤ {comparison.target:.2f}" if comparison.target else "–",
        "met": _met(comparison.target, ratio, ours, peer) if comparison.target else "–",
        "seconds": f"{_seconds(ours)} : {_seconds(peer)}",
        "peak RSS, MiB": f"{ours['peak_rss_mib']:,.0f} : {peer['peak_rss_mib']:,.0f}",
        "quality": f"{_quality(ours)} : {_quality(peer)}",
    }


def _met(target: float, ratio: float, ours: Mapping[str, float], peer: Mapping[str, float]) -> str:
    """In time, memory and quality, by the same estimate."""
    both = ours.keys() & peer.keys()
    as_good = all(ours[key] >= peer[key] for key in both & QUALITIES.keys())
    same = all(math.isclose(ours[key], peer[key], rel_tol=SAME) for key in both & ESTIMATES.keys())
    in_bounds = ratio <= target and ours["peak_rss_mib"] < 1024
    return "yes" if in_bounds and as_good and same else "no"


def _seconds(side: Mapping[str, float]) -> str:
    """Return seconds, of less than one with two digits."""
    return f"{side['seconds']:.{1 if side['seconds'] >= 1 else 2}f}"


def _quality(side: Mapping[str, float]) -> str:
    shown = [f"{name} {side[key]:.3f}" for key, name in SHOWN.items() if key in side]
    return ", ".join(shown) or "exact"

"""The table of comparisons: which of ours stands against whom, and what is asked of it."""

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


COMPARISONS = (
    Comparison("three exact histograms with moments", "histograms", "bare_product", 1.25),
    Comparison("exact graph of 90 neighbours", "graph", "bare_product", 1.5),
    Comparison("both in one pass", "histograms_and_graph", "bare_product", 1.75),
    Comparison("three histograms against one", "histograms", "sklearn_histogram"),
    Comparison("exact graph", "graph", "sklearn_graph"),
    Comparison("exact against approximate graph", "graph", "pynndescent_graph"),
    Comparison("t-SNE, graph included", "tsne", "sklearn_tsne", 1 / 3.5),
    Comparison("UMAP, graph included", "umap", "plain_umap", 1 / 2),
)
NAMES = {
    "bare_product": "bare product of the upper triangle",
    "sklearn_histogram": "scikit-learn and NumPy",
    "sklearn_graph": "scikit-learn, brute force",
    "pynndescent_graph": "pynndescent",
    "sklearn_tsne": "scikit-learn's t-SNE",
    "plain_umap": "umap-learn, plain call",
}
QUALITIES = {
    "recall": "recall",
    "trustworthiness": "T",
    "continuity": "C",
    "neighbor_recall": "R",
}


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
        "seconds": f"{ours['seconds']:.1f} : {peer['seconds']:.1f}",
        "peak RSS, MiB": f"{ours['peak_rss_mib']:,.0f} : {peer['peak_rss_mib']:,.0f}",
        "quality": f"{_quality(ours)} : {_quality(peer)}",
    }


def _met(target: float, ratio: float, ours: Mapping[str, float], peer: Mapping[str, float]) -> str:
    """In time, memory and quality."""
    as_good = all(ours[key] >= peer[key] for key in QUALITIES if key in ours and key in peer)
    return "yes" if ratio <= target and ours["peak_rss_mib"] < 1024 and as_good else "**no**"


def _quality(side: Mapping[str, float]) -> str:
    shown = [f"{name} {side[key]:.3f}" for key, name in QUALITIES.items() if key in side]
    return ", ".join(shown) or "exact"

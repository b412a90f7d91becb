"""Tells how much variance the maps of `project_pca` hold, with tables."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.clouds.learned import clouds_of
from embspace.draw.page.canvas import counted, percent
from embspace.draw.page.maps.panels import unstructured_positions
from embspace.draw.page.maps.quality import map_tables
from embspace.draw.page.saving import Results

FURTHER_RESULTS = (
    "data/extracted/embeddings.safetensors",
    "regimes/positions.csv",
    "explained_variance/curve.csv",
)
CURVE = "explained_variance/curve"
DRAWN_IN = "projections"
LINES = ("structured", "positional")  # the first of them that there is tells of positions
NULL_OF = {"joint": "input"}  # a cloud's isotropic vectors: the few positions change little
MOST = 1.1  # times the share of isotropic vectors, that is about as much


def draw_pca(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the variance that two components hold, and tables of the quality of the maps."""
    n_unstructured = len(unstructured_positions(results["parquet"]))
    tables = map_tables(results.tables, label, "PCA", "project_pca", digits)
    shares = _variance_shares(results)
    return _finding(shares, n_unstructured) + _beside(shares, results[CURVE]), tables


def _variance_shares(results: Results) -> dict[str, float]:
    """Return the share of a cloud's variance that lies in the plane of its map."""
    vectors = results["data/extracted/embeddings.safetensors"]
    clouds = clouds_of(vectors, results["regimes/positions"])
    return {
        str(name): float(
            rows[["x", "y"]].var(ddof=0).sum() / clouds[str(name)].vectors.var(axis=0).sum()
        )
        for name, rows in results["parquet"].groupby("cloud", sort=False)
    }


def _beside(shares: dict[str, float], curve: pd.DataFrame) -> str:
    """Return for the title that isotropic vectors have as much in the plane; else ""."""
    two = curve[curve["n_components"] == 2].set_index("space")
    null = two["null_cumulative_explained_variance"]
    is_as_much = [
        share <= MOST * null.get(NULL_OF.get(cloud, cloud), 0.0)
        for cloud, share in shares.items()
        if not cloud.endswith("_centered")
    ]
    return ", as of isotropic vectors" if all(is_as_much) else ""


def _finding(shares: dict[str, float], n_unstructured: int) -> str:
    """Return the title: the shares of the variance in the first two components.

    The share of positions alone is over the structured positions, if any.
    """
    parts = [percent(share) for share in shares.values()]
    words = f"Two principal components hold {parts[0]} of the variance"
    if not set(LINES) & shares.keys():
        return f"{words} of tokens"
    left_out = ""
    if LINES[0] in shares and n_unstructured:
        out = counted(n_unstructured, "outlying or unstructured position")
        left_out = f", {out} left out"
    return f"{words} of tokens and positions, {parts[-1]} of that of positions alone{left_out}"

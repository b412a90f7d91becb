"""Tells how much variance the maps of `project_pca` hold, with tables."""

from pydantic import NonNegativeInt

from embspace.clouds.learned import clouds_of
from embspace.draw.page.canvas import counted, percent
from embspace.draw.page.maps.panels import unstructured_positions
from embspace.draw.page.maps.quality import map_tables
from embspace.draw.page.saving import Results

FURTHER_RESULTS = (
    "data/extracted/embeddings.safetensors",
    "regimes/positions.csv",
)
DRAWN_IN = "projections"
LINES = ("structured", "positional")  # the first of them that there is tells of positions


def draw_pca(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return the variance that two components hold, and tables of the quality of the maps."""
    n_unstructured = len(unstructured_positions(results["parquet"]))
    tables = map_tables(results.tables, label, "PCA", "project_pca", digits)
    return _finding(_variance_shares(results), n_unstructured), tables


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

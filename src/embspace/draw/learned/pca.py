"""Draws the figure and the tables of `project_pca`, after Luisto's figure 11a."""

from dataclasses import replace

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.clouds.learned import clouds_of
from embspace.draw.page.canvas import counted, percent
from embspace.draw.page.maps.figure import draw_maps
from embspace.draw.page.maps.panels import Panel, panels_of_maps, unstructured_positions
from embspace.draw.page.saving import Results

FURTHER_RESULTS = (
    "data/extracted/embeddings.parquet",
    "data/extracted/embeddings.safetensors",
    "regimes/positions.csv",
)
LINES = ("structured", "positional")  # the first of them that there is has two panels
VarianceShares = dict[str, dict[str, float]]
"""Holds the share of the variance along each axis, by cloud and axis."""


def draw_pca(
    results: Results,
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw the maps of all clouds by principal components, each with its quality beside chance."""
    shares = _variance_shares(results)
    return draw_maps(
        results.tables,
        label,
        method="PCA",
        stage="project_pca",
        title=_finding(shares, len(unstructured_positions(results["parquet"]))),
        protocol="centered PCA, axes at one scale",
        panels=_panels(results, shares),
        n_named=n_named,
        height_mm=height_mm,
        digits=digits,
    )


def _variance_shares(results: Results) -> VarianceShares:
    """Return the share of a cloud's variance that lies along each axis of its map."""
    vectors = results["data/extracted/embeddings.safetensors"]
    clouds = clouds_of(vectors, results["regimes/positions"])
    axes = [axis for axis in ("x", "y", "z") if axis in results["parquet"]]
    return {
        str(name): {
            axis: float(rows[axis].var(ddof=0) / clouds[str(name)].vectors.var(axis=0).sum())
            for axis in axes
        }
        for name, rows in results["parquet"].groupby("cloud", sort=False)
    }


def _finding(shares: VarianceShares, n_unstructured: int) -> str:
    """Return the title: the shares of the variance that the first two components hold.

    The share of positions alone is that of the structured ones, if there are some.
    """
    parts = [percent(each["x"] + each["y"]) for each in shares.values()]
    words = f"Two principal components hold {parts[0]} of the variance"
    if not set(LINES) & shares.keys():
        return f"{words} of tokens"
    left_out = ""
    if LINES[0] in shares and n_unstructured:
        out = counted(n_unstructured, "outlying or unstructured position")
        left_out = f", {out} left out"
    return f"{words} of tokens and positions, {parts[-1]} of that of positions alone{left_out}"


def _panels(results: Results, shares: VarianceShares) -> list[Panel]:
    """Return two components of each cloud, and of structured positions also the third."""
    found = {panel.cloud: panel for panel in panels_of_maps(results.tables)}
    panels = [_named(panel, shares, "y") for name, panel in found.items() if name not in LINES]
    line = next((found[name] for name in LINES if name in found), None)
    if line is None:
        return panels
    panels.append(_named(line, shares, "y"))
    if line.cloud == LINES[0] and "z" in line.rows:
        panels.append(_named(line, shares, "z"))
    return panels


def _named(panel: Panel, shares: VarianceShares, second: str) -> Panel:
    """Return the panel of the first and a second component, their shares in the axes' names."""
    numbers = {"x": 1, "y": 2, "z": 3}
    first, other = (
        f"component {numbers[axis]}, {percent(shares[panel.cloud][axis])} of the variance"
        for axis in ("x", second)
    )
    rows = panel.rows.assign(y=panel.rows[second])
    title = "The same, third component" if second == "z" else ""
    return replace(
        panel, rows=rows, names=(first, other), title=title, has_quality=not title, is_joined=False
    )

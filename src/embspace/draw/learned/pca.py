"""Figure and tables of `project_pca`: Luisto's figure 11a."""

from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.clouds.learned import clouds_of
from embspace.draw.page.canvas import percent
from embspace.draw.page.maps import Panel, map_figure, map_tables, panels_of_maps

RESULTS = (
    "parquet",
    "quality.csv",
    "one_dimensionality.csv",
    "data/extracted/embeddings.parquet",
    "data/extracted/embeddings.safetensors",
    "regimes/positions.csv",
)
LINES = ("structured", "positional")  # the first of them that there is has two panels
VarianceShares = dict[str, dict[str, float]]
"""By cloud and axis, the share of the variance."""


def draw_pca(
    results: dict[str, Any],
    label: str,
    *,
    height_mm: PositiveFloat,
    n_named: NonNegativeInt,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Maps of all clouds by principal components, each with its quality beside chance."""
    shares, stage = _variance_shares(results), "project_pca"
    figure = map_figure(
        results,
        label,
        title=_finding(shares),
        protocol="centered PCA, axes at one scale",
        stage=stage,
        panels=_panels(results, shares),
        n_named=n_named,
        height_mm=height_mm,
    )
    return figure, map_tables(results, label, "PCA", stage, digits)


def _variance_shares(results: dict[str, Any]) -> VarianceShares:
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


def _finding(shares: VarianceShares) -> str:
    parts = [percent(each["x"] + each["y"]) for each in shares.values()]
    words = f"Two principal components hold {parts[0]} of the variance"
    return f"{words}, {parts[-1]} of that of positions" if set(LINES) & shares.keys() else words


def _panels(results: dict[str, Any], shares: VarianceShares) -> list[Panel]:
    """Return the first two components of all clouds of tokens; of positions also the third."""
    found = {panel.cloud: panel for panel in panels_of_maps(results)}
    panels = [_named(panel, shares, "y") for name, panel in found.items() if name not in LINES]
    line = next((found[name] for name in LINES if name in found), None)
    if line is None:
        return panels
    panels.append(_named(line, shares, "y"))
    if line.cloud == LINES[0] and "z" in line.rows:
        panels.append(_named(line, shares, "z"))
    return panels


def _named(panel: Panel, shares: VarianceShares, second: str) -> Panel:
    """Return the panel with the first component and another one, which say their shares."""
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

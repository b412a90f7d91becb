"""Maps of the same points in several spaces, laid on the map before.

AlignedUMAP of umap-learn 0.5.12 aligns all maps at once. On seven layers of 1,838 tokens, points
moved about half as far and no more neighbors were kept, at three minutes a seed against ten seconds
here; AlignedUMAP takes neither known neighbors nor a start.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from embspace.geometry.pairs.neighbors import NeighborGraph
from embspace.project.maps import LayoutFunction

Plane = Float[np.ndarray, "n 2"]


def aligned_layouts(
    graphs: Sequence[NeighborGraph],
    start: Plane,
    first: LayoutFunction,
    following: LayoutFunction,
    *,
    seed: int,
) -> list[Plane]:
    """Return a map per graph of the same points, laid on the map before.

    A map starts at the end of the map before, and is then turned onto that map. Maps have the
    middle at 0 and a root mean square distance of 1, for UMAP gives no meaning to place, turn or
    scale.

    Args:
        graphs: Neighbors of the points in a space, in the order of the spaces.
        start: First positions of the points on the first map, on any scale.
        first: Makes the first map from a graph, a start and `seed`.
        following: Makes all later maps from the same.
        seed: The same for all maps.
    """
    maps = [unit_spread(first(graph, start, seed=seed)) for graph in graphs[:1]]
    for graph in graphs[1:]:
        plane = unit_spread(following(graph, maps[-1], seed=seed))
        maps.append(turned_onto(plane, maps[-1]))
    return maps


def repeated_layouts(
    graphs: Sequence[NeighborGraph],
    maps: Sequence[Plane],
    start: Plane,
    first: LayoutFunction,
    following: LayoutFunction,
    *,
    seed: int,
) -> list[Plane]:
    """Return a repetition of every aligned map: from the same start, with a new seed.

    Differences between a map and the repetition come from the seed, not from the step between
    spaces.

    Args:
        graphs: As for `aligned_layouts`.
        maps: The result of `aligned_layouts`; repetitions are turned onto these maps.
        start: As for `aligned_layouts`.
        first: As for `aligned_layouts`.
        following: As for `aligned_layouts`.
        seed: A seed other than for `aligned_layouts`.
    """
    starts, layouts = [start, *maps[:-1]], [first] + [following] * (len(maps) - 1)
    return [
        turned_onto(unit_spread(layout(graph, start, seed=seed)), aligned)
        for graph, aligned, start, layout in zip(graphs, maps, starts, layouts, strict=True)
    ]


def unit_spread(layout: Plane) -> Plane:
    """Return a layout in float64, centered, at a root mean square distance of 1 from the center."""
    centered = layout.astype(np.float64)
    centered -= centered.mean(axis=0)
    spread = float(np.sqrt(np.square(centered).sum(axis=1).mean()))
    return centered / (spread or 1.0)


def turned_onto(layout: Plane, other: Plane) -> Plane:
    """Return a layout turned onto `other` by least squares, and mirrored if that is nearer.

    The orthogonal Procrustes problem: Schönemann (1966), Psychometrika 31, 1-10. Both layouts are
    centered at 0.
    """
    left, _, right = np.linalg.svd(layout.T @ other)
    return layout @ (left @ right)


def mean_displacement(layout: Plane, other: Plane) -> float:
    """Return the mean distance between a point's places on two maps, in the unit of the maps."""
    return float(np.linalg.norm(layout - other, axis=1).mean())

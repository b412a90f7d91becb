"""Islands of texts in a space of vectors, and on a map of this space."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.density_clusters import best_jaccard, density_labels
from embspace.geometry.groups.stable_clusters import (
    Search,
    clusters_of,
    clusters_of_draws,
)
from embspace.geometry.inference.null_clouds import draws_of
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from embspace.project.layouts.tsne import tsne_layout

Stability = Literal["no islands", "all stand", "some stand", "undecided", "none stands"]
ROUNDING = 1e-5  # of the largest norm: how far rounding may part equal vectors


class Islands(NamedTuple):
    """Clusters of texts, the largest first, with marks for clusters that recur."""

    labels: Int[np.ndarray, " text"]
    """From 0; -1 is no island."""
    matched: Float[np.ndarray, " island"]
    """Share of half-samples with a match."""
    recurs: Bool[np.ndarray, " island"]
    """Matched often enough in half-samples, and on a map with another seed, too."""
    null: dict[str, Any]
    """The values of Gaussian clouds: n_parts, largest_matched, n_standing; empty without clouds."""
    other_seed: Float[np.ndarray, " island"]
    """Jaccard index with an island on a map with another seed; NaN in a space."""

    @property
    def n(self) -> int:
        """Return the number of islands."""
        return len(self.matched)

    @property
    def stands(self) -> Bool[np.ndarray, " island"]:
        """Return, for every island, whether it recurs where no island of Gaussian clouds does."""
        return self.recurs & (self.null.get("n_standing", 0) == 0)

    @property
    def stability(self) -> Stability:
        """Return whether all, some or no islands stand; undecided if clouds' islands recur, too."""
        if not self.n:
            return "no islands"
        if self.stands.any():
            return "all stand" if self.stands.all() else "some stand"
        return "undecided" if self.recurs.any() else "none stands"


def no_islands(n: int) -> Islands:
    """Return the result for vectors without differences, or for too few vectors."""
    empty = np.zeros(0)
    return Islands(np.full(n, -1), empty, empty.astype(np.bool_), {}, empty)


def are_alike(x: Float[np.ndarray, "text dim"]) -> bool:
    """Return whether rounding alone tells the vectors apart, as first tokens in layer 0."""
    return bool(norms(x - x[0]).max() <= ROUNDING * norms(x).max())


def islands_of_space(
    x: Float[np.ndarray, "text dim"],
    search: Search,
    n_neighbors: int,
    n_clouds: int,
    rng: np.random.Generator,
    *,
    on_sphere: bool,
) -> Islands:
    """Return the islands of vectors, beside Gaussian clouds of the same covariance.

    Clouds are brought to unit length `on_sphere`, where vectors are of unit length.
    """
    for_halves, for_clouds = rng.spawn(2)
    clusters = clusters_of(neighbor_graph_of(x, n_neighbors), search, for_halves)
    draw = draws_of("gaussian_of_covariance", x.astype(np.float64))
    [null] = clusters_of_draws(
        draw, n_neighbors, [search], n_clouds, for_clouds, on_sphere=on_sphere
    )
    recurs = clusters.stands(search)
    return Islands(clusters.labels, clusters.matched, recurs, null, np.full(len(recurs), np.nan))


def islands_of_map(
    x: Float[np.ndarray, "text dim"],
    layout: Float[np.ndarray, "text 2"],
    search: Search,
    n_neighbors: int,
    n_clouds: int,
    tsne: Mapping[str, Any],
    seed: int,
    rng: np.random.Generator,
) -> Islands:
    """Return the islands on a t-SNE map of vectors of unit length.

    They are compared with a map of another seed, and with maps of Gaussian clouds of the same
    covariance, at unit length. `tsne` has the settings of `tsne_layout`.
    """
    for_halves, for_clouds = rng.spawn(2)
    clusters = clusters_of(_graph(layout, n_neighbors), search, for_halves)
    other = density_labels(
        _graph(map_of(x, tsne, seed + 1), n_neighbors),
        np.arange(len(x)),
        smallest=search.smallest,
        n_density=search.n_density,
    )
    draw = draws_of("gaussian_of_covariance", x.astype(np.float64))

    def draw_map(stream: np.random.Generator) -> Float[np.ndarray, "text 2"]:
        return map_of(unit_rows(draw(stream).astype(np.float32)), tsne, seed)

    [null] = clusters_of_draws(
        draw_map, n_neighbors, [search], n_clouds, for_clouds, on_sphere=False
    )
    jaccard = best_jaccard(clusters.labels, other, len(clusters.matched))
    recurs = clusters.stands(search) & (jaccard > search.jaccard)
    return Islands(clusters.labels, clusters.matched, recurs, null, jaccard)


def _graph(layout: Float[np.ndarray, "text 2"], n_neighbors: int) -> Any:
    return neighbor_graph_of(layout.astype(np.float64), n_neighbors)


def map_of(
    x: Float[np.ndarray, "text dim"], tsne: Mapping[str, Any], seed: int
) -> Float[np.ndarray, "text 2"]:
    """Return the t-SNE map of vectors, with the settings of `tsne_layout`."""
    k = min(len(x) - 1, int(np.ceil(3 * tsne["perplexity"])))
    start = principal_components(x, n_components=2).coordinates
    return tsne_layout(neighbor_graph_of(x, k), start, **tsne, seed=seed)

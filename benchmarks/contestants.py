"""What is timed: each takes the vectors, and gives something that can be judged afterwards."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

K = 90
N_BINS = 16_384
SEED = 42
N_COMPONENTS = 10


def bare_product(x: np.ndarray) -> None:
    """The float32 products of the upper triangle's blocks, on the scan's threads, and no more."""
    import numba

    from embspace.geometry.pairs.pairs import USUAL_BLOCK
    from embspace.geometry.pairs.scan._blocks import Block, blocks_of
    from embspace.geometry.pairs.scan._threads import map_in_order

    def product(block: Block) -> float:
        return float((x[block.rows] @ x[block.columns].T)[0, 0])

    for _ in map_in_order(product, blocks_of(len(x), None, USUAL_BLOCK), numba.get_num_threads()):
        pass


def histograms(x: np.ndarray) -> Any:
    """Three exact histograms with their moments, all pairs."""
    from embspace.geometry.pairs.pairs import scan_pairs

    return scan_pairs(x, n_bins=N_BINS)


def graph(x: np.ndarray) -> Any:
    """The exact graph of nearest neighbors."""
    from embspace.geometry.pairs.pairs import scan_pairs

    return scan_pairs(x, n_neighbors=min(K, len(x) - 1)).neighbors


def histograms_and_graph(x: np.ndarray) -> Any:
    """Both in one pass."""
    from embspace.geometry.pairs.pairs import scan_pairs

    return scan_pairs(x, n_bins=N_BINS, n_neighbors=K).neighbors


def sklearn_histogram(x: np.ndarray) -> Any:
    """One metric: all cosines by scikit-learn, counted by NumPy."""
    from sklearn.metrics.pairwise import cosine_similarity

    return np.histogram(cosine_similarity(x), bins=N_BINS, range=(-1, 1))


def sklearn_graph(x: np.ndarray) -> np.ndarray:
    """scikit-learn's exact neighbors."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, algorithm="brute").fit(x).kneighbors()[1]


def pynndescent_graph(x: np.ndarray) -> np.ndarray:
    """Approximate neighbors; a point is its own first."""
    from pynndescent import NNDescent

    return NNDescent(x, n_neighbors=K + 1, random_state=SEED).neighbor_graph[0][:, 1:]


def tsne(x: np.ndarray) -> np.ndarray:
    """t-SNE with the settings of `project_tsne`, graph and start included."""
    from embspace.project.layouts.tsne import tsne_layout

    return _layout(tsne_layout, "tsne", x)


def umap(x: np.ndarray) -> np.ndarray:
    """UMAP with the settings of `project_umap`, graph and start included."""
    from embspace.project.layouts.umap import umap_layout

    return _layout(umap_layout, "umap", x)


def sklearn_tsne(x: np.ndarray) -> np.ndarray:
    """scikit-learn's t-SNE, called as the thesis's notebook does."""
    from sklearn.manifold import TSNE

    return TSNE(n_components=2, random_state=SEED).fit_transform(x)


def plain_umap(x: np.ndarray) -> np.ndarray:
    """umap-learn, called as the thesis's notebook does."""
    from umap import UMAP

    return UMAP(n_components=2, random_state=SEED).fit_transform(x)


def pca(x: np.ndarray) -> np.ndarray:
    """The first principal components, in float64."""
    from embspace.geometry.maps.pca import principal_components

    return principal_components(x, n_components=N_COMPONENTS).coordinates


def sklearn_pca(x: np.ndarray) -> np.ndarray:
    """scikit-learn's, by the solver that it takes for such a matrix, in float32 as the matrix."""
    from sklearn.decomposition import PCA

    return PCA(n_components=N_COMPONENTS).fit_transform(x)


def two_nn(x: np.ndarray) -> float:
    """TwoNN by a line through the lower nine tenths of the ratios, graph included."""
    from embspace.geometry.measures.two_nearest import two_nn_discarding

    return two_nn_discarding(x).value


def skdim_two_nn(x: np.ndarray) -> float:
    """scikit-dimension's, of the same ratios by default."""
    from skdim.id import TwoNN

    return float(TwoNN().fit(x).dimension_)


def dadapy_two_nn(x: np.ndarray) -> float:
    """DADApy's, of the same ratios by default, distances included; in a Python of its own."""
    from dadapy import Data

    return float(Data(x).compute_id_2NN()[0])


def _layout(function: Callable[..., np.ndarray], noun: str, x: np.ndarray) -> np.ndarray:
    from embspace.geometry.maps.pca import principal_components
    from embspace.settings.schema import read_yaml

    conf = read_yaml(Path("conf/project") / f"{noun}.yaml")
    settings = {name: conf[name] for name in inspect.signature(function).parameters if name in conf}
    start = principal_components(x, n_components=2).coordinates
    return function(graph(x), start, **{**settings, "seed": SEED})


CONTESTANTS: dict[str, Callable[[np.ndarray], Any]] = {
    function.__name__: function
    for function in (
        bare_product,
        histograms,
        graph,
        histograms_and_graph,
        sklearn_histogram,
        sklearn_graph,
        pynndescent_graph,
        tsne,
        umap,
        sklearn_tsne,
        plain_umap,
        pca,
        sklearn_pca,
        two_nn,
        skdim_two_nn,
        dadapy_two_nn,
    )
}

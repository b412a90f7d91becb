"""CKA of many layers of two models at once, of many subsets and orders of the same points."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int


class Kernels(NamedTuple):
    """Linear kernels of the layers of a model, of centered points."""

    products: Float[np.ndarray, "layer n n"]
    """Inner products of different points; 0 on the diagonal."""
    squared_lengths: Float[np.ndarray, "layer n"]
    """The diagonal."""


def linear_kernels(x: Float[np.ndarray, "layer n dim"]) -> Kernels:
    """The kernels of all layers, scaled to a mean squared length of 1.

    CKA ignores scale; without scaling, layers of long vectors would cost the remaining layers
    precision.
    """
    products = np.empty((len(x), x.shape[1], x.shape[1]))
    for layer, points in enumerate(x.astype(np.float64)):
        centered = points - points.mean(axis=0)
        np.matmul(centered, centered.T, out=products[layer])
    squared_lengths = np.einsum("lii->li", products).copy()
    scale = squared_lengths.mean(axis=1, keepdims=True)
    scale[scale == 0] = 1
    squared_lengths /= scale
    products /= scale[:, :, np.newaxis]
    np.einsum("lii->li", products)[:] = 0
    return Kernels(products, squared_lengths)


def debiased_cka_of_subsets(
    x: Kernels, y: Kernels, chosen: Float[np.ndarray, "n draw"]
) -> Float[np.ndarray, "layer other_layer draw"]:
    """`debiased_linear_cka` of all pairs of layers, for points with 1 in a draw.

    Eq. 5 of Song et al. (2012) in quadratic forms of `chosen`: all draws are one product of
    matrices per pair of layers. NaN for a draw with fewer than 4 points.
    """
    x_layers, y_layers = _layers(x, chosen), _layers(y, chosen)
    own_x, own_y = (
        [_unbiased_hsic(layer, layer, chosen) for layer in layers]
        for layers in (x_layers, y_layers)
    )
    values = np.empty((len(x_layers), len(y_layers), chosen.shape[1]))
    for layer, one in enumerate(x_layers):
        for other_layer, other in enumerate(y_layers):
            root = _root_of_positive(own_x[layer], own_y[other_layer])
            values[layer, other_layer] = _unbiased_hsic(one, other, chosen) / root
    return values


class _Layer(NamedTuple):
    products: Float[np.ndarray, "n n"]
    sums: Float[np.ndarray, "n draw"]
    """Sums of the products of every point with the chosen points."""


def _layers(kernels: Kernels, chosen: Float[np.ndarray, "n draw"]) -> list[_Layer]:
    return [_Layer(products, products @ chosen) for products in kernels.products]


def _unbiased_hsic(
    one: _Layer, other: _Layer, chosen: Float[np.ndarray, "n draw"]
) -> Float[np.ndarray, " draw"]:
    n = chosen.sum(axis=0)
    n = np.where(n < 4, np.nan, n)
    pair_products = np.einsum("id,id->d", chosen, (one.products * other.products) @ chosen)
    total_one, total_other = (np.einsum("id,id->d", chosen, layer.sums) for layer in (one, other))
    row_products = np.einsum("id,id,id->d", chosen, one.sums, other.sums)
    sums = total_one * total_other / ((n - 1) * (n - 2)) - 2 * row_products / (n - 2)
    return np.asarray((pair_products + sums) / (n * (n - 3)))


def cka_of_orders(
    x: Kernels, y: Kernels, orders: Int[np.ndarray, "order n"]
) -> dict[str, Float[np.ndarray, "order layer other_layer"]]:
    """Linear CKA of all pairs of layers, with the second layer's points permuted.

    `linear_cka` and the debiased form, by name; an order is a permutation of 0..n-1. Parts
    independent of the order are computed once. NaN as in the functions of these names: the debiased
    form with fewer than 4 points.
    """
    n_orders, n = orders.shape
    k, m = x.squared_lengths, y.squared_lengths
    flat = x.products.reshape(len(k), -1)
    products, diagonal = np.empty((2, n_orders, len(k), len(m)))
    for draw, order in enumerate(orders):
        permuted = np.stack([kernel[np.ix_(order, order)].ravel() for kernel in y.products])
        products[draw], diagonal[draw] = flat @ permuted.T, k @ m[:, order].T
    own = [
        (
            np.square(kernels.products).sum(axis=(1, 2)),
            np.square(kernels.squared_lengths).sum(axis=1),
        )
        for kernels in (x, y)
    ]
    sums = k.sum(axis=1), m.sum(axis=1)

    def debiased(
        products: np.ndarray, diagonal: np.ndarray, total_product: np.ndarray
    ) -> np.ndarray:
        if n < 4:
            return np.full(products.shape, np.nan)
        # Of centered points the products with the others add up to minus the squared length.
        return products + total_product / ((n - 1) * (n - 2)) - 2 * diagonal / (n - 2)

    biased_own = [products + diagonal for products, diagonal in own]
    debiased_own = [debiased(*parts, total**2) for parts, total in zip(own, sums, strict=True)]
    both = products + diagonal, debiased(products, diagonal, np.outer(*sums))
    return {
        "linear_cka": both[0] / _root_of_positive(biased_own[0][:, np.newaxis], biased_own[1]),
        "debiased_linear_cka": both[1]
        / _root_of_positive(debiased_own[0][:, np.newaxis], debiased_own[1]),
    }


def _root_of_positive(
    x: Float[np.ndarray, "*x_shape"], y: Float[np.ndarray, "*y_shape"]
) -> Float[np.ndarray, "..."]:
    """Root of the product; NaN where a factor is not positive."""
    return np.sqrt(np.where((x > 0) & (y > 0), x * y, np.nan))

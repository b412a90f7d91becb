"""Measures of the family `context`: over how many directions the tokens of a text are spread."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.grouped_vectors import Groups
from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.texts.rows_of_texts import Tokens, rows_of_texts, unit_tokens
from embspace.geometry.measures.texts.text_means import TextMeans, text_means_of
from embspace.geometry.pairs.types import Vectors

SKEAN = "Skean et al. 2025, Layer by layer, "


@measure(
    "context",
    formula=r"\frac{1}{|T|} \sum_t \frac{1}{1 - \alpha} \log \sum_i \lambda_i^\alpha,\quad "
    r"\lambda \text{ the eigenvalues of } \tfrac{1}{n_t} U_t U_t^\top,\ U_t \text{ the tokens of } "
    r"t \text{ less their mean, each of length } 1;\ -\sum_i \lambda_i \log \lambda_i "
    r"\text{ for } \alpha = 1",
    range=r"[0,\ \log \min(n_t - 1, d)]",
    source=SKEAN + "section 3.2, prompt entropy; Giraldo et al. 2015 for matrices",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Downwards: a text of few tokens has at most \(\log(n_t - 1)\).",
    shared="text_entropies",
    grouped_by="text",
)
def text_entropy(x: Vectors | TextMeans, group: Groups, *, order: float = 1.0) -> float:
    """Entropy of the Gram matrix of a text's tokens, averaged over texts, in nats.

    `group` is the text. The matrix has trace 1, and the eigenvalues are shares. The entropy is von
    Neumann's for an `order` of 1, else Rényi's; the exponential is the number of directions of a
    text's tokens. Texts without two different tokens are left out; NaN if all are.

    Raises:
        ValueError: `order` is not positive, or not 1 where `x` holds sums over texts.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        >>> round(text_entropy(x, np.array([7, 7, 7, 7])), 4)  # two directions: log 2
        0.6931
    """
    if not order > 0:
        raise ValueError(f"order: expected a positive number, found {order}")
    if isinstance(x, TextMeans) and order != 1:
        raise ValueError(f"order: expected 1 of sums over texts, found {order}")
    return text_entropies_of(x, group, order=order).mean


def text_entropies_of(x: Vectors | TextMeans, group: Groups, *, order: float = 1.0) -> TextMeans:
    """Return the sum over texts of a text's entropy, or `x` if sums are given."""
    if isinstance(x, TextMeans):
        return x
    units = (unit_tokens(tokens) for tokens in rows_of_texts(x, group))
    return text_means_of(_entropy(_shares(unit), order) for unit in units if len(unit))


@measure(
    "context",
    formula=r"\text{as } \texttt{text\_entropy}, \text{ with each negative entry of } "
    r"U_t U_t^\top \text{ made } 0 \text{ (of } U_t^\top U_t \text{ where } n_t > d\text{)}",
    range=r"[0,\ \log \min(n_t, d)]",
    source=SKEAN + "compute_entropy() of their code, of alpha 1",
    invariant_to=["scale", "translation"],
    bias=r"Downwards: a text of few tokens has at most \(\log n_t\).",
    grouped_by="text",
    profiled=False,
)
def text_entropy_as_coded(x: Vectors, group: Groups) -> float:
    """`text_entropy` as in the paper's code, the origin of the published numbers.

    The code clips the entries of the matrix at 0, not the rounded eigenvalues. Tokens pointing
    apart then count as unrelated, and raise the entropy, even beyond the bound. With more tokens
    than coordinates the result depends on the axes. Negative eigenvalues are left out. NaN without
    a text of two different tokens.

    Examples:
        >>> import numpy as np
        >>> x = np.zeros((4, 4))
        >>> x[:, :2] = [[1, 0], [-1, 0], [0, 1], [0, -1]]
        >>> round(text_entropy_as_coded(x, np.zeros(4, dtype=int)), 4)  # log 4 of two directions
        1.3863
    """
    units = [unit_tokens(tokens) for tokens in rows_of_texts(x, group)]
    entropies = [_entropy_as_coded(unit) for unit in units if len(unit)]
    return float(np.mean(entropies)) if entropies else float("nan")


def _shares(unit: Tokens) -> Float[np.ndarray, " _"]:
    """Return the eigenvalues of the Gram matrix, from the smaller product: the rest are zeros."""
    n, dim = unit.shape
    return np.linalg.eigvalsh(unit.T @ unit if n > dim else unit @ unit.T) / n


def _entropy_as_coded(unit: Tokens) -> float:
    n, dim = unit.shape
    products = unit.T @ unit if n > dim else unit @ unit.T
    values = np.linalg.eigvalsh(products.clip(min=0)).clip(min=0)
    return _entropy(values / values.sum(), order=1.0)


def _entropy(shares: Float[np.ndarray, " _"], order: float) -> float:
    positive = shares[shares > 0]
    if order == 1:
        return float(-(positive * np.log(positive)).sum())
    return float(np.log((positive**order).sum()) / (1 - order))

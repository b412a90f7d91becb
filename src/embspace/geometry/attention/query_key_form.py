"""Measures the bilinear form by which attention compares queries with keys.

The score of tokens i and j, without the terms of biases, is x_i G x_j with G = W_Q' W_K, of shape
(dim, dim). All functions take the two factors, of shape (rank, dim) as in a linear layer, for one
head or for several stacked heads, whose forms then add up. Only `singular_values_of_products`
builds G, of rank at most the factors' rank, for factors of many rows; the rest follows from
matrices of (rank, rank).
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.spectrum import explained_variance, exponential_entropy
from embspace.geometry.pairs.door import takes_arrays

Factor = Float[np.ndarray, "rank dim"]
"""The weights of queries, or of keys."""
ROUNDING = 1e-7
"""An eigenvalue, or a part, below this share of the largest is rounding, since weights are float32;
nearly equal eigenvalues may come out as a conjugate pair.
"""


@takes_arrays()
def form_symmetry(query: Factor, key: Factor) -> float:
    """Return the share of the symmetric part in the form: |(G + G')/2|^2 / |G|^2, in [0, 1].

    Saponati et al. (2025), arXiv 2502.10927; the tables there print 2 s - 1. The share s is 1 for a
    symmetric form, 0 for an antisymmetric form and (1 + 1/dim) / 2 on average for independent
    entries. From |G|^2 = tr(QQ' KK') and tr(GG) = tr(KQ' KQ'). NaN where the form is 0.
    """
    product = key @ query.T
    total = _squared_norm(query, key)
    return 0.5 * (1 + float((product * product.T).sum()) / total) if total > 0 else float("nan")


@takes_arrays()
def skew_share(query: Factor, key: Factor) -> float:
    """Return the share of the antisymmetric part in the form: 1 less `form_symmetry`, in [0, 1]."""
    return 1 - form_symmetry(query, key)


@takes_arrays()
def directionality(query: Factor, key: Factor, *, n_deviations: float) -> float:
    """Return (c - r) / (c + r) of the outlying norms of columns and rows of G, in [-1, 1].

    c is the sum of the excesses of column norms over the mean plus `n_deviations` standard
    deviations (of a sample, n - 1), r the same for rows. A row belongs to a dimension of queries, a
    column to a dimension of keys: above 0, a few dimensions of the keys stand out more than any of
    the queries. Saponati et al. (2025), arXiv 2502.10927, as coded, with 2 deviations; the paper's
    tables print the negative. 0, as in the paper, without an outlying norm: always with 2
    deviations and fewer than 6 dimensions.
    """
    columns = _excess(_norms(key, query @ query.T), n_deviations)
    rows = _excess(_norms(query, key @ key.T), n_deviations)
    return (columns - rows) / (columns + rows) if columns + rows > 0 else 0.0


@takes_arrays()
def form_singular_values(query: Factor, key: Factor) -> Float[np.ndarray, " value"]:
    """Return the singular values of the form that may differ from 0, largest first.

    As many as the smaller factor has rows, or dim. Those of R_Q R_K', of the QR decompositions of
    both factors, for orthogonal matrices on either side change none.
    """
    return np.asarray(np.linalg.svd(_triangle(query) @ _triangle(key).T, compute_uv=False))


def singular_values_of_products(query: Factor, key: Factor) -> Float[np.ndarray, " value"]:
    """Return `form_singular_values` of factors of many rows, right to some 1e-8 of the largest.

    Roots of the eigenvalues of the form times its transpose, in a third of the time for factors
    with as many rows as dim. Errors of small values hardly move sums over all values.
    """
    few = min(len(query), len(key), query.shape[1])
    form = query.T @ key
    squares = np.linalg.eigvalsh(form @ form.T)[::-1].clip(min=0)
    return np.asarray(np.sqrt(squares[:few]))


@takes_arrays(numbers="any", at_least=0)
def effective_rank_of_form(singular_values: Float[np.ndarray, " value"]) -> float:
    """Return the exponential of the entropy of the singular values over their sum.

    Roy and Vetterli (2007), definition 1, from 1 to the number of values. NaN where all are 0.
    """
    return exponential_entropy(explained_variance(singular_values))


@takes_arrays(numbers="any", at_least=0)
def squared_shares(singular_values: Float[np.ndarray, " value"]) -> Float[np.ndarray, " value"]:
    """Return the share of each in the squared norm of the form; NaN where all are 0."""
    return explained_variance(np.square(singular_values))


class EigenvalueCounts(NamedTuple):
    """Counts of the eigenvalues of a form by kind, of as many as its factors have rows."""

    real_positive: int
    real_negative: int
    complex_positive: int
    """Values with a positive real part, both of every conjugate pair counted."""
    complex_negative: int
    """Values with a negative real part, or 0, both of every conjugate pair counted."""
    zero: int

    @property
    def positive_share(self) -> float:
        """The share with a positive real part among the nonzero eigenvalues; NaN without any."""
        return _ratio(self.real_positive + self.complex_positive, sum(self) - self.zero)

    @property
    def complex_share(self) -> float:
        """The share of complex numbers among the nonzero eigenvalues; NaN without any."""
        return _ratio(self.complex_positive + self.complex_negative, sum(self) - self.zero)


@takes_arrays()
def eigenvalue_counts(query: Factor, key: Factor) -> EigenvalueCounts:
    """Count the eigenvalues of the form by kind.

    The eigenvalues of K Q', of shape (rank, rank): Q'K and KQ' share all nonzero eigenvalues
    (Sylvester). A token meets itself with a positive score along a direction of positive
    eigenvalue; a symmetric form has no complex eigenvalue, an antisymmetric form only complex
    eigenvalues and 0.
    """
    eigenvalues = np.linalg.eigvals(key @ query.T)
    size = np.abs(eigenvalues)
    is_zero = size <= ROUNDING * size.max(initial=0)
    is_complex = ~is_zero & (np.abs(eigenvalues.imag) > ROUNDING * size.max(initial=0))
    is_real, is_positive = ~is_zero & ~is_complex, eigenvalues.real > 0
    kinds = (
        is_real & is_positive,
        is_real & ~is_positive,
        is_complex & is_positive,
        is_complex & ~is_positive,
        is_zero,
    )
    return EigenvalueCounts(*(int(kind.sum()) for kind in kinds))


@takes_arrays()
def principal_angles(query: Factor, key: Factor) -> Float[np.ndarray, " angle"]:
    """Return the principal angles between the row spaces of two factors, in degrees, ascending.

    As many as the dimensions of the smaller space; none for a zero factor. Large angles come from
    cosines, small angles from sines (Björck and Golub 1973, "Numerical methods for computing angles
    between linear subspaces"), exact to some 1e-8 degrees.
    """
    larger, smaller = sorted((_row_basis(query), _row_basis(key)), key=len, reverse=True)
    products = smaller @ larger.T
    cosines = np.linalg.svd(products, compute_uv=False)
    outside = smaller - products @ larger
    sines = np.linalg.svd(_triangle(outside), compute_uv=False)[::-1]
    angles = np.where(
        np.square(cosines) < 0.5, np.arccos(cosines.clip(max=1)), np.arcsin(sines.clip(max=1))
    )
    return np.asarray(np.degrees(angles))


@takes_arrays(numbers="any", at_least=0)
def subspace_overlap(angles: Float[np.ndarray, " angle"]) -> float:
    """Return the mean squared cosine of principal angles in degrees, in [0, 1]; NaN without any.

    1 if one row space lies in the other, 0 if the two are orthogonal.
    """
    return float(np.square(np.cos(np.radians(angles))).mean()) if len(angles) else float("nan")


@takes_arrays()
def expected_overlap(query: Factor, key: Factor) -> float:
    """Return the mean of `subspace_overlap` for spaces of random directions, in [0, 1].

    Exactly the rank of the larger space over dim: a unit vector of random direction has this share
    of its squared length in that space.
    """
    return max(_rank(query), _rank(key)) / query.shape[1]


def _squared_norm(query: Factor, key: Factor) -> float:
    return float(((query @ query.T) * (key @ key.T)).sum())


def _norms(factor: Factor, other: Float[np.ndarray, "rank rank"]) -> Float[np.ndarray, " dim"]:
    """Return the norms of the rows, or columns, of the form; `other` is the other one's Gram."""
    return np.sqrt(np.einsum("rd,rd->d", factor, other @ factor).clip(min=0))


def _excess(norms: Float[np.ndarray, " dim"], n_deviations: float) -> float:
    if len(norms) < 2:
        return 0.0
    over = norms - (norms.mean() + n_deviations * norms.std(ddof=1))
    return float(over[over > 0].sum())


def _row_basis(factor: Factor) -> Float[np.ndarray, "direction dim"]:
    """Return orthonormal rows that span the factor's rows, by way of the small triangle."""
    columns, triangle = np.linalg.qr(factor.T)
    _, sizes, turn = np.linalg.svd(triangle.T, full_matrices=False)
    return np.asarray(turn[sizes > _least(sizes, factor)] @ columns.T)


def _rank(factor: Factor) -> int:
    """Return how many rows `_row_basis` has."""
    sizes = np.linalg.svd(_triangle(factor), compute_uv=False)
    return int((sizes > _least(sizes, factor)).sum())


def _least(sizes: Float[np.ndarray, " value"], factor: Factor) -> float:
    """Return the bound of rounding: smaller singular values of a factor count as 0."""
    return float(sizes.max(initial=0) * max(factor.shape) * np.finfo(np.float64).eps)


def _triangle(factor: Float[np.ndarray, "rank dim"]) -> Float[np.ndarray, "few rank"]:
    """Return R of the QR decomposition of the transposed factor, of the same singular values."""
    return np.asarray(np.linalg.qr(factor.T, mode="r"))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")

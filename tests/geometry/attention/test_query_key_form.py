"""Holds the form of queries and keys to dense matrices and to forms that are known."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from embspace.geometry.attention.query_key_form import (
    EigenvalueCounts,
    _excess,
    directionality,
    effective_rank_of_form,
    eigenvalue_counts,
    expected_overlap,
    form_singular_values,
    form_symmetry,
    principal_angles,
    singular_values_of_products,
    skew_share,
    squared_shares,
    subspace_overlap,
)

RANK, DIM = 4, 24
SIGNS = np.diag([1.0, 1.0, -1.0, -1.0])
TURN = np.array([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1], [0, 0, -1, 0]], dtype=float)


def drawn(seed: int, rank: int = RANK, dim: int = DIM) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rank, dim))


def rotation(seed: int, dim: int) -> np.ndarray:
    return np.linalg.qr(drawn(seed, dim, dim))[0]


PAIRS = [(drawn(0), drawn(1)), (drawn(2), 0.7 * drawn(2) + drawn(3)), (drawn(4, 30), drawn(5, 30))]


def dense_directionality(form: np.ndarray, n_deviations: float = 2) -> float:
    """Written down from the published definition, with the matrix itself."""
    excess = []
    for axis in (0, 1):  # norms of columns, then of rows
        norms = np.linalg.norm(form, axis=axis)
        threshold = norms.mean() + n_deviations * norms.std(ddof=1)
        excess.append(sum(norm - threshold for norm in norms if norm > threshold))
    return (excess[0] - excess[1]) / (excess[0] + excess[1]) if any(excess) else 0.0


@pytest.mark.parametrize(("query", "key"), PAIRS)
def test_all_is_that_of_the_matrix_which_is_never_built(query: np.ndarray, key: np.ndarray):
    form = query.T @ key
    part = (form + form.T) / 2
    norms = np.linalg.norm(part) ** 2, np.linalg.norm(form - part) ** 2
    assert form_symmetry(query, key) == pytest.approx(norms[0] / np.linalg.norm(form) ** 2)
    assert skew_share(query, key) == pytest.approx(norms[1] / np.linalg.norm(form) ** 2)
    sizes = np.linalg.svd(form, compute_uv=False)
    singular = form_singular_values(query, key)
    assert singular == pytest.approx(sizes[: len(singular)], abs=1e-9)
    assert sizes[len(singular) :] == pytest.approx(0, abs=1e-9)
    assert singular_values_of_products(query, key) == pytest.approx(
        singular, abs=1e-7 * singular[0]
    )
    for n_deviations in (1, 2):
        expected = dense_directionality(form, n_deviations)
        ours = directionality(query, key, n_deviations=n_deviations)
        assert ours == pytest.approx(expected)
    angles = np.sort(np.degrees(subspace_angles(query.T, key.T)))
    assert principal_angles(query, key) == pytest.approx(angles, abs=1e-6)
    values = np.linalg.eigvals(form)
    values = values[np.abs(values) > 1e-9 * np.abs(values).max()]
    counts = eigenvalue_counts(query, key)
    assert counts.real_positive + counts.complex_positive == (values.real > 0).sum()
    assert counts.complex_positive + counts.complex_negative == (values.imag != 0).sum()
    assert sum(counts) == len(query)


def test_a_symmetric_form_and_an_antisymmetric_one():
    query = drawn(0)
    assert form_symmetry(query, query) == pytest.approx(1)
    assert form_symmetry(query, SIGNS @ query) == pytest.approx(1)
    assert form_symmetry(query, TURN @ query) == pytest.approx(0, abs=1e-12)
    assert skew_share(query, TURN @ query) == pytest.approx(1)
    assert eigenvalue_counts(query, query) == EigenvalueCounts(4, 0, 0, 0, 0)
    assert eigenvalue_counts(query, SIGNS @ query) == EigenvalueCounts(2, 2, 0, 0, 0)
    turned = eigenvalue_counts(query, TURN @ query)
    assert (turned.complex_share, turned.zero) == (1, 0)
    assert np.isnan(EigenvalueCounts(0, 0, 0, 0, 4).positive_share)


def test_random_factors_are_half_symmetric_and_have_no_direction():
    draws = range(0, 400, 2)
    shares = [form_symmetry(drawn(seed), drawn(seed + 1)) for seed in draws]
    expected = (1 + 1 / DIM) / 2
    error = np.std(shares) / np.sqrt(len(shares))
    assert np.mean(shares) == pytest.approx(expected, abs=4 * error)
    signs = [directionality(drawn(seed), drawn(seed + 1), n_deviations=2) for seed in draws]
    assert np.mean(signs) == pytest.approx(0, abs=4 * np.std(signs) / np.sqrt(len(signs)))
    overlaps = [subspace_overlap(principal_angles(drawn(s), drawn(s + 1))) for s in draws]
    assert expected_overlap(drawn(0), drawn(1)) == RANK / DIM
    error = np.std(overlaps) / np.sqrt(len(overlaps))
    assert np.mean(overlaps) == pytest.approx(RANK / DIM, abs=4 * error)


def test_a_long_column_is_above_zero_and_a_long_row_below():
    query, key = drawn(0), drawn(1)
    key[:, 7] *= 30  # a dimension of what is asked
    assert directionality(query, key, n_deviations=2) > 0.9
    assert directionality(key, query, n_deviations=2) < -0.9
    both = directionality(drawn(0), drawn(1), n_deviations=2)
    assert directionality(drawn(1), drawn(0), n_deviations=2) == pytest.approx(-both)


def test_without_a_norm_beyond_the_threshold_directionality_is_0_as_coded():
    few = drawn(0, 2, 5), drawn(1, 2, 5)
    assert directionality(*few, n_deviations=2) == 0
    assert directionality(drawn(0, 1, 1), drawn(1, 1, 1), n_deviations=2) == 0


def test_equal_row_spaces_have_angles_of_0_and_orthogonal_ones_of_90():
    query = drawn(0)
    mixed = drawn(9, RANK, RANK) @ query
    assert principal_angles(query, mixed) == pytest.approx(0, abs=1e-7)
    assert subspace_overlap(principal_angles(query, mixed)) == pytest.approx(1)
    rows = rotation(3, DIM)
    apart = principal_angles(rows[:RANK], rows[RANK : 2 * RANK])
    assert apart == pytest.approx(90)
    assert subspace_overlap(apart) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("degrees", [1e-6, 0.01, 30, 60, 89.9999])
def test_a_planted_angle_is_found_to_a_hundred_millionth(degrees: float):
    rows, angle = rotation(3, DIM), np.radians(degrees)
    tilted = rows[:2].copy()
    tilted[1] = np.cos(angle) * rows[1] + np.sin(angle) * rows[5]
    assert principal_angles(rows[:2], tilted) == pytest.approx([0, degrees], abs=1e-8)


def test_factors_of_lower_rank_have_fewer_angles():
    low = drawn(0)
    low[2:] = 0
    assert len(principal_angles(low, drawn(1))) == 2
    assert expected_overlap(low, drawn(1)) == RANK / DIM
    assert eigenvalue_counts(low, drawn(1)).zero == 2


def test_a_rotation_of_queries_and_keys_within_a_head_changes_nothing():
    query, key = drawn(0), drawn(1)
    turn = rotation(2, RANK)
    measures = [
        form_symmetry,
        lambda q, k: directionality(q, k, n_deviations=1),
        form_singular_values,
        principal_angles,
        eigenvalue_counts,
    ]
    for measure in measures:
        assert measure(turn @ query, turn @ key) == pytest.approx(measure(query, key))
    # of the stream's dimensions, all but what looks at single ones
    other = rotation(5, DIM)
    for measure in (form_symmetry, form_singular_values, principal_angles):
        assert measure(query @ other, key @ other) == pytest.approx(measure(query, key))


def test_exchanging_queries_with_keys_transposes_the_form():
    query, key = drawn(0), drawn(1)
    assert form_symmetry(key, query) == pytest.approx(form_symmetry(query, key))
    assert form_singular_values(key, query) == pytest.approx(form_singular_values(query, key))


def test_heads_one_below_the_other_add_their_forms():
    parts = [(drawn(seed), drawn(seed + 50)) for seed in range(3)]
    query, key = (np.concatenate([pair[which] for pair in parts]) for which in (0, 1))
    form = sum(q.T @ k for q, k in parts)
    part = (form + form.T) / 2
    expected = np.linalg.norm(part) ** 2 / np.linalg.norm(form) ** 2
    assert form_symmetry(query, key) == pytest.approx(expected)
    assert directionality(query, key, n_deviations=2) == pytest.approx(dense_directionality(form))


def test_the_spectrum_of_equal_values_and_of_one():
    assert effective_rank_of_form(np.ones(5)) == pytest.approx(5)
    assert effective_rank_of_form(np.array([3.0, 0.0])) == pytest.approx(1)
    assert squared_shares(np.array([2.0, 1.0])) == pytest.approx([0.8, 0.2])


def test_a_form_that_is_0_has_no_shares():
    nothing = np.zeros((RANK, DIM))
    assert np.isnan(form_symmetry(nothing, drawn(0)))
    assert np.isnan(effective_rank_of_form(form_singular_values(nothing, drawn(0))))
    assert np.isnan(squared_shares(np.zeros(2))).all()
    assert len(principal_angles(nothing, drawn(0))) == 0
    assert np.isnan(subspace_overlap(np.array([])))
    assert eigenvalue_counts(nothing, drawn(0)).zero == RANK
    assert directionality(nothing, drawn(0), n_deviations=2) == 0


def fused(order: str, n_heads: int, head_dim: int) -> np.ndarray:
    """A fused matrix of queries, keys and values, whose heads compare by their own symmetric form.

    `per_head` as GPT-NeoX and the first DeBERTa have it, head after head its query, key and value;
    `all_queries_first` as GPT-2 and ModernBERT have it.
    """
    heads = [drawn(seed, head_dim, 48) for seed in range(n_heads)]
    parts = [(head, head, drawn(90 + number, head_dim, 48)) for number, head in enumerate(heads)]
    if order == "per_head":
        return np.concatenate([row for part in parts for row in part])
    return np.concatenate([part[kind] for kind in range(3) for part in parts])


def test_symmetry_as_coded_takes_queries_of_other_heads_for_keys():
    """Saponati et al., utils/funs.py, `gpt-neox`: rows [:d] and [d:2d] of the fused matrix.

    Of matrices whose rows go by head these are queries, keys and values of several heads mixed, so
    that their symmetry is that of chance; where all queries come first the cut is right.
    """
    n_heads, head_dim = 6, 8
    d = n_heads * head_dim

    def symmetry_as_coded(matrix: np.ndarray) -> float:
        return form_symmetry(matrix[:d], matrix[d : 2 * d])

    mixed, whole = (fused(order, n_heads, head_dim) for order in ("per_head", "all_queries_first"))
    assert symmetry_as_coded(whole) == pytest.approx(1)
    assert symmetry_as_coded(mixed) == pytest.approx(0.5, abs=0.05)
    query, key, _ = mixed.reshape(n_heads, 3, head_dim, -1).swapaxes(0, 1).reshape(3, d, -1)
    assert form_symmetry(query, key) == pytest.approx(1)


def test_grouped_keys_as_coded_give_a_head_the_key_of_another():
    """The same file, `grouped-attention`: the key heads are tiled where each is to be repeated.

    With 2 keys for 4 queries: 0 1 0 1 in place of 0 0 1 1, so that query heads 1 and 2 meet the
    other key.
    """
    keys = [drawn(0, 8, 48), drawn(1, 8, 48)]
    query = np.concatenate([keys[0], -3 * keys[0], keys[1], keys[1]])
    right = np.concatenate([np.repeat(keys, 2, axis=0)[head] for head in range(4)])
    as_coded = np.concatenate([np.tile(keys, (2, 1, 1))[head] for head in range(4)])
    assert form_symmetry(query, right) == pytest.approx(1)
    assert form_symmetry(query, as_coded) < 0.6


def test_two_norms_have_an_excess_and_one_has_none():
    assert _excess(np.array([1.0, 3.0]), 0.0) == 1
    assert _excess(np.array([3.0]), 0.0) == 0

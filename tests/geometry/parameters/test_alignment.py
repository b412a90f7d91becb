"""Holds the matching of layers to brute force, to planted copies, and to published matrices."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from embspace.geometry.parameters.alignment import (
    best_assignment,
    layer_numbers,
    layer_similarity,
    projected_row_means,
    raw_row_means,
    vocabulary_covariances,
)

N_TOKENS, DIM, N_LAYERS, N_ROWS = 50, 12, 6, 9
PUBLISHED = json.loads((Path(__file__).parent / "multiberts_alignments.json").read_text("utf-8"))


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


Model = tuple[list[np.ndarray], np.ndarray]


def model(seed: int, dim: int = DIM, n_layers: int = N_LAYERS) -> Model:
    """Return the rows of the layers of a model, and its embeddings, which are not centered."""
    return list(drawn(seed, n_layers, N_ROWS, dim)), drawn(seed + 100, N_TOKENS, dim) + 0.5


def vocabulary_similarity(first: Model, second: Model) -> np.ndarray:
    covariances = vocabulary_covariances(first[1], second[1])
    means = projected_row_means(first[0], second[0], covariances)
    return layer_similarity(means, layer_numbers(second[0]))


def turned_and_shuffled(rows: list[np.ndarray], embeddings: np.ndarray, order: np.ndarray) -> Model:
    turn = np.linalg.qr(drawn(7, DIM, DIM))[0]
    return [rows[number] @ turn for number in order], embeddings @ turn


@pytest.mark.parametrize("other_dim", [DIM, 7])
def test_similarity_is_the_mean_absolute_correlation_of_projections(other_dim: int) -> None:
    first, second = model(0), model(1, other_dim, 4)
    expected = np.zeros((N_LAYERS, 4))
    for a, b in np.ndindex(expected.shape):
        x, y = first[0][a] @ first[1].T, second[0][b] @ second[1].T
        expected[a, b] = np.abs(np.corrcoef(x, y)[:N_ROWS, N_ROWS:]).mean()
    assert vocabulary_similarity(first, second) == pytest.approx(expected, abs=1e-7)


def test_it_is_the_formula_with_products_of_means_taken_off() -> None:
    (rows, e1), (other_rows, e2) = model(0), model(1)
    x, y, n = rows[0], other_rows[0], N_TOKENS
    m1, m2 = e1.mean(axis=0), e2.mean(axis=0)
    top = x @ (e1.T @ e2) @ y.T / n - np.outer(x @ m1, y @ m2)
    left = np.einsum("rd,rd->r", x @ (e1.T @ e1) / n, x) - (x @ m1) ** 2
    right = np.einsum("rd,rd->r", y @ (e2.T @ e2) / n, y) - (y @ m2) ** 2
    expected = np.abs(top / np.sqrt(np.outer(left, right))).mean()
    assert vocabulary_similarity(([x], e1), ([y], e2))[0, 0] == pytest.approx(expected)


def test_raw_similarity_is_the_mean_absolute_correlation_of_rows() -> None:
    first, second = model(0)[0], model(1)[0]
    similarities = layer_similarity(raw_row_means(first, second), layer_numbers(second))
    expected = np.abs(np.corrcoef(first[2], second[3])[:N_ROWS, N_ROWS:]).mean()
    assert similarities[2, 3] == pytest.approx(expected)


def test_layers_of_unequal_sizes_are_kept_apart() -> None:
    rows, embeddings = model(0)
    ragged = [rows[0][:2], rows[1], rows[2][:5]]
    similarities = vocabulary_similarity((rows, embeddings), (ragged, embeddings))
    alone = vocabulary_similarity((rows, embeddings), ([ragged[2]], embeddings))
    assert similarities[:, 2] == pytest.approx(alone[:, 0])


@pytest.mark.parametrize("seed", range(5))
def test_the_shuffled_layers_of_a_turned_copy_are_found_in_the_vocabulary_alone(seed: int) -> None:
    rows, embeddings = model(seed)
    order = np.random.default_rng(seed).permutation(N_LAYERS)
    copy = turned_and_shuffled(rows, embeddings, order)
    match = best_assignment(vocabulary_similarity((rows, embeddings), copy))
    assert (order[match.order] == np.arange(N_LAYERS)).all()
    assert match.margin > 0.01


def test_a_turn_changes_nothing_in_the_vocabulary_and_all_in_raw_space() -> None:
    rows, embeddings = model(0)
    order = np.arange(N_LAYERS)
    copy = turned_and_shuffled(rows, embeddings, order)
    same = vocabulary_similarity((rows, embeddings), (rows, embeddings))
    assert vocabulary_similarity((rows, embeddings), copy) == pytest.approx(same)
    raw = [
        layer_similarity(raw_row_means(rows, other), layer_numbers(other))
        for other in (rows, copy[0])
    ]
    assert np.abs(raw[0] - raw[1]).max() > 0.05


def test_in_raw_space_a_turned_copy_is_matched_by_chance() -> None:
    hits = []
    for seed in range(60):
        rows, embeddings = model(seed)
        turn = np.linalg.qr(drawn(seed + 500, DIM, DIM))[0]
        means = raw_row_means(rows, [layer @ turn for layer in rows])
        match = best_assignment(layer_similarity(means, np.repeat(range(N_LAYERS), N_ROWS)))
        hits.append(np.mean(match.order == np.arange(N_LAYERS)))
    assert np.mean(hits) == pytest.approx(1 / N_LAYERS, abs=0.08)


def test_a_model_with_its_tokens_in_another_order_is_matched_by_chance() -> None:
    hits = []
    for seed in range(40):
        rows, embeddings = model(seed)
        other = np.random.default_rng(seed).permutation(embeddings)
        match = best_assignment(vocabulary_similarity((rows, embeddings), (rows, other)))
        hits.append(np.mean(match.order == np.arange(N_LAYERS)))
    assert np.mean(hits) < 0.5


def test_scale_of_rows_and_shift_of_embeddings_do_not_matter() -> None:
    first, second = model(0), model(1)
    changed = [3 * rows for rows in second[0]], second[1] + 7
    expected = vocabulary_similarity(first, second)
    assert vocabulary_similarity(first, changed) == pytest.approx(expected)


def test_a_layer_without_a_projection_leaves_the_others_alone() -> None:
    means = np.array([[0.5, 0.4, np.nan], [np.nan, np.nan, np.nan]])
    similarities = layer_similarity(means, np.array([0, 1, 1]))
    assert similarities[0].tolist() == [0.5, 0.4]
    assert np.isnan(similarities[1]).all()


def test_rows_without_a_projection_are_left_out() -> None:
    first, second = model(0), model(1)
    expected = vocabulary_similarity(first, second)[:, 0]
    more = np.concatenate([second[0][0], np.zeros((3, DIM))])
    similarities = vocabulary_similarity(first, ([more, np.zeros((2, DIM))], second[1]))
    assert similarities[:, 0] == pytest.approx(expected)
    assert np.isnan(similarities[:, 1]).all()


def test_vocabularies_of_two_sizes_and_widths_in_raw_space_are_refused() -> None:
    with pytest.raises(ValueError, match="50 tokens cannot be matched with 49"):
        vocabulary_covariances(model(0)[1], model(1)[1][1:])
    with pytest.raises(ValueError, match="12 dimensions against 7"):
        raw_row_means(model(0)[0], model(1, 7)[0])


@pytest.mark.parametrize("seed", range(4))
def test_the_best_assignment_and_its_margin_are_those_of_all(seed: int) -> None:
    similarity = drawn(seed, 5, 5)
    orders = [list(order) for order in permutations(range(5))]
    totals = np.array([similarity[range(5), order].sum() for order in orders])
    match = best_assignment(similarity)
    best, second = np.sort(totals)[::-1][:2]
    assert list(match.order) == orders[int(np.argmax(totals))]
    assert match.total == pytest.approx(best)
    assert match.margin == pytest.approx(best - second)


def test_of_fewer_layers_some_have_no_match() -> None:
    similarity = np.array([[0.1, 0.2], [0.9, 0.1], [0.1, 0.8]])
    match = best_assignment(similarity)
    assert match.order.tolist() == [-1, 0, 1]
    assert match.margin == pytest.approx(1.7 - 1.1)
    assert best_assignment(similarity.T).order.tolist() == [1, 2]


def test_a_single_layer_has_no_second_best() -> None:
    match = best_assignment(np.array([[0.3]]))
    assert match.order.tolist() == [0]
    assert np.isnan(match.margin)


def test_a_layer_may_leave_its_match_for_one_that_is_free() -> None:
    # In no other assignment of a single layer does a second layer change, too.
    assert best_assignment(np.array([[0.9, 0.6]])).margin == pytest.approx(0.3)
    assert best_assignment(np.array([[0.9, 0.1, 0.7], [0.0, 0.8, 0.1]])).margin == pytest.approx(
        0.2
    )


def test_equal_layers_have_no_margin() -> None:
    assert best_assignment(np.full((3, 3), 0.5)).margin == pytest.approx(0)


@pytest.mark.parametrize("pair", PUBLISHED["pairs"], ids=lambda pair: "-".join(pair["models"]))
def test_published_matrices_give_the_published_assignment(pair: dict[str, Any]) -> None:
    """Those of W_V, read from the colors of the figures, to about 0.0003 a cell.

    Layers stand under `near_tie` if both ways to match two of them have the same total to the four
    decimals that were read: which way is taken is a matter of the rest.
    """
    similarity, printed = np.array(pair["similarity"]), np.array(pair["assignment"])
    match = best_assignment(similarity)
    near_tie = np.isin(range(12), pair["near_tie"])
    assert (match.order == printed)[~near_tie].all()
    assert similarity[range(12), printed].sum() == pytest.approx(match.total, abs=1e-9)
    for first, second in np.reshape(pair["near_tie"], (-1, 2)):
        kept = similarity[first, first] + similarity[second, second]
        assert similarity[first, second] + similarity[second, first] == pytest.approx(kept)


def test_the_file_of_published_numbers_has_these_assignments(root: Path) -> None:
    content = yaml.safe_load((root / "data/published/dar_parameter_alignment.yaml").read_text())
    claims = [*content["claims_on_layers"]]
    printed = {row["claim"].strip(): row["published"] for row in claims}
    for pair in PUBLISHED["pairs"]:
        first, second = (name.removeprefix("seed_") for name in pair["models"])
        words = f"Seeds {first} and {second}: layers matched by their attention values"
        expected = " ".join(str(layer + 1) for layer in pair["assignment"])
        assert printed[f"{words} through the vocabulary, as printed."] == expected

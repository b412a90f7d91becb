"""Holds the overlap with labels to known groups, to chance, and to what DADApy's test asks."""

import numpy as np
import pytest

from embspace.geometry.groups.groups import same_group_neighbor_share
from embspace.geometry.measures.neighborhoods.label_overlap import (
    balanced_label_overlap,
    label_overlap,
)
from embspace.geometry.pairs.neighbor_graph import neighbor_graph_of
from tests.geometry.dadapy_reference import CLOUDS, N_OF_VIEWS, VIEWS, kept, labels_of


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def two_groups(n: int, n_other: int) -> tuple[np.ndarray, np.ndarray]:
    """Groups far apart, with their labels."""
    x = rng().normal(size=(n + n_other, 2))
    x[n:] += 100
    return x, np.repeat([0, 1], [n, n_other])


def test_groups_that_are_apart_overlap_wholly() -> None:
    x, labels = two_groups(20, 20)
    assert label_overlap(x, labels, k=5) == 1
    assert label_overlap(x, labels, k=19) == 1
    assert label_overlap(x, labels, k=39) == pytest.approx(19 / 39)
    assert balanced_label_overlap(x, labels) == 1


@pytest.mark.parametrize("name", VIEWS)
def test_dadapy_finds_the_same(name: str) -> None:
    x = CLOUDS[name]()[:N_OF_VIEWS]
    labels = labels_of(x)
    overlaps = [label_overlap(x, labels, k=30), balanced_label_overlap(x, labels)]
    assert overlaps == pytest.approx(kept()[name]["label_overlaps"], rel=1e-8)


def test_labels_that_cut_a_group_are_counted_as_in_dadapys_test() -> None:
    """Its labels: of two groups of 20 the second is cut in halves, whatever lies in each."""
    x, labels = two_groups(20, 20)
    labels[30:] = 2
    # Of 20, 10 and 10 vectors a quarter: 5, 2 and 2 neighbors.
    near = neighbor_graph_of(x, 5).indices
    sizes = np.array([5, 2, 2])[labels]
    shares = np.array(
        [(labels[near[i, : sizes[i]]] == labels[i]).mean() for i in range(len(labels))]
    )
    by_label = [shares[labels == label].mean() for label in range(3)]
    assert by_label[0] == 1 and max(by_label[1:]) < 1
    assert balanced_label_overlap(x, labels) == pytest.approx(np.mean(by_label))


@pytest.mark.parametrize("k", [1, 7, 30])
def test_it_is_the_share_that_the_library_knows_of_groups(k: int) -> None:
    x, groups = rng().normal(size=(200, 3)), rng(1).integers(4, size=200)
    x[:, 0] += groups
    assert label_overlap(x, groups, k=k) == pytest.approx(
        same_group_neighbor_share(x, groups, n_neighbors=k)
    )
    assert label_overlap(x, groups.astype(str), k=k) == label_overlap(x, groups, k=k)


def test_labels_of_chance_overlap_as_their_shares_say() -> None:
    x, labels = rng().normal(size=(3000, 4)), (rng(1).uniform(size=3000) < 0.2).astype(int)
    counts = np.bincount(labels)
    chance = (counts * (counts - 1)).sum() / (3000 * 2999)
    assert label_overlap(x, labels) == pytest.approx(chance, abs=0.01)
    # Each label by itself: its share of the others.
    assert balanced_label_overlap(x, labels, class_fraction=0.02) == pytest.approx(0.5, abs=0.02)


def test_rare_labels_weigh_as_much_as_frequent_ones() -> None:
    x, labels = two_groups(400, 8)
    mixed = labels.copy()
    mixed[::2] = 2  # cuts the large group, and the small one
    assert label_overlap(x, labels, k=30) > 0.95  # the small group has 7 of 30
    assert balanced_label_overlap(x, labels) == 1
    assert balanced_label_overlap(x, mixed) < 0.8


def test_a_label_of_one_vector_says_nothing() -> None:
    x, labels = two_groups(20, 1)
    assert balanced_label_overlap(x, labels) == 1
    assert np.isnan(balanced_label_overlap(x, np.arange(21)))


def test_what_are_no_labels_is_refused() -> None:
    x = rng().normal(size=(10, 2))
    with pytest.raises(ValueError, match=r"labels: expected 10, one for each.*found shape \(9,\)"):
        label_overlap(x, np.zeros(9), k=2)
    with pytest.raises(ValueError, match="class_fraction: expected a share under 1, found 1"):
        balanced_label_overlap(x, np.zeros(10), class_fraction=1.0)


def test_labels_of_two_vectors_count() -> None:
    x = np.array([[0.0], [1.0], [5.0], [6.0]])
    assert balanced_label_overlap(x, ["a", "a", "b", "b"], class_fraction=0.5) == 1
    assert balanced_label_overlap(x, ["a", "b", "b", "a"], class_fraction=0.5) == 0

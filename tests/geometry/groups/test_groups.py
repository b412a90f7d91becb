import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import silhouette_samples

from embspace.geometry.groups.groups import (
    average_linkage,
    group_means,
    group_members,
    nearest_in_group,
    nearest_others,
    neighbors_in_group,
    purity,
    same_group_neighbor_share,
    shuffled_neighbor_shares,
    silhouettes,
    within_and_between,
)

LABEL = np.array([0, 0, 0, 1, 1, 2])


def random_distances(n: int = 6, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return cdist(x, x)


def blobs(n: int = 8, n_groups: int = 3, spread: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    label = np.repeat(np.arange(n_groups), n)
    return np.eye(n_groups)[label] + spread * rng.normal(size=(len(label), n_groups)), label


def test_members_by_hand():
    assert group_members(np.array([1, 0, 1]), 3).tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]


def test_means_are_those_of_a_loop_over_pairs():
    distances = random_distances()
    means = group_means(distances, LABEL, 3)
    for g in range(3):
        for h in range(3):
            values = [
                distances[i, j]
                for i in range(6)
                for j in range(6)
                if i != j and LABEL[i] == g and LABEL[j] == h
            ]
            expected = np.mean(values) if values else np.nan
            assert means[g, h] == pytest.approx(expected, nan_ok=True)
    assert np.isnan(means[2, 2])


def test_what_stands_on_the_diagonal_of_the_matrix_is_no_pair():
    distances = random_distances()
    raised = distances + 100 * np.eye(6)
    assert np.allclose(
        group_means(raised, LABEL, 3), group_means(distances, LABEL, 3), equal_nan=True
    )


def test_each_group_counts_once():
    means = np.array([[1.0, 4.0, 5.0], [4.0, 2.0, 6.0], [5.0, 6.0, np.nan]])
    within, between = within_and_between(means)
    assert within == pytest.approx(1.5)
    assert between == pytest.approx(5)


def test_an_absent_group_is_left_out_and_a_lonely_one_has_nothing():
    within, between = within_and_between(group_means(random_distances(), LABEL, 5))
    expected = within_and_between(group_means(random_distances(), LABEL, 3))
    assert (within, between) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    assert np.isnan(within_and_between(group_means(np.zeros((1, 1)), np.array([0]), 1))).all()


def test_stacks_are_what_each_gives_alone():
    rng = np.random.default_rng(2)
    draws = np.stack([rng.permutation(LABEL) for _ in range(4)])
    matrices = np.stack([random_distances(seed=seed) for seed in range(4)])
    for number in range(4):
        by_label = group_means(matrices[0], draws, 3)[number]
        assert np.allclose(by_label, group_means(matrices[0], draws[number], 3), equal_nan=True)
        by_matrix = group_means(matrices, LABEL, 3)[number]
        assert np.allclose(by_matrix, group_means(matrices[number], LABEL, 3), equal_nan=True)
        many = silhouettes(matrices[0], draws)[number]
        assert np.allclose(many, silhouettes(matrices[0], draws[number]))


@pytest.mark.parametrize("seed", range(3))
def test_silhouettes_are_scikit_learns(seed: int):
    distances = random_distances(seed=seed)
    expected = silhouette_samples(distances, LABEL, metric="precomputed")
    assert np.allclose(silhouettes(distances, LABEL), expected)


def test_silhouettes_at_their_extremes():
    x, label = blobs(spread=0)
    assert silhouettes(cdist(x, x), label).tolist() == [1.0] * len(label)
    torn = np.arange(len(label)) % 3
    # Half of a group is at its own place, and as much of each other: none is nearer.
    assert abs(silhouettes(cdist(x, x), torn).mean()) < 0.2
    two = np.array([[0.0], [1.0], [0.0], [1.0]])
    assert silhouettes(cdist(two, two), np.array([0, 0, 1, 1])).mean() == pytest.approx(-0.5)


def test_silhouettes_of_one_place_are_zero_and_of_one_group_undefined():
    assert silhouettes(np.zeros((6, 6)), LABEL).tolist() == [0.0] * 6
    assert np.isnan(silhouettes(random_distances(), np.zeros(6, dtype=int))).all()
    assert np.isnan(silhouettes(np.full((6, 6), np.nan), LABEL)[:5]).all()


def test_nearest_others_are_several_where_distances_are_equal_or_nearly_so():
    x = np.array([[0.0], [1.0], [-1.01], [5.0]])
    distances = cdist(x, x)
    assert nearest_others(distances, tie=0.0)[0].tolist() == [False, True, False, False]
    assert nearest_others(distances, tie=0.01)[0].tolist() == [False, True, True, False]
    assert nearest_others(np.stack([distances] * 2), tie=0.01)[1, 0].sum() == 2
    distances[0, 1] = np.nan
    assert nearest_others(distances, tie=0.0).sum(axis=1).tolist() == [0, 1, 1, 1]


def test_neighbors_of_the_own_group():
    neighbors = np.array([[1, 2], [0, 2], [1, 0]])
    in_group = neighbors_in_group(neighbors, np.array([4, 4, 7]))
    assert in_group.tolist() == [[True, False], [True, False], [False, False]]


def test_the_nearest_is_of_the_group_or_not_or_shared():
    x = np.array([[0.0], [1.0], [2.5], [10.0], [11.0]])
    shares = nearest_in_group(cdist(x, x), np.array([0, 0, 1, 1, 1]))
    assert shares.tolist() == [1.0, 1.0, 0.0, 1.0, 1.0]
    tied = nearest_in_group(np.zeros((5, 5)), np.array([0, 0, 1, 1, 1]))
    assert tied.tolist() == [0.25, 0.25, 0.5, 0.5, 0.5]


def test_the_nearest_of_nothing_is_not_defined():
    assert np.isnan(nearest_in_group(np.zeros((1, 1)), np.array([0]))).all()
    assert np.isnan(nearest_in_group(np.full((2, 2), np.nan), np.array([0, 0]))).all()


def test_neighbors_of_clouds_far_apart_are_of_the_same():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 100])
    groups = np.repeat([0, 1], 10)
    assert same_group_neighbor_share(x, groups, n_neighbors=9) == 1
    # With every point as a neighbor it is chance.
    assert same_group_neighbor_share(x, groups, n_neighbors=19) == pytest.approx(9 / 19)


def test_groups_dealt_at_random_share_neighbors_by_chance():
    rng, groups = np.random.default_rng(0), np.repeat([0, 1], 30)
    x = rng.normal(size=(60, 2))
    shares = [
        same_group_neighbor_share(x, rng.permutation(groups), n_neighbors=5) for _ in range(200)
    ]
    assert np.mean(shares) == pytest.approx(29 / 59, abs=4 * np.std(shares) / np.sqrt(200))


def test_a_point_is_no_neighbor_of_itself_and_ties_go_to_the_earlier_row():
    x = np.array([[0.0], [1.0], [2.0]])
    assert same_group_neighbor_share(x, np.array([0, 0, 1]), n_neighbors=1) == pytest.approx(2 / 3)


@pytest.mark.parametrize("n_neighbors", [0, 3])
def test_a_number_of_neighbors_out_of_range_is_refused(n_neighbors: int):
    with pytest.raises(ValueError, match="expected 1 to 2"):
        same_group_neighbor_share(np.zeros((3, 1)), np.zeros(3, dtype=int), n_neighbors=n_neighbors)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_are_scikit_learns(seed: int):
    distances = random_distances(30, seed)
    clusters = average_linkage(distances, 5)
    assert clusters is not None
    model = AgglomerativeClustering(5, metric="precomputed", linkage="average")
    # The same parts, whatever their numbers.
    assert purity(clusters, model.fit(distances).labels_) == 1
    assert len(np.unique(clusters)) == 5


def test_separated_groups_are_the_clusters():
    x, label = blobs()
    clusters = average_linkage(cdist(x, x), 3)
    assert clusters is not None
    assert purity(clusters, label) == 1


def test_points_of_one_place_are_one_cluster():
    clusters = average_linkage(np.zeros((6, 6)), 3)
    assert clusters is not None
    assert clusters.tolist() == [0] * 6
    assert purity(clusters, LABEL) == pytest.approx(1 / 2)


def test_no_clusters_of_one_point_or_of_undefined_distances():
    assert average_linkage(np.zeros((1, 1)), 1) is None
    assert average_linkage(np.full((3, 3), np.nan), 2) is None


def test_purity_by_hand_for_each_draw():
    cluster = np.array([0, 0, 0, 1, 1, 1])
    draws = np.array([[0, 0, 1, 1, 1, 2], [0, 1, 2, 0, 1, 2]])
    assert purity(cluster, draws) == pytest.approx([4 / 6, 2 / 6])


def shuffled_shares(neighbors: np.ndarray, group: np.ndarray, n_shuffles: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return shuffled_neighbor_shares(neighbors, group, n_shuffles=n_shuffles, rng=rng)


def test_shuffled_labels_have_neighbors_of_their_group_as_often_as_chance():
    n, k = 300, 5
    neighbors = (np.arange(n)[:, np.newaxis] + np.arange(1, k + 1)) % n
    shares = shuffled_shares(neighbors, np.repeat([0, 1], [100, 200]), 400)
    assert shares.shape == (400, 2)
    assert shares.mean(axis=0) == pytest.approx([99 / 299, 199 / 299], abs=0.005)
    assert (shares.std(axis=0) > 0).all()


def test_shuffled_shares_of_one_group_are_one():
    shares = shuffled_shares(np.array([[1], [2], [0]]), np.zeros(3, dtype=int), 3)
    assert shares.tolist() == [[1.0]] * 3


def test_shuffled_shares_spread_wider_where_all_are_neighbors_of_a_hub():
    """Labels of a hub decide for all: the null keeps who is near whom."""
    n = 101
    group = np.repeat([0, 1], [50, 51])
    hub = np.zeros((n, 1), dtype=int)
    hub[0] = 1
    ring = (np.arange(n)[:, np.newaxis] + 1) % n
    by_hub, by_ring = (
        shuffled_shares(neighbors, group, 200).std(axis=0) for neighbors in (hub, ring)
    )
    assert (by_hub > 5 * by_ring).all()


def test_all_other_points_may_be_neighbors_and_two_are_clusters():
    x, groups = np.array([[0.0], [1], [3]]), np.array([0, 0, 1])
    assert same_group_neighbor_share(x, groups, n_neighbors=2) == pytest.approx(1 / 3)
    assert same_group_neighbor_share(x, groups, n_neighbors=1) == pytest.approx(2 / 3)
    for n_neighbors in (0, 3):
        with pytest.raises(ValueError, match=f"expected 1 to 2, found {n_neighbors}"):
            same_group_neighbor_share(x, groups, n_neighbors=n_neighbors)
    clusters = average_linkage(np.array([[0.0, 1], [1, 0]]), 2)
    assert clusters is not None and sorted(clusters) == [0, 1]
    assert average_linkage(np.zeros((1, 1)), 1) is None

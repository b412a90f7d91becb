import numpy as np
import pytest

from embspace.geometry.groups.shared_information import SharedInformation, shared_information


def shared(first: np.ndarray, second: np.ndarray, group: np.ndarray | None = None):
    return shared_information(
        first,
        second,
        np.zeros(len(first), np.int64) if group is None else group,
        n_deals=19,
        rng=np.random.default_rng(0),
    )


def test_equal_partitions_share_all_and_deals_nothing():
    labels = np.repeat(np.arange(6), 20)
    same: SharedInformation = shared(labels, 5 - labels)
    assert same.value == pytest.approx(1)
    assert np.abs(same.dealt).max() < 0.1
    assert len(same.dealt) == 19


def test_the_value_is_scikit_learns():
    from sklearn.metrics import adjusted_mutual_info_score

    rng = np.random.default_rng(1)
    first = rng.integers(0, 5, 200)
    second = np.where(rng.random(200) < 0.4, first, rng.integers(0, 9, 200))
    expected = adjusted_mutual_info_score(first, second)
    assert shared(first, second).value == pytest.approx(expected)


def test_what_two_groups_differ_in_says_nothing_inside_them():
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1], 300)
    first, second = (3 * group + rng.integers(0, 3, 600) for _ in range(2))
    assert shared(first, second).value == pytest.approx(np.log(2) / np.log(6), abs=0.03)
    assert abs(shared(first, second, group).value) < 0.03


def test_independent_labels_lie_among_the_deals():
    above = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        first, second = rng.integers(0, 4, (2, 120))
        made = shared_information(first, second, np.zeros(120, np.int64), n_deals=19, rng=rng)
        above += made.value > made.dealt.max()
    assert above <= 10  # 5 are expected


def test_one_cluster_has_no_value():
    one = np.zeros(8, np.int64)
    assert np.isnan(shared(one, np.arange(8)).value)
    assert np.isnan(shared(one, np.arange(8)).dealt).all()

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from embspace.errors import InputError
from embspace.measure.learned.separability import (
    auc_table,
    measure_separability,
    recall_table,
)
from tests.analyses import settings_of

SETTINGS = settings_of(measure_separability, n_folds=4)
DECIDED_BY_SEED = ("fold", "is_labeled", "score")


def clouds(shift: float, scale: float = 1.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    position = scale * (rng.normal(size=(150, 10)) + shift)
    return {
        "input": rng.normal(size=(600, 10)).astype(np.float32),
        "positional": position.astype(np.float32),
    }


def auc(matrices: dict[str, np.ndarray], **change: int) -> pd.DataFrame:
    rows = measure_separability(matrices, **SETTINGS | change)["json"]
    return pd.DataFrame.from_dict(rows, orient="index")


def test_clouds_far_apart_are_told_apart_and_shuffled_labels_are_not():
    table = auc(clouds(3.0))
    assert table["auc"]["raw"] > 0.99
    assert (abs(table["null_auc"] - 0.5) < 0.1).all()


def test_equal_clouds_cannot_be_told_apart():
    assert (abs(auc(clouds(0.0))["auc"] - 0.5) < 0.1).all()


def test_two_gaussians_reach_the_auc_of_their_distance():
    # The best AUC for N(0, I) and N(m, I) is Phi(|m| / sqrt(2)).
    from scipy.stats import norm

    area = auc(clouds(0.3))["auc"]["raw"]
    assert area == pytest.approx(norm.cdf(0.3 * 10**0.5 / 2**0.5), abs=0.05)


def test_a_length_alone_does_not_help_at_unit_length():
    # Directions are equal; only the norm differs, which no linear rule sees either.
    areas = auc(clouds(0.0, scale=5.0))["auc"]
    assert abs(areas["unit_length"] - 0.5) < 0.1


def test_centering_undoes_a_shift_that_both_clouds_share():
    matrices = {space: x + np.float32(50) for space, x in clouds(1.0).items()}
    areas = auc(matrices)["auc"]
    assert areas["centered_unit_length"] > areas["unit_length"] + 0.02


def scored(*folds: tuple[int, int], labels: str) -> pd.DataFrame:
    """Return scores of which, in each fold, so many of so many pairs are in the right order."""
    rows = []
    for fold, (n_right, n_pairs) in enumerate(folds):
        positions = [(fold, True, 0.5)]
        tokens = [(fold, False, float(k >= n_right)) for k in range(n_pairs)]
        rows += positions + tokens
    table = pd.DataFrame(rows, columns=["fold", "is_labeled", "score"])
    return table.assign(preparation="raw", labels=labels)


def test_mean_and_spread_are_those_of_the_folds():
    true, null = (
        scored((9, 10), (7, 10), (5, 10), labels="true"),
        scored((4, 10), (5, 10), (6, 10), labels="shuffled"),
    )
    [row] = auc_table(pd.concat([true, null])).to_dict("records")
    assert [row["auc"], row["auc_standard_deviation"]] == pytest.approx([0.7, 0.2])
    assert [row["null_auc"], row["null_auc_standard_deviation"]] == pytest.approx([0.5, 0.1])


def test_the_recalls_are_those_of_the_plane_and_not_of_the_order():
    # All three tokens lie under all positions, two of these three on the tokens' side of 0.
    true = pd.DataFrame({"is_labeled": [False] * 3 + [True] * 3, "score": [-9, -8, -7, -2, -1, 1]})
    shuffled = true.assign(is_labeled=[False, True] * 3)
    scores = pd.concat([true.assign(labels="true"), shuffled.assign(labels="shuffled")])
    [row] = recall_table(scores.assign(preparation="raw")).to_dict("records")
    assert row["input_recall"] == 1
    assert row["positional_recall"] == pytest.approx(1 / 3)
    assert row["balanced_accuracy"] == pytest.approx(2 / 3)
    assert row["null_balanced_accuracy"] == pytest.approx(2 / 3)


def test_rare_vectors_near_the_others_are_ordered_and_not_told():
    near = auc(clouds(0.3))
    assert near["auc"]["raw"] > 0.7
    assert near["positional_recall"]["raw"] < near["input_recall"]["raw"]
    far = auc(clouds(3.0))
    assert far["balanced_accuracy"]["raw"] > 0.98
    assert (abs(far["null_balanced_accuracy"] - 0.5) < 0.05).all()


def test_each_vector_has_one_score_of_a_classifier_that_has_not_seen_it():
    matrices = clouds(0.3)
    scores = measure_separability(matrices, **SETTINGS)["parquet"]
    x = np.concatenate([matrices["input"], matrices["positional"]])
    assert (scores.groupby(["preparation", "labels"]).size() == len(x)).all()
    true = scores.query("preparation == 'raw' and labels == 'true'").reset_index(drop=True)
    assert true["is_labeled"].tolist() == [False] * 600 + [True] * 150
    held_out = (true["fold"] == 2).to_numpy()
    model = LogisticRegression(C=1.0, max_iter=500)
    model.fit(x[~held_out], true["is_labeled"][~held_out])
    assert true["score"].to_numpy()[held_out] == pytest.approx(
        model.decision_function(x[held_out]), abs=1e-4
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_iterations": 1}, "'max_iterations': 1 are not enough"),
        ({"n_folds": 200}, "at most 150"),
    ],
)
def test_settings_that_give_no_auc_are_named(change: dict[str, int], message: str):
    with pytest.raises(InputError, match=message):
        auc(clouds(0.3), **change)


def test_the_seed_decides_the_folds_and_nothing_else_does():
    first, again, other = (auc(clouds(0.5), seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert first["auc"]["raw"] != other["auc"]["raw"]


def test_fewer_tokens_than_folds_are_told_as_fewer_positions_are():
    few = {space: x[:3] for space, x in clouds(0.0).items()}
    for space in few:
        with pytest.raises(InputError, match="'n_folds': found 4, allowed: at most 3"):
            measure_separability(clouds(0.0) | {space: few[space]}, **SETTINGS)

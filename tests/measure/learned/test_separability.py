import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.learned import separability
from embspace.measure.learned.separability import measure_separability

SETTINGS = {"n_folds": 4, "inverse_regularization": 1.0, "max_iterations": 500, "seed": 0}


def clouds(shift: float, scale: float = 1.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    position = scale * (rng.normal(size=(150, 10)) + shift)
    return {
        "input": rng.normal(size=(600, 10)).astype(np.float32),
        "positional": position.astype(np.float32),
    }


def auc(matrices: dict[str, np.ndarray], **change: int) -> pd.DataFrame:
    return measure_separability(matrices, **SETTINGS | change).set_index("preparation")


def test_clouds_far_apart_are_told_apart_and_shuffled_labels_are_not():
    found = auc(clouds(3.0))
    assert found["auc"]["raw"] > 0.99
    assert (abs(found["null_auc"] - 0.5) < 0.1).all()


def test_equal_clouds_cannot_be_told_apart():
    assert (abs(auc(clouds(0.0))["auc"] - 0.5) < 0.1).all()


def test_two_gaussians_reach_the_auc_of_their_distance():
    # The best AUC for N(0, I) and N(m, I) is Phi(|m| / sqrt(2)).
    from scipy.stats import norm

    found = auc(clouds(0.3))["auc"]["raw"]
    assert found == pytest.approx(norm.cdf(0.3 * 10**0.5 / 2**0.5), abs=0.05)


def test_a_length_alone_does_not_help_at_unit_length():
    # Directions are equal; only the norm differs, which no linear rule sees either.
    found = auc(clouds(0.0, scale=5.0))["auc"]
    assert abs(found["unit_length"] - 0.5) < 0.1


def test_centering_undoes_a_shift_that_both_clouds_share():
    matrices = {space: x + np.float32(50) for space, x in clouds(1.0).items()}
    found = auc(matrices)["auc"]
    assert found["centered_unit_length"] > found["unit_length"] + 0.02


def test_mean_and_spread_are_those_of_the_folds(monkeypatch: pytest.MonkeyPatch):
    of_folds = np.array([0.5, 0.7, 0.9])
    monkeypatch.setattr(separability, "fold_aucs", lambda *_: of_folds)
    found = auc(clouds(0.0))
    for name in ("auc", "null_auc"):
        assert found[name].tolist() == pytest.approx([0.7] * 3)
        assert found[f"{name}_standard_deviation"].tolist() == pytest.approx([0.2] * 3)


def test_a_model_without_positions_has_an_empty_table():
    table = measure_separability({"input": clouds(1.0)["input"]}, **SETTINGS)
    assert len(table) == 0
    assert "null_auc" in table


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

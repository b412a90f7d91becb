"""Weights of two models are paired by name, token and position, or refused in words."""

import numpy as np
import pytest

from embspace.compare.model_changes_rows import (
    IDENTICAL,
    MOVED,
    NOT_CHECKABLE,
    ROUNDED,
    UNRELATED,
    Rules,
    left_out_rows,
    measured_changes,
    mismatch,
    paired_weights,
)
from embspace.geometry.parameters.rounding import cut_to_bfloat16, to_bfloat16, to_float16
from embspace.models.parameters.all_weights import AllWeights, Weight

NAMES = ("one", "other")
RULES = Rules(n_directions=2, least_rows=20, least_deviations=5)


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def model(*weights: Weight, tokens: tuple[str, ...] = (), n_layers: int = 1) -> AllWeights:
    return AllWeights(list(weights), "Net", n_layers, list(tokens), ["word"] * len(tokens), None)


def weight(group: str, values: np.ndarray, layer: int | None = None, name: str = "") -> Weight:
    return Weight(group, layer, "" if layer is None else str(layer), name or group, values)


def test_names_that_one_lacks_are_told_from_both_sides() -> None:
    one = model(weight("gate", drawn(0, 4, 4), 1))
    assert mismatch(one, model(), NAMES) == "one has 'gate' of layer 1, other has none"
    assert mismatch(model(), one, NAMES) == "other has 'gate' of layer 1, one has none"


def test_parts_on_top_may_be_missing_and_tables_longer() -> None:
    one = model(weight("pooler", drawn(0, 4, 4)), weight("position_embedding", drawn(1, 9, 4)))
    other = model(weight("position_embedding", one.weights[1].values[:7]))
    assert mismatch(one, other, NAMES) == ""
    (paired,) = paired_weights(one, other)
    assert paired.is_identical and len(paired.rows) == 7
    wider = model(weight("position_embedding", drawn(1, 9, 5)))
    assert "is 9 × 4 in one, 9 × 5 in other" in mismatch(
        model(weight("position_embedding", drawn(1, 9, 4))), wider, NAMES
    )


def test_tokens_are_paired_by_what_they_are() -> None:
    table = drawn(0, 3, 4)
    one = model(weight("token_embedding", table), tokens=("a", "b", "c"))
    other = model(weight("token_embedding", table[[2, 0]]), tokens=("c", "a"))
    (paired,) = paired_weights(one, other)
    assert paired.rows.tolist() == [0, 2] and paired.is_identical
    row = next(measured_changes([paired], RULES)).row
    assert row["reason"] == "2 of 3 rows, those that both models have"
    assert not list(paired_weights(one, model(weight("token_embedding", table), tokens=("x",) * 3)))


def test_a_group_of_several_weights_is_one_row_without_a_spectrum() -> None:
    one = [weight("norm", 1 + drawn(seed, 40, 1) / 10, 1, f"norm {seed}") for seed in (0, 1)]
    after = [weight("norm", one[0].values * 2, 1, "norm 0"), one[1]]
    pairs = list(paired_weights(model(*one), model(*after)))
    group, whole = measured_changes(pairs, RULES)
    assert group.spectrum is None
    lengths = [float(np.linalg.norm(change.values)) for change in one]
    assert group.row["relative_change"] == pytest.approx(lengths[0] / np.hypot(*lengths))
    assert group.row["n_rows"] == 80 and group.row["n_rows_changed"] == 40
    assert whole.row["group"] == "all"
    assert whole.row["relative_change"] == pytest.approx(group.row["relative_change"])


def test_of_few_rows_entries_are_dealt() -> None:
    """Two segments have two orders: with them no copy could be told from dealt rows."""
    segments = drawn(0, 2, 300)
    pairs = paired_weights(
        model(weight("segment_embedding", segments)),
        model(weight("segment_embedding", segments + 0.1 * drawn(1, 2, 300))),
    )
    row = next(measured_changes(list(pairs), RULES)).row
    assert row["verdict"] == MOVED and row["deviations_from_dealt"] > 10


def verdict_and_rounding(*pairs: tuple[np.ndarray, np.ndarray]) -> tuple[str, str]:
    names = [f"norm {number}" for number in range(len(pairs))]
    one = model(*(weight("norm", x, 1, name) for (x, _), name in zip(pairs, names, strict=True)))
    other = model(*(weight("norm", y, 1, name) for (_, y), name in zip(pairs, names, strict=True)))
    row = next(measured_changes(list(paired_weights(one, other)), RULES)).row
    return row["verdict"], row["rounding"]


def test_verdicts_of_groups_are_those_of_their_weights() -> None:
    x, y = drawn(0, 60, 1), drawn(1, 60, 1)
    short = to_bfloat16(x)
    assert verdict_and_rounding((x, x), (y, y)) == (IDENTICAL, "")
    assert verdict_and_rounding((short, short), (y, to_bfloat16(y))) == (ROUNDED, "bfloat16")
    both = verdict_and_rounding((x, to_bfloat16(x)), (y, cut_to_bfloat16(y)))
    assert both == (ROUNDED, "bfloat16 and bfloat16, cut off")
    assert verdict_and_rounding((x, to_float16(x)), (y, y * 1.5)) == (MOVED, "")


@pytest.mark.parametrize("is_back", [False, True])
def test_fine_changes_of_weights_in_a_short_format_are_no_rounding(*, is_back: bool) -> None:
    """Noise of a third of a percent takes weights off the grid of bfloat16."""
    one = to_bfloat16(drawn(0, 90, 60))
    pair = (one, one * (1 + np.float32(0.0035) * drawn(1, 90, 60)))
    assert verdict_and_rounding(pair[::-1] if is_back else pair) == (MOVED, "")


@pytest.mark.parametrize("value", [0.5, 1.0])
@pytest.mark.parametrize("shape", [(60, 1), (1, 60), (30, 30)])
def test_near_a_constant_weights_of_a_long_format_have_moved(
    value: float, shape: tuple[int, int]
) -> None:
    """Each of them rounds to the constant, but no model as a whole is stored so."""
    constant, other = np.full(shape, value, np.float32), drawn(3, 60, 1)
    near = constant + np.float32(value / 1000) * drawn(1, *shape).clip(-1.5, 1.5)
    assert verdict_and_rounding((constant, near), (other, other)) == (MOVED, "")
    assert verdict_and_rounding((near, constant), (other, other)) == (MOVED, "")
    rounded = to_bfloat16(other)
    assert verdict_and_rounding((near, constant), (other, rounded)) == (ROUNDED, "bfloat16")


def test_a_step_of_a_short_format_is_no_rounding_of_a_long_one() -> None:
    one, other = np.full((60, 1), 1.0, np.float32), drawn(3, 60, 1)
    one[::2] = 1.984375
    after = one.copy()
    after[1] += np.float32(2.0**-7)
    assert verdict_and_rounding((one, after), (other, other)) == (MOVED, "")


@pytest.mark.parametrize("shape", [(24, 1), (6, 1), (3, 4), (1, 20)])
def test_of_few_entries_a_multiple_is_related(shape: tuple[int, int]) -> None:
    x = drawn(0, *shape)
    assert verdict_and_rounding((x, x * np.float32(1.01))) == (MOVED, "")
    assert verdict_and_rounding((x, x * np.float32(1.01)), (100 * x, 101 * x)) == (MOVED, "")


def test_of_few_entries_others_are_no_nearer_than_dealt_rows() -> None:
    verdicts = [
        verdict_and_rounding((drawn(seed, 24, 1), drawn(seed + 100, 24, 1)))[0]
        for seed in range(40)
    ]
    assert set(verdicts) == {UNRELATED}


def test_gains_that_were_all_one_have_moved_though_no_order_of_them_differs() -> None:
    assert verdict_and_rounding((np.ones((60, 1)), drawn(0, 60, 1))) == (MOVED, "")


def test_from_zero_a_change_has_a_size_and_no_share() -> None:
    pairs = paired_weights(
        model(weight("bias", np.zeros((60, 1), np.float32), 1)),
        model(weight("bias", drawn(0, 60, 1), 1)),
    )
    row = next(measured_changes(list(pairs), RULES)).row
    assert np.isnan(row["relative_change"]) and row["change_norm"] > 0
    assert row["verdict"] == MOVED


@pytest.mark.parametrize("n_rows", [0, 1, 3])
def test_weights_of_low_rank_have_no_more_directions_than_their_rank(n_rows: int) -> None:
    before = np.zeros((60, 30), np.float32)
    before[:n_rows] = drawn(0, n_rows, 30)
    pairs = paired_weights(
        model(weight("attention_query", before, 1)),
        model(weight("attention_query", before + drawn(1, 60, 30), 1)),
    )
    row = next(measured_changes(list(pairs), RULES)).row
    assert row["rank"] == 30
    values = [row[name] for name in ("overlap", "smallest_angle", "random_overlap")]
    assert np.isnan(values).tolist() == [n_rows == 0] * 3
    if n_rows:
        assert row["random_overlap"] == pytest.approx(min(n_rows, 2) / 30)


def test_what_could_not_be_paired_is_told_by_group() -> None:
    table = drawn(0, 3, 4)
    one = model(
        weight("token_embedding", table),
        weight("pooler", drawn(0, 4, 4)),
        weight("masked_head", drawn(0, 4, 4)),
        tokens=("a", "b", "c"),
    )
    other = model(
        weight("token_embedding", table), weight("pooler", drawn(0, 5, 4)), tokens=("x", "y", "z")
    )
    rows = list(left_out_rows(one, other, list(paired_weights(one, other)), NAMES))
    assert {row["group"]: row["reason"] for row in rows} == {
        "token_embedding": "no token is in both vocabularies",
        "pooler": "'pooler' is 4 × 4 in one, 5 × 4 in other",
        "masked_head": "other has none",
    }
    assert {row["verdict"] for row in rows} == {NOT_CHECKABLE}


def with_bias(bias: np.ndarray, tokens: tuple[str, ...], *parts: Weight) -> AllWeights:
    """A masked head of a dense matrix and a bias by token, and other parts."""
    dense = weight("masked_head", drawn(5, 30, 8), name="dense")
    return model(dense, weight("masked_head", bias, name="bias"), *parts, tokens=tokens)


@pytest.mark.parametrize("n_added", [0, 1, 3])
def test_the_bias_of_a_masked_head_is_paired_by_token(n_added: int) -> None:
    bias, order = drawn(0, 40, 1), np.random.default_rng(1).permutation(40)
    tokens = tuple(f"t{number}" for number in range(40))
    added = tuple(f"new{number}" for number in range(n_added))
    one = with_bias(bias, tokens)
    values = np.concatenate([drawn(2, n_added, 1), bias[order]])
    other = with_bias(values, (*added, *(tokens[number] for number in order)))
    paired = list(paired_weights(one, other))
    assert {x.weight.name for x in paired} == {"dense", "bias"}
    assert {change.row["verdict"] for change in measured_changes(paired, RULES)} == {IDENTICAL}
    assert not list(left_out_rows(one, other, paired, NAMES))


def test_a_row_of_what_is_left_out_has_a_name_of_its_own() -> None:
    bias, tokens = drawn(0, 40, 1), tuple(f"t{number}" for number in range(40))
    short = [weight("pooler", drawn(1, 9, 9), name="weight")]
    long = [*short, weight("pooler", drawn(1, 9, 1), name="bias")]
    one = with_bias(bias, tokens, *long)
    other = with_bias(bias, tuple(f"x{number}" for number in range(40)), *short)
    paired = list(paired_weights(one, other))
    measured = [change.row["group"] for change in measured_changes(paired, RULES)]
    left_out = {row["group"]: row["reason"] for row in left_out_rows(one, other, paired, NAMES)}
    assert measured == ["masked_head", "pooler", "all"]
    assert left_out == {
        "masked_head.bias": "no token is in both vocabularies",
        "pooler.bias": "other has none",
    }


def test_sums_that_were_undone_are_rounding() -> None:
    x, step = drawn(0, 60, 1), drawn(1, 60, 1)
    assert verdict_and_rounding((x, (x + step) - step)) == (ROUNDED, "float32")

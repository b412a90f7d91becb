import numpy as np
import pandas as pd
import pytest

from embspace.clouds.learned import LearnedCloud
from embspace.project.map_parts import (
    DIGITS,
    parts_and_numbers,
    parts_of_positions,
    string_of_numbers,
)

N_TOKENS, N_POSITIONS, N_NUMBERS = 200, 40, 30
HOW = {"n_draws": 20, "rng": np.random.default_rng(0)}


def vocabulary() -> pd.DataFrame:
    """Numbers in an order that is not that of their values, then words."""
    values = np.random.default_rng(5).permutation(N_NUMBERS)
    names = [str(value) for value in values] + [f"w{i}x" for i in range(N_TOKENS - N_NUMBERS)]
    return pd.DataFrame({"id": np.arange(N_TOKENS), "token": names})


def cloud() -> LearnedCloud:
    spaces = ("input",) * N_TOKENS + ("positional",) * N_POSITIONS
    ids = np.concatenate([np.arange(N_TOKENS), np.arange(N_POSITIONS)])
    return LearnedCloud(np.zeros((len(ids), 3)), spaces, ids)


def layout(seed: int = 0) -> np.ndarray:
    """Tokens anywhere in a square, positions on a line beside it."""
    x = np.random.default_rng(seed).random((N_TOKENS + N_POSITIONS, 2))
    x[N_TOKENS:] = np.column_stack([np.linspace(2, 3, N_POSITIONS), np.zeros(N_POSITIONS)])
    return x


def parts(x: np.ndarray) -> dict[str, object]:
    row = parts_of_positions("joint", cloud(), x, gap=5.0, smallest_share=0.05, **HOW)
    assert row is not None
    return row


def test_a_line_is_one_part_and_torn_it_is_two_of_which_one_may_be_mixed():
    whole = parts(layout())
    assert (whole["n"], whole["n_parts"], whole["most_mixed_part"]) == (40, 1, 0)
    x = layout()
    x[N_TOKENS + 30 :] -= [2.5, -0.5]  # into the square, each beside a token
    x[:10] = x[N_TOKENS + 30 :] + 1e-3
    torn = parts(x)
    assert torn["n_parts"] == 2
    assert torn["most_mixed_part"] > 0.1
    assert torn["least_mixed_part"] == 0
    assert torn["p_value"] < 0.1


@pytest.mark.parametrize(("nearest_distances", "n", "low", "high"), [(4, 1, 1, 2), (9, 2, 1, 2)])
def test_a_tear_of_half_to_twice_the_gap_is_in_the_interval(
    nearest_distances: float, n: int, low: int, high: int
):
    x = layout()
    x[N_TOKENS + 20 :, 0] += (nearest_distances - 1) / (N_POSITIONS - 1)
    row = parts(x)
    assert (row["n_parts"], row["n_parts_low"], row["n_parts_high"]) == (n, low, high)


def test_numbers_on_two_branches_have_an_order_that_halves_of_them_do_not_agree_on():
    x, values = layout(), vocabulary()["token"][:N_NUMBERS].astype(int).to_numpy()
    middle = np.median(values)
    places = np.abs(values - middle)  # the line is folded in its middle
    x[:N_NUMBERS] = np.column_stack([5 + places, 0.4 * (values > middle)])
    folded = string_of_numbers("joint", cloud(), x, vocabulary(), **HOW)
    assert folded
    low, high = folded["order_correlation_low"], folded["order_correlation_high"]
    assert isinstance(low, float) and isinstance(high, float)
    assert 0 <= low < high - 0.1 and high <= 1


def test_numbers_on_a_line_in_order_are_a_string_and_anywhere_are_none():
    x, values = layout(), vocabulary()["token"][:N_NUMBERS].astype(int).to_numpy()
    none = string_of_numbers("joint", cloud(), x, vocabulary(), **HOW)
    x[:N_NUMBERS] = np.column_stack([5 + values / 10, np.zeros(N_NUMBERS)])
    string = string_of_numbers("joint", cloud(), x, vocabulary(), **HOW)
    assert none and string
    assert string["n"] == N_NUMBERS
    assert string["near_number_share"] == 1
    assert string["order_correlation"] == pytest.approx(1)
    assert string["order_correlation_low"] == pytest.approx(1)
    assert string["p_value"] == pytest.approx(1 / 21)
    assert none["near_number_share"] < 0.4
    assert none["p_value"] > 1 / 21


@pytest.mark.parametrize(
    ("token", "number"),
    [("1990", "1990"), ("Ġ7", "7"), ("▁12", "12"), ("##12", None), ("1990s", None), ("b2", None)],
)
def test_what_is_a_number(token: str, number: str | None):
    match = DIGITS.fullmatch(token)
    assert (match[1] if match else None) == number


def test_maps_of_positions_alone_and_without_them_are_passed_over():
    tokens = LearnedCloud(np.zeros((200, 3)), ("input",) * 200, np.arange(200))
    positions = LearnedCloud(np.zeros((40, 3)), ("positional",) * 40, np.arange(40))
    clouds = {"input": tokens, "positional": positions}
    layouts = {"input": layout()[:200], "positional": layout()[200:]}
    part_rows, number_rows = parts_and_numbers(
        clouds, layouts, vocabulary(), gap=5.0, smallest_share=0.05, **HOW
    )
    assert part_rows.empty and "n_parts" in part_rows
    assert number_rows["cloud"].tolist() == ["input"]

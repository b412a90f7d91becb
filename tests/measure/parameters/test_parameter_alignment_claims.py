"""Holds the verdicts on layers of two seeds to plain tables, and to chance."""

import numpy as np
import pandas as pd
import pytest

from embspace.measure.parameters.parameter_alignment_claims import (
    BY_CHANCE,
    SAME_DEPTH,
    claim_rows,
)

N_LAYERS, N_GROUPS, LEVEL = 8, 6, 0.95


def _share(rng: np.random.Generator) -> float:
    return float((rng.permutation(N_LAYERS) == np.arange(N_LAYERS)).mean())


RNG = np.random.default_rng(0)
null_shares = np.array([_share(RNG) for _ in range(200)])


def assignments(
    shares: dict[tuple[str, int], list[float]], phase: str = "pretraining"
) -> pd.DataFrame:
    """A table of one pair of seeds: by space and step, the share on the diagonal of each group."""
    rows = [
        {
            "phase": phase,
            "step": step,
            "seed": 0,
            "other_seed": 1,
            "group": f"group {number}",
            "space": space,
            "n_layers": N_LAYERS,
            "on_diagonal": share,
            "p_value": ((null_shares >= share).sum() + 1) / (len(null_shares) + 1),
            "is_aligned": bool(share > np.quantile(null_shares, 0.975)),
        }
        for (space, step), by_group in shares.items()
        for number, share in enumerate(by_group)
    ]
    return pd.DataFrame(rows)


def claims(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(claim_rows(table, level=LEVEL, shares_base=False))


def verdicts(vocabulary: list[float], raw: list[float]) -> dict[str, str]:
    chance = [1 / N_LAYERS] * N_GROUPS
    shares = {("vocabulary", 0): chance, ("raw", 0): chance}
    shares |= {("vocabulary", 9): vocabulary, ("raw", 9): raw}
    table = claims(assignments(shares))
    assert list(table["verdict_untrained"]) == ["differs", "matches"]
    return dict(zip(table["claim"], table["verdict"], strict=True))


def test_matched_layers_and_chance_are_what_the_source_says() -> None:
    assert verdicts([1.0] * N_GROUPS, [0.125] * N_GROUPS) == {
        SAME_DEPTH: "matches",
        BY_CHANCE: "matches",
    }


def test_one_group_by_chance_leaves_the_claim_on_all_groups_undecided() -> None:
    vocabulary = [1.0] * (N_GROUPS - 1) + [0.125]
    assert verdicts(vocabulary, [0.125] * N_GROUPS)[SAME_DEPTH] == "undecided"


def test_raw_space_that_matches_layers_differs_and_a_tendency_is_undecided() -> None:
    vocabulary = [0.0] * N_GROUPS
    differing = {SAME_DEPTH: "differs", BY_CHANCE: "differs"}
    assert verdicts(vocabulary, [1.0] + [0.125] * (N_GROUPS - 1)) == differing
    assert verdicts(vocabulary, [0.25] * N_GROUPS)[BY_CHANCE] == "undecided"


@pytest.mark.slow
def test_chance_seldom_passes_for_matched_layers_and_seldom_differs_in_raw_space() -> None:
    rng = np.random.default_rng(1)
    passed = [verdicts([_share(rng) for _ in range(N_GROUPS)], [0.125] * 6) for _ in range(200)]
    assert sum(ruling[SAME_DEPTH] == "matches" for ruling in passed) == 0
    raw = [verdicts([0.0] * 6, [_share(rng) for _ in range(N_GROUPS)]) for _ in range(200)]
    assert sum(ruling[BY_CHANCE] == "differs" for ruling in raw) <= 16


def test_before_training_each_claim_is_asked_of_its_own_space() -> None:
    matched, chance = [1.0] * N_GROUPS, [0.125] * N_GROUPS
    shares = {("vocabulary", 0): matched, ("raw", 0): chance}
    shares |= {("vocabulary", 9): chance, ("raw", 9): matched}
    table = claims(assignments(shares))
    assert list(table["verdict_untrained"]) == ["matches", "matches"]
    assert list(table["verdict"]) == ["differs", "differs"]


def test_the_end_of_the_first_phase_is_asked() -> None:
    ended = assignments({("vocabulary", 9): [1.0], ("raw", 9): [0.125]})
    later = assignments({("vocabulary", 4): [0.0], ("raw", 4): [1.0]}, phase="classification")
    table = claims(pd.concat([ended, later]))
    assert list(table["verdict"]) == ["matches", "matches"]
    assert set(table["step"]) == {9} and set(table["seed"]) == {"0 and 1"}
    assert set(table["verdict_untrained"]) == {""}


def test_of_seeds_that_share_a_base_or_were_not_trained_nothing_is_said() -> None:
    table = assignments({("vocabulary", 9): [1.0], ("raw", 9): [1.0]})
    assert not claim_rows(table, level=LEVEL, shares_base=True)
    untrained = assignments({("vocabulary", 0): [1.0], ("raw", 0): [1.0]})
    assert claims(untrained).empty and claims(table.head(0)).empty

"""Claims on the steps of tokens, of paths that have no such steps."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.measure.words.evolution_paths import (
    RANDOM,
    TRAINED,
    TokenPaths,
    drift_table,
    layer_table,
    with_deviations,
)
from tests.power.rules import DRAWS, claim_that_begins, decided, hold_seldom

N_BLOCKS, DIM, N_TOKENS, N_POSTS = 6, 48, 12, 80
IN_ORDER = [
    "The last block moves tokens farther",
    "A step changes the direction of a state little",
    "Perhaps skip connections",
    "States move away from the origin (",
    "States move away from the origin at every step",
]
BLOCKS, TOKENS = (
    "Steps are about equally long in all blocks",
    "Steps are about equally long for all",
)
LESSER, MOUSE = "Moving away is the lesser part", "'mouse' drifts apart"


def paths_of(text: str, x: np.ndarray, random: np.ndarray | None = None) -> TokenPaths:
    """Tokens 0, 1, … of a text, "mouse" the fourth, or one token each of so many texts."""
    n = x.shape[1]
    named = pd.DataFrame({"text": text, "position": range(n), "id": range(n)})
    named["token"] = [f"t{number}" if number != 3 else "mouse" for number in range(n)]
    if text == "posts":
        named["text"] = [f"post {number}" for number in range(n)]
    states = {TRAINED: x} if random is None else {TRAINED: x, RANDOM: random}
    return TokenPaths(named, states)


def tables_of(make, seed: int) -> dict[str, pd.DataFrame]:
    """The tables of `measure_evolution` for two texts and posts; `make(rng, n)` makes states."""
    rng = np.random.default_rng(seed)
    texts = [
        paths_of(name, make(rng, N_TOKENS), make(rng, N_TOKENS)) for name in ("cat", "computer")
    ]
    posts = paths_of("posts", make(rng, N_POSTS))
    parts = [layer_table(str(text.tokens["text"][0]), text) for text in texts]
    at_large = layer_table("posts", posts)
    options = {"n_resamples": 100, "level": 0.95, "generator": rng}
    parts.append(with_deviations(at_large, posts, **options))
    return {
        "evolution/layers": pd.concat(parts).drop(columns=["mean_deviations"]),
        "evolution/drift": drift_table(*texts),
    }


def without_order(rng: np.random.Generator, n: int) -> np.ndarray:
    """States that are drawn anew in every layer: no step differs from another."""
    return rng.normal(size=(N_BLOCKS + 1, n, DIM))


def walk(lengths: np.ndarray):
    """Steps in random directions, of the lengths (block, token), from a start of length 10."""

    def make(rng: np.random.Generator, n: int) -> np.ndarray:
        x = rng.normal(size=(N_BLOCKS + 1, n, DIM)) / np.sqrt(DIM)
        x[0] *= 10
        x[1:] *= np.broadcast_to(lengths, (N_BLOCKS, lengths.shape[1]))[
            :, np.arange(n) % lengths.shape[1], np.newaxis
        ]
        return np.cumsum(x, axis=0)

    return make


def one_block_twice(rng: np.random.Generator, n: int) -> np.ndarray:
    """Of all blocks but the last one has steps twice as long as the others."""
    lengths = np.ones((N_BLOCKS, 1))
    lengths[1] = 2
    return walk(lengths)(rng, n)


def one_token_twice(rng: np.random.Generator, n: int) -> np.ndarray:
    """One of twelve tokens has steps twice as long as the others."""
    lengths = np.ones((N_BLOCKS, N_TOKENS))
    lengths[:, 5] = 2
    return walk(lengths)(rng, n)


def half_away(rng: np.random.Generator, n: int) -> np.ndarray:
    """Each step leads as far away from the origin as it turns."""
    states = [10 * unit(rng.normal(size=(n, DIM)))]
    for _ in range(N_BLOCKS):
        last = states[-1]
        aside = rng.normal(size=(n, DIM))
        aside -= (aside * unit(last)).sum(axis=1, keepdims=True) * unit(last)
        norm = np.linalg.norm(last, axis=1, keepdims=True)
        # To (norm + s) in length by a step of squared length 2 s^2, s drawn about 1.
        s = rng.uniform(0.9, 1.1, size=(n, 1))
        along = s * (1 - s / (2 * norm))
        states.append(last + along * unit(last) + np.sqrt(2 * s**2 - along**2) * unit(aside))
    return np.stack(states)


def unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@DRAWS
def test_paths_without_order_pass_no_rule(root: Path, n_draws: int):
    hold_seldom(root, IN_ORDER, lambda seed: tables_of(without_order, seed), n_draws)


@DRAWS
@pytest.mark.parametrize(
    ("make", "words"),
    [(one_block_twice, BLOCKS), (one_token_twice, TOKENS), (half_away, LESSER)],
)
def test_the_border_of_a_range_is_not_within(root: Path, make, words: str, n_draws: int):
    hold_seldom(root, [words], lambda seed: tables_of(make, seed), n_draws)


@DRAWS
def test_the_token_that_drifts_most_is_seldom_the_mouse(root: Path, n_draws: int):
    hold_seldom(root, [MOUSE], lambda seed: tables_of(without_order, seed), n_draws)


def test_what_is_so_matches(root: Path):
    lengths = np.ones((N_BLOCKS, 1))
    lengths[-1] = 1.5
    last_is_longer = tables_of(walk(lengths), 0)
    for words in (*IN_ORDER[:2], BLOCKS, TOKENS, LESSER):
        assert decided(claim_that_begins(root, words), last_is_longer).verdict == "matches"
    away = tables_of(half_away, 0)
    for words in IN_ORDER[3:]:
        assert decided(claim_that_begins(root, words), away).verdict == "matches"


def test_a_mouse_that_drifts_matches(root: Path):
    tables = tables_of(without_order, 0)
    drift = tables["evolution/drift"]
    is_mouse = drift["token"] == "mouse"
    drift.loc[is_mouse, ["euclidean_distance", "cosine"]] = [99.0, -0.9]
    assert decided(claim_that_begins(root, MOUSE), tables).verdict == "matches"

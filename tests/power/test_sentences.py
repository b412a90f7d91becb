"""Claims on nonsense and on differences, of sentences without any meaning."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.sentences.difference_consistency import consistency_table
from embspace.measure.sentences.difference_cosines import cosine_table
from embspace.measure.sentences.difference_pairs import PairedStates, draw_pairs, sentence_pairs
from embspace.measure.sentences.synonym_groups import Sentences, group_pair_table
from embspace.measure.sentences.synonym_vectors import PooledVectors, codes
from tests.measure.planted_sentences import planted
from tests.power.rules import DRAWS, Tables, claim_that_begins, decided, hold_seldom

REAL = ["ferry", "soup", "teacher", "boss", "dentist"]
NONSENSE = ["random_characters", "random_words"]
ON_NONSENSE = [
    "Random words and random characters",
    "The two kinds of nonsense",
    "Nonsense is told",
]
CONSISTENCY = [f"{name}_different_tokens" for name in ("consistency", "p_value", "q_value")]
BOUNDS = ["cosine", "cosine_low", "cosine_high"]
N_EACH, DIM = 12, 24
KINDS = ["bright-dim", "doctor-nurse", "female-male", "finnish-czech", "funny-sad", "laugh-cry"]
ONE_WAY = [f"Differences of one kind point one way: {kind}" for kind in KINDS]
DIRECTIONS = [
    "The direction from funny to sad",
    "The direction from bright to dim is like the one from funny",
    "The direction from bright to dim is like the one from laughing",
    "Finns cry more",
    "The model takes doctors",
]
DRAWN = {"n_sign_flips": 300, "n_pairing_draws": 5, "n_direction_draws": 800}
HALVES: dict[str, Any] = {"n_half_samples": 64, "level": 0.95}


def nonsense(x: np.ndarray, seed: int) -> Tables:
    """The table of all two groups of these vectors, as many for each group."""
    group = pd.Series(np.repeat([*REAL, *NONSENSE], N_EACH))
    sentences = Sentences(
        "groups_and_random",
        [PooledVectors("cls", x[np.newaxis], None)],
        group,
        unit=np.arange(len(group)),
        units=[f"s{number}" for number in range(len(group))],
        stratum=codes(group),
    )
    rng = np.random.default_rng(seed)
    table = group_pair_table(sentences, n_half_samples=60, level=0.95, generator=rng)
    return {"synonyms/group_pairs": table[["group_1", "group_2", "pooling", "layer", *BOUNDS]]}


def dealt_anew(seed: int) -> Tables:
    """Vectors of seven meanings, each of them in all groups alike."""
    rng = np.random.default_rng(seed)
    n = N_EACH * len([*REAL, *NONSENSE])
    x = 2 * np.eye(DIM)[np.arange(n) % 7] + rng.normal(size=(n, DIM))
    return nonsense(rng.permutation(x), seed)


def differences(offsets: dict[str, np.ndarray], seed: int, noise: float = 0.5) -> Tables:
    """The tables of six pairs of sentences of each kind, with these offsets and noise."""
    given, rng = planted(offsets, 6, noise=noise, seed=seed), np.random.default_rng(seed)
    pairs = sentence_pairs(given.stimuli, given.tokens)
    cells = pd.DataFrame({"layer": [0], "pooling": ["cls"]})
    paired = PairedStates(pairs, cells, given.states["cls"], given.states["random_cls"])
    lengths = given.tokens.groupby("window").size().to_numpy(np.int64)
    draws = draw_pairs(pairs, lengths, length_tolerance=3, **DRAWN, generator=rng)
    categories = consistency_table(paired, draws, **HALVES, generator=rng)
    cosines = cosine_table(paired, draws, smallest_reliability=0.5, **HALVES, generator=rng)
    shown = [name for name in cosines if not name.endswith("deviations") and name != "units"]
    kept = ["layer", "pooling", "category", *CONSISTENCY]
    return {"differences/categories": categories[kept], "differences/cosines": cosines[shown]}


def without_direction(seed: int) -> Tables:
    """Ten kinds of differences, all of noise alone."""
    names = [*KINDS, "green-brown", "present-past", "warm-cold", "singular-plural"]
    return differences({name: np.zeros(DIM) for name in names}, seed)


def at_the_border(seed: int) -> Tables:
    """Two kinds of differences with the cosine 0.2, which is no longer unremarkable."""
    axes = np.eye(DIM)
    with_it = 0.2 * axes[0] + np.sqrt(1 - 0.2**2) * axes[1]
    return differences({"bright-dim": axes[0], "doctor-nurse": with_it}, seed, noise=0.05)


@DRAWS
def test_groups_of_sentences_without_meaning_pass_no_rule(root: Path, n_draws: int):
    hold_seldom(root, ON_NONSENSE, dealt_anew, n_draws)


def test_nonsense_of_two_kinds_matches(root: Path):
    """Both kinds lie about one place, each to its side, and sentences of a kind about others."""
    axes = np.eye(DIM)
    places = [*(3 * axes[2 + kind] for kind in range(len(REAL)))]
    places += [3 * axes[0] + axes[1], 3 * axes[0] - axes[1]]
    noise = 0.2 * np.random.default_rng(0).normal(size=(N_EACH * len(places), DIM))
    tables = nonsense(np.repeat(places, N_EACH, axis=0) + noise, 0)
    for words in ON_NONSENSE:
        assert decided(claim_that_begins(root, words), tables).verdict == "matches"


@DRAWS
def test_differences_without_direction_pass_no_rule(root: Path, n_draws: int):
    hold_seldom(root, [*ONE_WAY, *DIRECTIONS], without_direction, n_draws)


@DRAWS
def test_a_cosine_at_the_border_is_not_nothing(root: Path, n_draws: int):
    hold_seldom(root, ["Light and profession"], at_the_border, n_draws)


@pytest.mark.parametrize("sign", [1, -1])
def test_planted_directions_match_and_reversed_ones_do_not(root: Path, sign: int):
    a, b, c = np.eye(DIM)[:3]
    offsets = {"funny-sad": a, "bright-dim": a, "finnish-czech": -a - b, "female-male": c}
    offsets |= {"laugh-cry": sign * (a + b), "doctor-nurse": -sign * c}
    tables = differences({name: 2 * offset for name, offset in offsets.items()}, 0)
    for words in ONE_WAY:
        assert decided(claim_that_begins(root, words), tables).verdict == "matches"
    turned = [DIRECTIONS[place] for place in (0, 2, 3, 4)]
    expected = "matches" if sign == 1 else "differs"
    for words in turned:
        assert decided(claim_that_begins(root, words), tables).verdict == expected

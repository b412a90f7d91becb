"""Claims on homonyms, of words whose senses are dealt anew."""

from pathlib import Path

from tests.measure.words.test_homonyms import planted
from tests.power.rules import DRAWS, Tables, claim_that_begins, decided, hold_seldom

CLAIMS = [
    "The senses of homonyms drift apart through the layers, by cosine",
    "The senses of homonyms drift apart through the layers, by Euclidean",
    "In the last layer the senses of homonyms are apart",
    "The senses of homonyms are apart by training",
    "In the last layer the sense of a homonym can be read off",
]


def tables_of(apart: tuple[float, ...], seed: int) -> Tables:
    """The tables of six words, whose senses lie so far apart in each layer; noise is small."""
    given = planted(6, apart=apart, noise=0.5, dim=24, seed=seed)
    tables = given.measured(n_draws=19, n_resamples=40, seed=seed)
    return {f"homonyms/{name}": tables[name] for name in ("drift", "layers", "recovery")}


@DRAWS
def test_senses_that_mean_nothing_pass_no_rule(root: Path, n_draws: int):
    hold_seldom(root, CLAIMS, lambda seed: tables_of((0.0, 0.0, 0.0), seed), n_draws)


def test_senses_that_drift_apart_match(root: Path):
    tables = tables_of((0.0, 0.5, 2.0), 0)
    for words in CLAIMS:
        assert decided(claim_that_begins(root, words), tables).verdict == "matches"

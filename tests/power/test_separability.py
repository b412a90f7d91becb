"""Claims that tokens and positions can be told apart, asked of two samples of one distribution."""

from pathlib import Path

import numpy as np

from embspace.files.scalars import save_scalars
from embspace.measure.learned.separability import measure_separability
from embspace.published.claims import decide
from tests.power.rules import DRAWS, MODEL, MOST, claim_that_begins

SETTINGS = {"n_folds": 3, "inverse_regularization": 1.0, "max_iterations": 500, "seed": 0}
CLAIMS = [
    f"Tokens and positions can be told apart, {how}"
    for how in ("as they are", "at unit length", "centered")
]


def verdicts(root: Path, shift: float, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(150, 8)).astype(np.float32)
    x[120:] += shift
    outcome = measure_separability({"input": x[:120], "positional": x[120:]}, **SETTINGS)
    save_scalars(outcome["json"], f"results/separability/{MODEL.name}.json")
    claims = [claim_that_begins(root, words) for words in CLAIMS]
    return [decide(claim, MODEL, Path("results")).verdict for claim in claims]


@DRAWS
def test_samples_of_one_distribution_are_not_told_apart(root: Path, n_draws: int):
    matches = [verdicts(root, 0.0, seed).count("matches") for seed in range(n_draws)]
    assert sum(n > 0 for n in matches) <= MOST[n_draws]


def test_clouds_that_lie_apart_are(root: Path):
    assert verdicts(root, 4.0, 0) == ["matches"] * 3

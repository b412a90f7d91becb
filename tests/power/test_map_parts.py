"""Claims on maps of tokens and positions, asked of maps on which both are anywhere."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from embspace.clouds.learned import LearnedCloud
from embspace.project.map_parts import parts_and_numbers
from tests.power.rules import DRAWS, Tables, hold_seldom

N_TOKENS, N_OTHERS = 300, 60
CLAIMS = {
    "tsne": "t-SNE shows the positions among the tokens as two",
    "umap": "UMAP shows the positions among the tokens as two",
}
STRINGS = {
    "tsne": "On t-SNE's map the tokens, too, have a string",
    "umap": "On UMAP's map the tokens, too, have a string",
}


def drawn(noun: str, root: Path, seed: int, *, groups: int, apart: float) -> Tables:
    """Return the tables of a map of vectors in groups, to which no kind belongs by itself."""
    how = yaml.safe_load((root / f"conf/project/{noun}.yaml").read_text(encoding="utf-8"))
    rng = np.random.default_rng(seed)
    n = N_TOKENS + N_OTHERS
    layout = rng.normal(size=(n, 2)) + apart * rng.integers(groups, size=(n, 1))
    spaces = ("input",) * N_TOKENS + ("positional",) * N_OTHERS
    ids = np.concatenate([np.arange(N_TOKENS), np.arange(N_OTHERS)])
    names = [str(i) if i < N_OTHERS else f"word {i}" for i in range(N_TOKENS)]
    parts, numbers = parts_and_numbers(
        {"joint": LearnedCloud(np.zeros((n, 2)), spaces, ids)},
        {"joint": layout},
        pd.DataFrame({"id": np.arange(N_TOKENS), "token": names}),
        gap=how["parts_gap"],
        smallest_share=how["smallest_part"],
        n_draws=40,
        rng=rng,
    )
    return {f"{noun}/parts": parts, f"{noun}/numbers": numbers}


@DRAWS
@pytest.mark.parametrize("noun", CLAIMS)
@pytest.mark.parametrize(("groups", "apart"), [(1, 0.0), (2, 12.0)], ids=["cloud", "two clouds"])
def test_positions_and_numbers_like_all_tokens_seldom_pass(
    noun: str, groups: int, apart: float, root: Path, n_draws: int
):
    def tables(seed: int) -> Tables:
        return drawn(noun, root, seed, groups=groups, apart=apart)

    hold_seldom(root, [CLAIMS[noun], STRINGS[noun]], tables, n_draws)

"""Asks claims of tables that a test has drawn."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from embspace.files.tables import save_table
from embspace.published.claims import Decision, decide
from embspace.published.roles import in_roles
from embspace.published.sources import Claim, read_source
from embspace.published.subjects import Subject
from embspace.settings.roles import Role

ROLES: dict[Role, str] = {"long_texts": "articles", "short_texts": "posts"}
MODEL = Subject("drawn", "maker/drawn")
MOST = {20: 3, 200: 16}
"""How many of so many draws may match."""
DRAWS = pytest.mark.parametrize("n_draws", [20, pytest.param(200, marks=pytest.mark.slow)])
Tables = Mapping[str, pd.DataFrame]
"""By the folder under results/ that has the table of a model."""


@cache
def claims_of(root: Path) -> tuple[Claim, ...]:
    """Return the claims of the thesis, asked of the corpora of `ROLES`."""
    source = read_source(root / "data/published/luisto_thesis.yaml")
    return tuple(in_roles(source, ROLES).claims)


def claim_that_begins(root: Path, words: str) -> Claim:
    """Return the only claim of the thesis that begins so."""
    (claim,) = (claim for claim in claims_of(root) if claim.claim.startswith(words))
    return claim


def decided(claim: Claim, tables: Tables) -> Decision:
    """Return the verdict by these tables alone, which are saved in the current folder."""
    for folder, table in tables.items():
        save_table(table, f"results/{folder}/{MODEL.name}.csv")
    return decide(claim, MODEL, Path("results"))


def hold_seldom(
    root: Path, beginnings: list[str], draw: Callable[[int], Tables], n_draws: int
) -> None:
    """Fail if one of the claims matches more often than `MOST`, or some draw decides nothing."""
    claims = {words: claim_that_begins(root, words) for words in beginnings}
    counts: dict[str, Counter[str]] = {words: Counter() for words in beginnings}
    for seed in range(n_draws):
        tables = draw(seed)
        for words, claim in claims.items():
            counts[words][decided(claim, tables).verdict] += 1
    for words, count in counts.items():
        assert count["not checkable"] == 0, words
        assert count["matches"] <= MOST[n_draws], f"{words}: {count}"

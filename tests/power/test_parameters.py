"""Claims on parameters: random partners hold none, and named cells decide what is printed."""

import csv
import re
from collections import Counter, defaultdict
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest

from embspace.files.tables import save_table
from embspace.geometry.parameters.related import jaccard
from embspace.measure.parameters.related_pairs import DealtPairs, mean_rows
from embspace.measure.parameters.related_parameters import RELATED_PARAMETERS
from embspace.published.claims import decide
from embspace.published.sources import LayerClaim, Rule, read_source
from embspace.published.subjects import Subject
from tests.power.rules import DRAWS, MODEL, MOST

FILES = {"dar_parameters": 20, "dar_parameter_alignment": 14}
Row = dict[str, str]


def printed(root: Path, name: str) -> list[LayerClaim]:
    source = read_source(root / f"data/published/{name}.yaml")
    return [claim for claim in source.claims_on_layers if claim.published]


def bounds(rule: Rule) -> tuple[float, float]:
    """Return between which numbers the value of a rule's cell has to be."""
    low, high = -inf, inf
    for sign, number in re.findall(r"(>=?|<=?) (-?[\d.]+|null)", rule.holds_if):
        if number == "null":
            number = "0.5"
        if sign.startswith(">"):
            low = max(low, float(number))
        else:
            high = min(high, float(number))
    return low, high


def value_of(rule: Rule, *, holds: bool) -> float:
    low, high = bounds(rule)
    if not holds:
        return low - 0.1
    return (low + high) / 2 if high < inf else low + 0.1


def rows_for(rule: Rule, *, holds: bool) -> list[Row]:
    """Return a row for each setting at which a rule is asked, with all columns that it reads."""
    cell = rule.cell
    if cell.share_of:
        (column,), (words,) = cell.share_of.columns, cell.share_of.values
        return [{**strings(cell.where), column: str(words) if holds else "none"}]
    numbers = {column: value_of(rule, holds=holds) for column in cell.columns.values()}
    if "null" in cell.columns:
        numbers[cell.columns["null"]] = 0.5
    places = product(*([(column, value) for value in rule.every[column]] for column in rule.every))
    return [{**strings({**cell.where, **dict(place)}), **strings(numbers)} for place in places]


def strings(cells: dict[str, float] | dict[str, str | int]) -> Row:
    return {column: str(value) for column, value in cells.items()}


def decided(claim: LayerClaim, folder: Path, *, holds: bool) -> str:
    tables: dict[Path, list[Row]] = defaultdict(list)
    subject = Subject("planted", claim.model)
    for rule in (claim, *claim.otherwise):
        tables[subject.file(rule.cell.file, folder)] += rows_for(rule, holds=holds)
    for file, rows in tables.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", newline="") as opened:
            writer = csv.DictWriter(opened, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return decide(claim, subject, folder).verdict


@pytest.mark.parametrize("name", FILES)
def test_a_model_whose_cells_are_there_decides_what_is_printed_of_it(
    name: str, root: Path, tmp_path: Path
) -> None:
    claims = printed(root, name)
    assert len(claims) == FILES[name]
    for number, claim in enumerate(claims):
        for holds, verdict in ((True, "matches"), (False, "differs")):
            folder = tmp_path / str(number) / verdict
            assert decided(claim, folder, holds=holds) == verdict, claim.claim


def test_stages_write_the_columns_that_these_claims_read(root: Path) -> None:
    from embspace.compare.model_parameter_alignment import MODEL_PARAMETER_ALIGNMENT
    from embspace.measure.parameters.keep_k import SCORES

    related = RELATED_PARAMETERS.tables
    written = {
        "results/model_parameter_alignment/": MODEL_PARAMETER_ALIGNMENT.tables["csv"].columns,
        "results/keep_k/": SCORES.columns,
        "results/related_parameters/pairs/": related["pairs"].columns,
        "results/related_parameters/whole/": related["whole"].columns,
        "results/related_parameters/{": related["csv"].columns,
    }
    claims = [
        claim
        for name in FILES
        for claim in read_source(root / f"data/published/{name}.yaml").claims_on_layers
    ]
    for rule in (rule for claim in claims for rule in (claim, *claim.otherwise)):
        for cell in rule.cells:
            (columns,) = (names for start, names in written.items() if cell.file.startswith(start))
            read = {*cell.where, *cell.columns.values()}
            read |= set(cell.share_of.columns) if cell.share_of else set()
            assert read <= set(columns), cell


@DRAWS
def test_partners_at_random_do_not_hold_what_is_said_in_words(root: Path, n_draws: int) -> None:
    """Sets of words in which neither partner knows of the other, 64 pairs in each of two layers."""
    source = read_source(root / "data/published/dar_parameters.yaml")
    claims = [claim for claim in source.claims_on_layers if not claim.published]
    claims = [claim for claim in claims if "/whole/" in claim.cell.file]
    assert len(claims) == 4
    counts: dict[str, Counter[str]] = {claim.claim: Counter() for claim in claims}
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        pairs = [
            independent(layer, pair, rng)
            for layer in (1, 2)
            for pair in ("key_value", "value_output", "query_key")
        ]
        table = RELATED_PARAMETERS.tables["whole"].of(mean_rows(pairs, 0.95))
        save_table(table, f"results/related_parameters/whole/{MODEL.name}.csv")
        for claim in claims:
            counts[claim.claim][decide(claim, MODEL, Path("results")).verdict] += 1
    for words, count in counts.items():
        assert count["not checkable"] == 0, words
        assert count["matches"] <= MOST[n_draws], f"{words}: {count}"


def independent(layer: int, pair: str, rng: np.random.Generator) -> DealtPairs:
    """Return pairs of which every partner is as likely to share words as any other."""
    k, n = 100, 64
    common = rng.binomial(k, 0.02, (n, n))
    measures = np.stack([jaccard(common, k), jaccard(common, k), common / k >= 0.15], axis=-1)
    orders = np.stack([rng.permutation(n) for _ in range(99)])
    return DealtPairs(
        layer=layer,
        pair=pair,
        n_pairs=n,
        value=measures[np.arange(n), np.arange(n)].mean(axis=0),
        any_partner=measures.mean(axis=(0, 1)),
        dealt=measures[np.arange(n), orders].mean(axis=1),
    )

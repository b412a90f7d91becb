from pathlib import Path

import yaml

from embspace.published.roles import in_roles
from embspace.published.sources import Source, read_source

SOURCE = """
source: a thesis
protocol: theirs
decided: {when: after results, why: committed together}
claims:
  - {claim: they lie apart, section: "4", page: 1, statistic: s, holds_if: value > 0,
     cell: {file: results/x.csv, value: n, where: {layer: 3},
            pair: {columns: [corpus, other_corpus], values: ["{long_texts}", "{short_texts}"]}},
     minus: {file: results/x.csv, value: n, where: {corpus: "{short_texts}", layer: last}}}
"""


def test_each_cell_is_about_the_corpus_that_has_the_role():
    source = Source.model_validate(yaml.safe_load(SOURCE))
    (claim,) = in_roles(source, {"long_texts": "wikipedia", "short_texts": "emotion"}).claims
    assert claim.cell.pair and claim.cell.pair.values == ["wikipedia", "emotion"]
    assert claim.cell.chosen_by == {"layer": 3, "corpus": "wikipedia", "other_corpus": "emotion"}
    assert claim.minus and claim.minus.where == {"corpus": "emotion", "layer": "last"}
    assert claim.claim == "they lie apart"


def test_a_role_that_no_corpus_has_stays_open():
    source = Source.model_validate(yaml.safe_load(SOURCE))
    (claim,) = in_roles(source, {"long_texts": "wikipedia"}).claims
    assert claim.cell.open_roles == ["short_texts"]


def test_the_claims_of_the_thesis_name_no_corpus_but_by_its_role(root: Path):
    source = read_source(root / "data/published/luisto_thesis.yaml")
    claims = [claim for claim in source.claims if "4.4.3" <= claim.section <= "4.5.1"]
    rules = [rule for claim in claims for rule in (claim, *claim.otherwise)]
    named = [cell.chosen_by.get("corpus") for rule in rules for cell in rule.cells]
    assert len(named) >= 20
    assert set(named) == {"{long_texts}", "{short_texts}", "{sentences_of_long_texts}"}

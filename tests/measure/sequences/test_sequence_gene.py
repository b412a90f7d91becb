"""Holds places and changes of a region to the gene and its table."""

from pathlib import Path

import numpy as np
import pytest

from embspace.measure.sequences.sequence_gene import gene_of
from embspace.prepare.sources.lineages import load_lineages
from tests.measure.sequences.small import small_corpus


@pytest.fixture(autouse=True)
def in_root(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_places_are_four_codons_that_share_one_with_the_next() -> None:
    gene = gene_of(small_corpus())
    assert gene.codons[:2].tolist() == [[478, 481], [481, 484]]
    assert gene.codons[-1].tolist() == [508, 511]
    assert gene.n_places == 11
    assert gene.deleting == frozenset()
    assert np.flatnonzero(gene.places_within(484, 485)).tolist() == [1, 2]


def test_changes_are_named_as_in_the_table_and_lie_where_their_codon_is() -> None:
    gene = gene_of(small_corpus())
    named = gene.changes.set_index(["class", "change"])
    assert named.loc[("alpha", "N501Y"), "codon"] == 501
    assert named.loc[("beta", "E484K"), "codon_to"] == "aaa"
    assert {change for kind, change in named.index if kind == "delta"} == {"T478K"}
    assert not (gene.changes["class"] == "gh").any()
    by_hand = (gene.codons[:, 0] <= 484) & (gene.codons[:, 1] >= 484)
    at_484 = (gene.changes["codon"] == 484).to_numpy()
    assert (gene.covers[at_484] == by_hand).all()
    assert by_hand.sum() == 2  # a shared codon


def test_sequences_without_noise_have_all_changes_of_their_class_and_no_other() -> None:
    rates = ("absence_rate", "ancestor_substitution_rate", "descendant_substitution_rate")
    corpus = small_corpus(**dict.fromkeys([*rates, "gap_rate"], 0.0), n_ancestors=1)
    gene, texts = gene_of(corpus), load_lineages(corpus)
    for name, text in zip(texts["domain"], texts["text"], strict=True):
        has = gene.present(text.split())
        codons = gene.changes.loc[gene.changes["class"] == name, ["codon", "codon_to"]]
        same = gene.changes[["codon", "codon_to"]].apply(tuple, axis=1)
        assert has.tolist() == same.isin(codons.apply(tuple, axis=1)).tolist()


def test_classes_that_delete_codons_of_the_region_are_known() -> None:
    gene = gene_of(small_corpus(first_codon=60, last_codon=80))
    assert {"alpha", "omicron"} <= gene.deleting
    assert "gamma" not in gene.deleting

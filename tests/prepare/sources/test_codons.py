from collections import Counter

import pytest

from embspace.prepare.sources.codons import CODE, nearest_codon, translate


def test_the_standard_code_has_61_codons_of_20_residues_and_three_stops():
    counts = Counter(CODE.values())
    assert len(CODE) == 64
    assert [codon for codon in CODE if CODE[codon] == "*"] == ["taa", "tag", "tga"]
    assert len(counts) == 21
    assert sorted(counts.values()) == [1] * 2 + [2] * 9 + [3] * 2 + [4] * 5 + [6] * 3


@pytest.mark.parametrize(
    ("bases", "residues"),
    [("atgtttgtttttctt", "MFVFL"), ("tggtaa", "W*"), ("atgnttttt", "MXF"), ("", "")],
)
def test_translation(bases: str, residues: str):
    assert translate(bases) == residues


@pytest.mark.parametrize(
    ("codon", "residue", "nearest"),
    [
        ("aat", "Y", "tat"),  # N501Y
        ("gat", "G", "ggt"),  # D614G
        ("aag", "N", "aac"),  # aat is as near
        ("tcc", "L", "ctc"),  # two bases away, as are tta and ttg
        ("aat", "N", "aat"),
    ],
)
def test_the_nearest_codon_and_of_several_the_first(codon: str, residue: str, nearest: str):
    assert nearest_codon(codon, residue) == nearest

import csv
from itertools import pairwise, product
from pathlib import Path

import pytest
from Bio.Seq import translate

from embspace.errors import InputError
from embspace.files.fasta import read_fasta
from embspace.prepare.sources.changes import COLUMNS, CodonChange, Lineage, read_lineages

REFERENCE = "data/published/NC_045512.2.fasta"
TABLE = "data/published/sars_cov_2_lineages.csv"
ROOT = Path(__file__).parents[3]
with (ROOT / TABLE).open() as file:
    ROWS = list(csv.DictReader(file))
GENE = "atgaatgataagcat"  # M N D K H
CODONS = list(map("".join, product("acgt", repeat=3)))


@pytest.fixture(scope="module")
def spike() -> str:
    """The gene of the reference."""
    (record,) = read_fasta(str(ROOT / REFERENCE))
    assert len(record.sequence) == 29903
    return record.sequence[21562:25384]


def test_the_spike_is_an_open_reading_frame(spike: str):
    residues = translate(spike)
    assert len(spike) == 3822
    assert len(residues) == 1274
    assert residues.startswith("MFVFLVLLPLVSSQCVNLTT")
    assert residues.index("*") == 1273


def test_the_table_has_the_eight_classes_in_the_order_of_the_case_study(spike: str):
    lineages = read_lineages(str(ROOT / TABLE), spike)
    assert {lineage.label: lineage.name for lineage in lineages} == {
        "gh": "B.1",
        "lambda": "C.37",
        "mu": "B.1.621",
        "alpha": "B.1.1.7",
        "beta": "B.1.351",
        "delta": "B.1.617.2",
        "gamma": "P.1",
        "omicron": "BA.1",
    }
    assert [lineage.label for lineage in lineages] == list(dict.fromkeys(r["class"] for r in ROWS))
    assert [len(lineage.changes) for lineage in lineages] == [1, 8, 9, 9, 8, 8, 12, 33]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['class']}-{row['change']}")
def test_each_row_is_a_change_of_the_reference(row: dict[str, str], spike: str):
    first, _, last = row["codons"].partition("-")
    residues = translate(spike)[int(first) - 1 : int(last or first)]
    assert residues == row["reference"]
    assert all(row[column].strip() for column in ("class", "lineage", "source"))
    if row["kind"] == "deletion":
        assert row["alternate"] == row["codon_to"] == ""
        assert row["change"] in (
            f"{residues}{first}del",
            f"{residues[0]}{first}_{residues[-1]}{last}del",
        )
    else:
        assert row["kind"] == "substitution"
        assert last == ""
        assert row["change"] == f"{residues}{first}{row['alternate']}"
        assert translate(row["codon_to"]) == row["alternate"] != residues


def test_a_class_is_of_one_lineage_and_changes_no_codon_twice(spike: str):
    for lineage in read_lineages(str(ROOT / TABLE), spike):
        names = {row["lineage"] for row in ROWS if row["class"] == lineage.label}
        assert names == {lineage.name}
        changes = sorted(lineage.changes, key=lambda change: change.first)
        assert all(change.last < other.first for change, other in pairwise(changes))


def test_but_for_one_codon_what_a_residue_becomes_is_as_near_as_can_be(spike: str):
    farther = set()
    for row in ROWS:
        if row["kind"] == "substitution":
            first = 3 * int(row["codons"]) - 3
            codon, residue = spike[first : first + 3], row["alternate"]
            nearest = min(
                n_other_bases(codon, other) for other in CODONS if translate(other) == residue
            )
            if n_other_bases(codon, row["codon_to"].lower()) > nearest:
                farther.add(row["change"])
    assert farther == {"G142D"}  # it is what the deletion beside it leaves


def n_other_bases(codon: str, other: str) -> int:
    return sum(map(str.__ne__, codon, other))


@pytest.mark.parametrize(
    ("change", "classes"),
    [
        ("D614G", "gh lambda mu alpha beta delta gamma omicron"),
        ("N501Y", "mu alpha beta gamma omicron"),
        ("E484K", "mu beta gamma"),
        ("T478K", "delta omicron"),
        ("K417N", "beta omicron"),
        ("L452R", "delta"),
        ("P681H", "mu alpha omicron"),
        ("H69_V70del", "alpha omicron"),
    ],
)
def test_shared_changes_are_shared(change: str, classes: str):
    rows = [row for row in ROWS if row["change"] == change]
    assert [row["class"] for row in rows] == classes.split()
    assert len({row["codon_to"] for row in rows}) == 1


def test_gh_has_no_change_in_the_receptor_binding_domain():
    inside = {row["class"] for row in ROWS if 319 <= int(row["codons"].split("-")[0]) <= 541}
    assert inside == {row["class"] for row in ROWS} - {"gh"}


@pytest.mark.parametrize(
    ("label", "first", "last"),
    [
        ("beta", 22281, 22289),
        ("lambda", 22299, 22319),
        ("delta", 22029, 22034),
        ("alpha", 21991, 21993),
        ("omicron", 21987, 21995),
        ("omicron", 22194, 22196),
    ],
)
def test_deleted_codons_leave_the_bases_that_the_deletion_leaves(
    label: str, first: int, last: int, spike: str
):
    """Whatever codons a deletion is said to be of: with what it makes of its neighbors."""
    (lineage,) = (
        lineage for lineage in read_lineages(str(ROOT / TABLE), spike) if lineage.label == label
    )
    codons = [spike[n : n + 3] for n in range(0, len(spike), 3)]
    around = range((first - 21563) // 3 - 2, (last - 21563) // 3 + 3)
    for change in lineage.changes:
        if change.first - 1 in around:
            others = [""] * (change.last - change.first)
            codons[change.first - 1 : change.last] = [change.codon_to, *others]
    left = "".join(codons[around.start : around.stop])
    bases = spike[: first - 21563] + spike[last - 21562 :]
    expected = bases[3 * around.start : 3 * around.stop - (last - first + 1)]
    assert left == expected


# Tables of a user.

ROW = {
    **{"class": "a", "lineage": "A.1", "change": "N2Y", "kind": "substitution", "codons": "2"},
    **{"reference": "N", "alternate": "Y", "codon_to": "TAT", "source": "a paper"},
}
DELETION = {"change": "D3_K4del", "kind": "deletion", "codons": "3-4", "reference": "DK"}
DELETION = {**ROW, **DELETION, "alternate": "", "codon_to": ""}


def table(tmp_path: Path, *rows: dict[str, str], columns: tuple[str, ...] = COLUMNS) -> str:
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def test_what_a_table_says(tmp_path: Path):
    rows = [ROW, {**ROW, "class": "b", "lineage": "B", "codon_to": "tat"}, DELETION]
    assert read_lineages(table(tmp_path, *rows), GENE) == [
        Lineage("a", "A.1", (CodonChange(2, 2, "tat"), CodonChange(3, 4, ""))),
        Lineage("b", "B", (CodonChange(2, 2, "tat"),)),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"reference": "D"}, "column 'reference': found 'D', but the gene has 'N'"),
        ({"codons": "3"}, "column 'reference': found 'N', but the gene has 'D'"),
        ({"codons": "6"}, "column 'reference': found 'N', but the gene has ''"),
        ({"codons": "3-2"}, "column 'reference': found 'N', but the gene has ''"),
        ({"codons": "0"}, "column 'codons': found '0', allowed: a number from 1"),
        ({"codons": "two"}, "column 'codons': found 'two'"),
        ({"alternate": "N"}, "column 'alternate': found 'N', but the codon_to has 'Y'"),
        ({"codon_to": "TAA"}, r"column 'alternate': found 'Y', but the codon_to has '\*'"),
        ({"codon_to": ""}, "column 'alternate': found 'Y', but the codon_to has ''"),
        ({"codon_to": "TA"}, "column 'codon_to': found 'TA', allowed: three of A, C, G and T"),
        ({"codon_to": "TATTAT"}, "column 'codon_to': found 'TATTAT'"),
        ({"codon_to": "TAY"}, "column 'codon_to': found 'TAY'"),
    ],
)
def test_a_row_that_does_not_fit_is_named(tmp_path: Path, row: dict[str, str], message: str):
    with pytest.raises(InputError, match=rf"x\.csv, class '.*', change '.*': {message}"):
        read_lineages(table(tmp_path, {**ROW, **row}), GENE)


def test_a_column_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"x\.csv: no column 'codons'; expected class, lineage"):
        read_lineages(table(tmp_path, ROW, columns=(*COLUMNS[:3], *COLUMNS[4:])), GENE)
    with pytest.raises(InputError, match=r"none\.csv: not found"):
        read_lineages(str(tmp_path / "none.csv"), GENE)

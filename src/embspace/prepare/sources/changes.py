"""The changes that define lineages: a table that people write, checked against the gene."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from Bio.Seq import translate

from embspace.errors import InputError
from embspace.files.texts import load_texts

COLUMNS = ("class", "lineage", "change", "codons", "reference", "alternate", "codon_to")
PATTERNS = {"codons": "[1-9][0-9]*(-[1-9][0-9]*)?", "codon_to": "([ACGT]{3})?"}
ALLOWED = {
    "codons": "a number from 1, or two such as 69-70",
    "codon_to": "three of A, C, G and T, or nothing for a deletion",
}


@dataclass(frozen=True)
class CodonChange:
    """Consecutive codons replaced by a new codon, or deleted."""

    first: int  # codon, from 1
    last: int
    codon_to: str  # "" if they are deleted


@dataclass(frozen=True)
class Lineage:
    """A class of sequences, and the changes from the reference."""

    label: str  # of the class
    name: str  # Pango's
    changes: tuple[CodonChange, ...]


def read_lineages(path: str, gene: str) -> list[Lineage]:
    """Return the classes of a table, in the order of the first rows.

    The table has a row per change and at least the columns `COLUMNS`. `codons` is a number, or two
    with a dash between; `codon_to` is empty for a deletion. `gene` is of whole codons.

    Raises:
        InputError: naming the file, the class and the change, if codons are written otherwise, the
            reference residues differ from the gene, or the alternate residue from `codon_to`.
    """
    table = load_texts(path, text_column="change")
    if lacking := [column for column in COLUMNS if column not in table]:
        raise InputError(f"{path}: no column '{lacking[0]}'; expected {', '.join(COLUMNS)}")
    lineages = []
    for label, rows in table.astype(str).groupby("class", sort=False):
        where = f"{path}, class '{label}'"
        changes = tuple(_change(row, gene, where) for row in rows.to_dict("records"))
        lineages.append(Lineage(str(label), rows["lineage"].iloc[0], changes))
    return lineages


def _change(row: Mapping[Hashable, str], gene: str, where: str) -> CodonChange:
    where = f"{where}, change '{row['change']}'"
    for column, pattern in PATTERNS.items():
        if not re.fullmatch(pattern, row[column], re.IGNORECASE):
            raise InputError(
                f"{where}: column '{column}': found {row[column]!r}, allowed: {ALLOWED[column]}"
            )
    first, _, last = row["codons"].partition("-")
    change = CodonChange(int(first), int(last or first), row["codon_to"].lower())
    bases = gene[3 * change.first - 3 : 3 * change.last]
    for column, owner, coding in (
        ("reference", "gene", bases),
        ("alternate", "codon_to", change.codon_to),
    ):
        if row[column] != (expected := translate(coding)):
            raise InputError(
                f"{where}: column '{column}': found {row[column]!r}, but the {owner} has "
                f"{expected!r} at {row['codons']}"
            )
    return change
